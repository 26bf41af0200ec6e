"""The recorded multishine as a yardstick: cloned to the last press, blind to what happens in play."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import agents
from agents.network_agent import NetworkAgent
from demonstrations.filters import GameFilter
from demonstrations.games import iterate_games
from demonstrations.trajectories import observe, stretches
from experiments.evaluation.fixture import Fixture, fixture_agreement, load_fixture
from melee_env.actions import make_codec
from melee_env.controller import Button
from melee_env.errors import OptionError
from melee_env.observations import make_encoder
from melee_env.slp import write_game

REPLAYS = Path(__file__).resolve().parents[3] / "shared" / "replays"
CLOSED = next(iter(sorted(REPLAYS.glob("*_fixture_closed.slp"))), None)
needs_recording = pytest.mark.skipif(CLOSED is None, reason="no recorded multishine in ../shared/replays")


@needs_recording
def test_fixture_is_the_known_stretch() -> None:
    assert CLOSED is not None
    fixture = load_fixture(CLOSED)
    assert len(fixture.obs) == 1679 and len(fixture.acts) == 1678
    assert fixture.acts[:, 1].mean() == pytest.approx(0.777, abs=0.001)
    assert fixture.acts[:, 2].mean() == pytest.approx(0.111, abs=0.001)


class Repeats:
    """Answers with the recorded action ``delay`` frames late."""

    deterministic = False

    def __init__(self, fixture: Fixture, delay: int) -> None:
        self.actions, self.delay, self.frame = fixture.acts, delay, 0

    def reset(self, num_envs: int, seed: int) -> None:
        self.frame = 0

    def act_on(self, observations: np.ndarray) -> np.ndarray:
        answer = self.actions[max(self.frame - self.delay, 0)]
        self.frame += 1
        return answer[None]


@pytest.mark.parametrize("delay", [0, 3])
def test_sweep_finds_the_shift(delay: int) -> None:
    rng = np.random.default_rng(0)
    acts = np.zeros((400, 13), np.int64)
    acts[:, 1:3] = rng.integers(0, 2, (400, 2))
    fixture = Fixture(np.zeros((401, 2), np.float32), acts, np.array([{}] * 400))
    # An agent that answers with what was recorded `delay` frames later learned labels shifted by that much.
    shifted = Fixture(fixture.obs, np.roll(acts, -delay, 0), fixture.infos)
    result = fixture_agreement(Repeats(shifted, 0), fixture)  # type: ignore[arg-type]
    assert result["best_offset"] == delay
    assert result["agreement"][delay] == 1.0
    assert max(a for k, a in enumerate(result["agreement"]) if k != delay) < 0.5


def recorded(folder: Path, length: int) -> Path:
    """Somebody who presses B and X by chance, as a file."""
    synthetic = run_path(str(Path(__file__).parents[1] / "fixtures" / "games.py"))["synthetic_game"]
    game = synthetic(length=length, first=-10)
    pads = game.frames["seats"]["leader"]["controller"]
    pads["buttons"][:, 0] &= int(Button.B | Button.X)
    pads["buttons"][-1, 0] = Button.B
    pads["buttons"][:, 1] = 0
    write_game(folder / f"{length}.slp", game)
    return folder / f"{length}.slp"


def test_an_agent_that_acts_late_sees_what_it_saw_in_training(tmp_path: Path) -> None:
    path = recorded(tmp_path, 120)
    late, prompt = load_fixture(path, delay=2), load_fixture(path)
    (stretch, *_) = stretches(next(iterate_games(path, GameFilter(normal_ratios=False))), (0,))
    expected = observe(stretch.frames, make_encoder("compact"), make_codec("multidiscrete"), 2)[1][10:]
    assert late.obs.tobytes() == expected[: len(late.obs)].tobytes()
    assert (late.acts == prompt.acts[: len(late.acts)]).all() and len(late.acts) == len(late.obs) - 1


def test_recordings_and_actions_that_say_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="too few"):
        load_fixture(recorded(tmp_path, 40))
    with pytest.raises(OptionError, match="seat 1 presses neither B nor X"):
        load_fixture(recorded(tmp_path, 120), 1)
    with pytest.raises(OptionError, match="'discrete' actions has no heads B and X"):
        load_fixture(recorded(tmp_path, 120), action="discrete")


@needs_recording
@pytest.mark.slow
def test_gru_clones_the_multishine(tmp_path: Path) -> None:
    """Known: a loss of 0.002 nats, every press at offset 0, two of three at offset 1."""
    assert CLOSED is not None
    fixture = load_fixture(CLOSED)
    agent = agents.train(
        "bc",
        demonstrations=[fixture],
        out=tmp_path / "bc",
        network="gru",
        hidden_size=256,
        window=16,
        batch_size=8,
        epochs=14,
        learning_rate=2e-3,
        weight_decay=0.0,
        dropout=0.0,
        validation_fraction=0.0,
        patience=14,
    )
    assert isinstance(agent, NetworkAgent)
    assert agent.meta["history"][-1]["validation_loss"] <= 2e-3
    result = fixture_agreement(agent, fixture)
    assert result["agreement"][0] >= 0.999
    assert result["agreement"][1] == pytest.approx(0.667, abs=0.01)
    assert result["best_offset"] == 0
