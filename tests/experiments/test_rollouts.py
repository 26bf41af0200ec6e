"""On and off the manifold: situations are counted once, and agreement is asked where it belongs."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.network_agent import NetworkAgent
from experiments.evaluation import play_games
from experiments.evaluation.games import GameResults, perturb
from experiments.evaluation.rollouts import evaluate_rollout, learn_manifold, situations
from melee_env.backends.base import BACKENDS, MatchOptions
from melee_env.controller import Button, make_controllers
from melee_env.errors import OptionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, empty_frames
from melee_env.ids import Stage
from melee_env.observations.features import EDGE_X
from melee_env.slp import write_game

sys.path.insert(0, str(Path(__file__).parent))
from toy_backend import PressingAgent  # noqa: E402
from toy_network import toy_network  # noqa: E402

Run = Callable[..., tuple[int, str, str]]
STANDING, AIRBORNE = 39, 60
"""frames that a game of the toy shows of either after the countdown"""


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> GameResults:
    monkeypatch.setitem(BACKENDS.built_in, "walking", "toy_backend:WalkingToy")
    players = PressingAgent(5), PressingAgent(0)
    return play_games(*players, 3, 0, backend="walking", stocks=99, time_limit=AIRBORNE - 1, record=(0, 1, 2))


@pytest.fixture
def standing(results: GameResults, tmp_path: Path) -> Path:
    """A recording in which nobody leaves the ground."""
    game = results.recordings[0]
    game.frames["seats"]["leader"]["action"] = 15
    write_game(tmp_path / "standing.slp", game)
    game.frames["seats"]["leader"]["action"] = np.where(game.frames["frame"] < 0, 15, 25)[:, None]
    return tmp_path / "standing.slp"


class StandingPress:
    """Presses B on the ground only."""

    name, characters = "standing press", None

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        pass

    def act(self, frames: np.ndarray, episode_start: np.ndarray | None = None) -> np.ndarray:
        grounded = frames["seats"]["leader"]["action"][:, 0] == 15
        return make_controllers(buttons=np.where(grounded, Button.B, 0))


def always(pressed: bool, delay: int = 0) -> NetworkAgent:
    """A network that always, or never, presses B and nothing else."""
    agent = toy_network(delay=delay)
    neutral = torch.from_numpy(
        agent.codec.encode(make_controllers(buttons=int(pressed) * Button.B)).reshape(1, -1)
    )
    with torch.no_grad():
        agent.policy.heads.start_from_marginals(neutral.long().expand(1000, -1))
        agent.policy.heads.output_layers()[0].weight.zero_()
    return agent


def test_situation_is_the_state_with_its_whole_animation_frame() -> None:
    fighter = empty_frames(5)["seats"]["leader"][:, 0]
    fighter["action"] = [20, 20, 20, 21, 20]
    fighter["action_frame"] = [3.0, 3.75, 4.0, 3.0, -1.0]
    numbers = situations(fighter)
    assert numbers[0] == numbers[1] and len(set(numbers.tolist())) == 4


def test_unseen_states_come_by_the_frames_spent_in_them(results: GameResults, standing: Path) -> None:
    for n, frames in enumerate((0, 30, 10)):  # the last frames of the games are spent falling
        leaders = results.recordings[n].frames["seats"]["leader"]
        leaders["action"][len(leaders) - frames :] = 29
        leaders["action_frame"][len(leaders) - frames :] = np.arange(frames)[:, None] + 0.5
    rows = evaluate_rollout(results, learn_manifold(standing, "FOX")).unseen()
    assert [(row["state"], row["frames"], row["games"], row["action_frames"]) for row in rows] == [
        ("JumpF", 3 * AIRBORNE - 40, 3, [0, 0]),
        ("Fall", 40, 2, [0, 29]),
    ]


def test_frames_off_the_manifold_are_counted_by_situation(results: GameResults, standing: Path) -> None:
    manifold = learn_manifold(standing, "FOX")
    assert (manifold.games, len(manifold.situations)) == (1, 1)
    found = evaluate_rollout(results, manifold).summary()
    assert found["frames"] == 3 * (STANDING + AIRBORNE)
    assert found["on"]["mean"] == pytest.approx(STANDING / (STANDING + AIRBORNE))
    assert found["unseen"] == [
        {
            "state": "JumpF",
            "action_frames": [0, 0],
            "frames": 3 * AIRBORNE,
            "share": AIRBORNE / (STANDING + AIRBORNE),
            "games": 3,
        }
    ]
    assert evaluate_rollout(results, learn_manifold(standing, "fox")).on[0].sum() == STANDING
    with pytest.raises(OptionError, match="no player of MARTH"):
        learn_manifold(standing, "MARTH")


@pytest.mark.parametrize("delay", [0, 2])
def test_agreement_is_the_experts_on_the_frame_that_the_choice_acts_on(
    results: GameResults, standing: Path, delay: int
) -> None:
    """The last frames on the ground decide what happens in the air, if the agent acts late."""
    agents = {"presses": always(True, delay), "rests": always(False, delay)}
    found = evaluate_rollout(results, learn_manifold(standing, "FOX"), StandingPress(), agents).summary()
    on, off = found["agreement"]["presses"]["on"], found["agreement"]["presses"]["off"]
    assert (on["frames"], off["frames"]) == (3 * STANDING, 3 * (AIRBORNE - 1 - delay))
    assert on["exact_accuracy"] == on["exact_majority_baseline"] == pytest.approx(1 - delay / STANDING)
    assert off["exact_accuracy"] == 0 and off["exact_majority_baseline"] == 1
    assert found["agreement"]["rests"]["off"]["exact_accuracy"] == 1
    assert found["difference"]["off"]["mean"] == -1
    assert found["difference"]["on"]["mean"] == pytest.approx(1 - 2 * delay / STANDING)


def test_only_networks_with_the_same_actions_are_compared(results: GameResults, standing: Path) -> None:
    manifold = learn_manifold(standing, "FOX")
    with pytest.raises(OptionError, match="no network"):
        evaluate_rollout(results, manifold, StandingPress(), {"a": PressingAgent(2)})
    other = toy_network()
    other.codec.name = "another"
    with pytest.raises(OptionError, match="among different actions"):
        evaluate_rollout(results, manifold, StandingPress(), {"a": toy_network(), "b": other})


def test_perturbed_starts_are_on_the_stage_and_drawn_from_the_seed() -> None:
    starts = [perturb(MatchOptions(stage=Stage.BATTLEFIELD), np.random.default_rng(n)) for n in range(200)]
    places = np.array([start.positions for start in starts])
    assert np.abs(places[..., 0]).max() < EDGE_X[Stage.BATTLEFIELD.external]
    in_the_air = places[..., 1] > 0.01
    assert 0.4 < in_the_air.mean() < 0.6 and places[..., 1].max() > 50
    damage = np.array([start.percents for start in starts])
    assert damage.min() >= 0 and damage.max() <= 120 and len(np.unique(damage)) > 60
    assert starts[7] == perturb(MatchOptions(stage=Stage.BATTLEFIELD), np.random.default_rng(7))


def test_perturbed_games_begin_where_they_were_put() -> None:
    def first_frames(seed: int) -> np.ndarray:
        played = play_games(
            PressingAgent(0), PressingAgent(0), 2, seed, perturbed=True, time_limit=1, record=(0, 1)
        )
        return np.array([game.frames[0] for game in played.recordings.values()])

    frames = first_frames(3)
    leaders = frames["seats"]["leader"]
    assert frames["frame"].tolist() == [FIRST_CONTROLLABLE_FRAME - 1] * 2
    assert len(np.unique(leaders["x"])) == 4
    expected = perturb(MatchOptions(), np.random.default_rng([3, 1]))
    assert leaders["x"][1].tolist() == pytest.approx([place[0] for place in expected.positions], abs=1e-3)
    assert leaders["percent"][1].tolist() == list(expected.percents)
    assert first_frames(3).tobytes() == frames.tobytes() != first_frames(4).tobytes()


def test_command_tells_what_the_training_data_do_not_hold(
    recordings: Path, checkpoint: Path, tmp_path: Path, run: Run
) -> None:
    words = ["--seen", recordings, "--expert", "teacher:multishine", "--baseline", "scripted:idle"]
    games = ["--games", "2", "--seconds", "1", "--perturbed", "--json", tmp_path / "f.json"]
    code, _, err = run("eval", checkpoint, *words, *games)
    assert code == 2 and "no network" in err
    words[-1] = str(tmp_path / "other")
    toy_network(1).save(tmp_path / "other")
    code, out, err = run("eval", checkpoint, *words, *games)
    assert (code, err) == (0, "")
    assert "on the manifold" in out and "most visited off it" in out
    assert "3 of its files not used: 2 not_slp, 1 duplicate" in out
    manifold = json.loads((tmp_path / "f.json").read_text())["manifold"]
    assert manifold["seen_games"] == 2 and list(manifold["agreement"]) == [str(checkpoint), words[-1]]
    code, _, err = run("eval", checkpoint, *words[:-2], "--character", "FALCO")
    assert code == 2 and "'teacher:multishine' plays FOX, not FALCO" in err
