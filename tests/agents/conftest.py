"""What the tests of the trainers share: a small clone of toy games."""

from pathlib import Path
from typing import Any

import pytest
import torch

import agents
from agents.testing import ToyTrajectory, toy_trajectories
from melee_env.observations import make_encoder

TINY = {"hidden_size": 16, "batch_size": 4, "window": 16, "epochs": 2, "warmup_steps": 2, "dropout": 0.0}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def demonstrations() -> list[ToyTrajectory]:
    return toy_trajectories(observation_size=make_encoder("compact").space.shape[-1])


@pytest.fixture
def tiny() -> dict[str, Any]:
    return dict(TINY)


@pytest.fixture(scope="session")
def clone(demonstrations: list[ToyTrajectory], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a trained GRU."""
    out = tmp_path_factory.mktemp("clone") / "bc"
    agents.train("bc", demonstrations=demonstrations, out=out, **TINY)
    return out


@pytest.fixture(scope="session")
def feed_forward_clone(demonstrations: list[ToyTrajectory], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a trained MLP."""
    out = tmp_path_factory.mktemp("clone") / "mlp"
    agents.train("bc", demonstrations=demonstrations, out=out, network="mlp", **TINY)
    return out
