"""Advantage-weighted cloning: returns, the value, and which of two habits is copied."""

from pathlib import Path

import numpy as np
import pytest
import torch

import agents
from agents.awbc.advantages import Advantages, discounted, values
from agents.awbc.config import AWBCConfig
from agents.bc.lanes import Demonstrations
from agents.network_agent import NetworkAgent
from agents.testing import ToyTrajectory, toy_trajectories
from melee_env.errors import OptionError
from melee_env.observations import make_encoder


def habits() -> list[ToyTrajectory]:
    """A is pressed on half of the frames, whatever is seen; each press is worth 1, and what is seen is worth more."""
    games = toy_trajectories(games=4, observation_size=make_encoder("compact").size)
    for number, game in enumerate(games):
        rng = np.random.default_rng(number)
        game.acts[:, 0] = rng.integers(2, size=len(game.acts))
        game.rews = (game.acts[:, 0] + 5 * game.obs[:-1, 0]).astype(np.float32)
    return games


def test_returns_are_discounted_to_the_end_of_the_game() -> None:
    assert discounted(np.array([1.0, 0.0, 2.0]), 0.5).tolist() == [1.5, 1.0, 2.0]


def test_the_value_is_what_the_observation_explains() -> None:
    data = Demonstrations(toy_trajectories(observation_size=5))
    returns = 3.0 * data.observations[:, 0].double() + 1.0
    training = torch.arange(800)
    torch.testing.assert_close(values(data, returns, training), returns, rtol=0.02, atol=0.02)


def test_the_better_habit_is_copied(tmp_path: Path) -> None:
    run = {
        "network": "mlp",
        "hidden_size": 16,
        "epochs": 20,
        "batch_size": 8,
        "window": 16,
        "learning_rate": 1e-2,
    }

    def share(algorithm: str, **settings: float) -> float:
        out = tmp_path / algorithm
        agent = agents.train(algorithm, demonstrations=habits(), out=out, **run, **settings)
        assert isinstance(agent, NetworkAgent)
        observations = torch.from_numpy(habits()[0].obs)
        with torch.no_grad():
            return agent.policy.step(observations)[0].button_probabilities()[:, 0].mean().item()

    # Two advantages of the same frequency lie one standard deviation above and below 0: e²/(1 + e²) of the weight.
    assert share("bc") == pytest.approx(0.5, abs=0.12)
    assert share("awbc", discount=0.0) == pytest.approx(0.88, abs=0.08)
    assert agents.load(tmp_path / "awbc").name == "awbc"


def test_weights_have_mean_one_and_a_limit() -> None:
    games = habits()
    data = Demonstrations(games)
    weights = Advantages(AWBCConfig(discount=0.0), games)(data, torch.arange(len(data)))
    assert weights.mean().item() == pytest.approx(1.0, abs=1e-3)
    limited = Advantages(AWBCConfig(discount=0.0, max_weight=1.5), games)(data, torch.arange(len(data)))
    assert limited.max().item() == 1.5


def test_missing_rewards_are_named() -> None:
    with pytest.raises(OptionError, match="trajectory 0 has 0 for 200"):
        Advantages(AWBCConfig(), toy_trajectories())
