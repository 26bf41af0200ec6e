"""The multishine teacher against a recorded player, and its way back from anywhere.

``data/multishine.csv``: frames -43 to 296 of a recorded two-minute multishine (791 shines, Fox): action state and
buttons per frame, as the replay holds them.
"""

from pathlib import Path

import numpy as np
import pytest

import agents
from agents.testing import check_agent
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Button, make_controllers, neutral
from melee_env.frame import Frames, empty_frames
from melee_env.ids import Character

RECORDING = Path(__file__).parent / "data" / "multishine.csv"
LOOP_BEGINS = 4
"""Row from which the recorded player multishines."""


def fox(action: int, action_frame: float, airborne: bool, landed: int = 0) -> Frames:
    frames = empty_frames(1)
    fighter = frames["seats"][:, 0]["leader"]
    fighter["character"], fighter["action"] = Character.FOX.internal, action
    fighter["action_frame"], fighter["airborne"] = action_frame, airborne
    fighter["controller"] = make_controllers(buttons=[landed])
    return frames


def recording() -> Frames:
    rows = np.genfromtxt(RECORDING, delimiter=",", names=True)
    frames = empty_frames(len(rows))
    frames["frame"] = rows["frame"]
    fighter = frames["seats"][:, 0]["leader"]
    for name in ("action", "action_frame", "airborne"):
        fighter[name] = rows[name]
    fighter["controller"] = make_controllers(stick_y=rows["stick_y"], buttons=rows["buttons"].astype(int))
    return frames


def press(frames: Frames) -> tuple[bool, bool, float]:
    """What the teacher holds: B, X, stick y."""
    controller = agents.make("teacher:multishine").act(frames)[0]
    return (
        bool(controller["buttons"] & Button.B),
        bool(controller["buttons"] & Button.X),
        controller["stick_y"],
    )


def test_same_inputs_as_the_recorded_player() -> None:
    frames = recording()[LOOP_BEGINS:]
    teacher = agents.make("teacher:multishine")
    teacher.reset(len(frames))
    ours, theirs = teacher.act(frames)[:-1], frames["seats"][:, 0]["leader"]["controller"][1:]
    assert (ours["buttons"] == theirs["buttons"]).all()
    assert (ours["stick_y"] == theirs["stick_y"]).all()


def test_the_recording_is_a_nine_frame_loop() -> None:
    actions = recording()["seats"][LOOP_BEGINS + 3 :, 0]["leader"]["action"]
    assert actions[:9].tolist() == [24, 24, 24, 365, 365, 365, 366, 361, 361]
    assert (actions[9:] == actions[:-9]).all()


def test_shine_is_pressed_on_the_last_frame_of_jump_squat_only() -> None:
    assert [press(fox(24, age, False))[0] for age in (0, 1, 2)] == [False, False, True]


def test_jump_waits_until_the_ground_shine_has_started() -> None:
    assert [press(fox(360, age, False, Button.B))[1] for age in (1, 2, 3)] == [False, False, True]


@pytest.mark.parametrize("action", [14, 42, 20, 88])
def test_b_alternates_from_any_other_state(action: int) -> None:
    assert press(fox(action, 0, False, landed=0))[0]
    assert not press(fox(action, 0, False, landed=Button.B))[0]


def test_x_alternates_while_the_ground_shine_lasts() -> None:
    assert press(fox(361, 7, False, landed=Button.B))[1]
    assert not press(fox(361, 7, False, landed=Button.X | Button.B))[1]


def test_a_frozen_frame_counter_does_not_stop_the_edges() -> None:
    """In hitlag the state frame stands still; only the landed buttons tell one frame from the next."""
    frames = fox(361, 7, False)
    seen = []
    for _ in range(4):
        seen.append(press(frames)[1])
        frames["seats"][:, 0]["leader"]["controller"] = agents.make("teacher:multishine").act(frames)
    assert seen == [True, False, True, False]


def test_the_float_after_a_late_shine_is_let_go() -> None:
    assert press(fox(366, 5, True, Button.B)) == (False, False, 0.0)


def test_no_input_while_dying() -> None:
    assert press(fox(0, 0, True)) == (False, False, 0.0)


def test_keeps_the_protocol() -> None:
    check_agent(agents.make("teacher:multishine"), recording()[:40].reshape(10, 4))


def test_lanes_are_independent() -> None:
    frames, teacher = recording(), agents.make("teacher:multishine")
    together = teacher.act(frames)
    alone = np.concatenate([teacher.act(frames[k : k + 1]) for k in range(len(frames))])
    assert together.tobytes() == alone.tobytes()


def play(frames_of_noise: int, num_frames: int, num_games: int) -> np.ndarray:
    """Fox's action states ``[num_frames, num_games]`` in the engine: noise first, then the teacher."""
    backend = make_backend("embedded", num_games=num_games)
    frames = backend.reset(np.arange(num_games, dtype=np.uint32), [MatchOptions()] * num_games)
    teacher, rng, states = agents.make("teacher:multishine"), np.random.default_rng(0), []
    noise = neutral(num_games)
    for t in range(frames_of_noise + num_frames):
        controllers = neutral(num_games, 2)
        if t % 6 == 0:
            noise = make_controllers(
                rng.uniform(-0.6, 0.6, num_games),
                rng.uniform(-1, 1, num_games),
                buttons=rng.choice([0, Button.A, Button.B, Button.X, Button.L], num_games),
            )
        controllers[:, 0] = noise if t < frames_of_noise else teacher.act(frames)
        frames = backend.step(controllers)
        states.append(frames["seats"][:, 0]["leader"]["action"].copy())
    backend.close()
    return np.array(states)[frames_of_noise:]


def onsets(states: np.ndarray) -> np.ndarray:
    """How often each game enters the ground reflector, the count behind every quoted rate."""
    reflector = (states >= 360) & (states <= 363)
    return (reflector[1:] & ~reflector[:-1]).sum(0)


def test_nine_frame_loop_in_the_engine() -> None:
    assert onsets(play(0, 900, 1))[0] >= 99


def test_finds_the_loop_again_from_anywhere_in_the_engine() -> None:
    """After 100 frames of noise (tumbles, shields, ledges, falls) every game multishines at full rate in the end."""
    states = play(100, 900, 16)
    assert (onsets(states[-181:]) >= 19).all()


def fast_loop(num_frames: int) -> tuple[np.ndarray, list[object]]:
    """Action states ``[num_frames]`` of the fast teacher's Fox, and the engine's state after every frame."""
    backend = make_backend("embedded", num_games=1)
    frames = backend.reset(np.zeros(1, np.uint32), [MatchOptions()])
    teacher, states, saved = agents.make("teacher:multishine-fast"), [], []
    for _ in range(num_frames):
        controllers = neutral(1, 2)
        controllers[:, 0] = teacher.act(frames)
        frames = backend.step(controllers)
        states.append(int(frames["seats"][0, 0]["leader"]["action"]))
        saved.append(backend.save(0))
    backend.close()
    return np.array(states), saved


def test_the_fast_teacher_loops_in_eight_frames() -> None:
    states, _ = fast_loop(900)
    assert onsets(states[:, None])[0] >= 111
    assert (states[200:] == states[192:-8]).all()


def test_no_inputs_shine_faster_than_the_fast_teacher() -> None:
    """Every sequence of rest, shine and jump over the seven frames after an onset: no other onset comes."""
    states, saved = fast_loop(200)
    onset = next(t for t in range(190, 200) if states[t] == 361 and states[t - 1] != 361)
    inputs = make_controllers(stick_y=[0.0, -1.0, 0.0], buttons=[0, Button.B, Button.X])
    lanes = np.indices((3,) * 7).reshape(7, -1)  # the input of every frame and lane
    backend = make_backend("embedded", num_games=lanes.shape[1])
    frames = backend.load(0, saved[onset])
    engine = backend._engine  # type: ignore[attr-defined]
    for everything in (engine.games, engine.frames):  # as bytes: loading lane by lane takes a minute
        lane_bytes = everything.view(np.uint8).reshape(lanes.shape[1], -1)
        lane_bytes[1:] = lane_bytes[0]
    found = [frames["seats"][:, 0]["leader"]["action"].copy()]
    for choice in lanes:
        controllers = neutral(lanes.shape[1], 2)
        controllers[:, 0] = inputs[choice]
        found.append(backend.step(controllers)["seats"][:, 0]["leader"]["action"].copy())
    backend.close()
    assert set(found[0]) == {361}
    assert (onsets(np.array(found)) == 0).all()
    assert (found[-1] == 366).any(), "no sequence shines in the air: the search sees nothing"
