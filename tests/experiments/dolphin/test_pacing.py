"""Beside the game an agent answers in time or its last action is repeated; locked to it every frame is answered."""

import threading

import numpy as np
import pytest

from experiments.dolphin.pacing import Beside, Locked
from melee_env.controller import make_controllers
from melee_env.frame import empty_frames


class Echo:
    """Answers frame n with the stick at step n + 40 of 80, once it may."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.thinking = threading.Semaphore(0)
        self.seen: list[tuple[int, bool]] = []

    def act(self, frames, episode_start=None):
        self.seen.append((int(frames["frame"][0]), bool(episode_start[0])))
        self.thinking.release()
        self.may_answer.wait(10)
        if frames["frame"][0] == 39:
            raise RuntimeError("the agent broke")
        return make_controllers(stick_x=np.array([(frames["frame"][0] + 40) / 80]))


def offer(pacing, number: int) -> None:
    frames = empty_frames(1)
    frames["frame"] = number
    pacing.offer(frames)


def sent(pacing) -> int:
    return round(80 * float(pacing.answer()["stick_x"][0])) - 40


def answer(pacing, number: int) -> int:
    offer(pacing, number)
    return sent(pacing)


@pytest.fixture
def beside():
    pacing = Beside(0, patience=10.0)
    yield pacing
    pacing.close()


def test_a_locked_agent_answers_every_frame() -> None:
    pacing, agent = Locked(0), Echo()
    pacing.begin(agent)
    assert [answer(pacing, n) for n in range(4)] == [0, 1, 2, 3]
    assert agent.seen == [(0, True), (1, False), (2, False), (3, False)]
    assert pacing.timing.summary()["stale_frames"] == 0


def test_an_agent_in_time_answers_the_newest_frame(beside: Beside) -> None:
    beside.begin(Echo())
    assert [answer(beside, n) for n in range(4)] == [0, 1, 2, 3]
    summary = beside.timing.summary()
    assert (summary["actions"], summary["stale_frames"], summary["age_frames"]["max"]) == (4, 0, 0)


def test_a_late_agent_repeats_its_action_and_skips_to_the_newest_frame(beside: Beside) -> None:
    agent = Echo()
    beside.begin(agent)
    assert answer(beside, 0) == 0 and answer(beside, 1) == 1
    agent.may_answer.clear()
    beside._patience = 0.02
    offer(beside, 2)
    assert all(agent.thinking.acquire(timeout=10) for _ in range(3))  # it thinks about frame 2 before 3 comes
    assert [sent(beside), answer(beside, 3), answer(beside, 4)] == [1, 1, 1]
    beside._patience = 10.0
    offer(beside, 5)  # before it may answer: else it could take frame 4 meanwhile
    agent.may_answer.set()
    assert sent(beside) == 5
    assert [number for number, _ in agent.seen][-2:] == [2, 5]
    summary = beside.timing.summary()
    assert (summary["stale_frames"], summary["longest_stale"], summary["age_frames"]["max"]) == (3, 3, 3)
    assert summary["stale_share"] == 0.5


def test_the_next_game_begins_anew(beside: Beside) -> None:
    first, second = Echo(), Echo()
    beside.begin(first)
    answer(beside, 0)
    beside.begin(second)
    assert answer(beside, 7) == 7 and second.seen == [(7, True)]


def test_an_agent_that_breaks_is_not_hidden(beside: Beside) -> None:
    beside.begin(Echo())
    with pytest.raises(RuntimeError, match="broke"):
        answer(beside, 39)
