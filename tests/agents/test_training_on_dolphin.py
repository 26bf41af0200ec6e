"""Trainers run on the emulator with nothing but the option changed."""

from pathlib import Path
from typing import Any

import pytest

import agents
from melee_env.engine.engine import warm_up

pytest.importorskip("melee")
DOLPHIN = {
    "backend": "dolphin",
    "dolphin": "virtual",
    "budgets": {"start": 300, "menus": 300, "frame": 60},
}


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("ppo", {"num_envs": 2, "rollout_steps": 32, "batch_size": 32, "total_steps": 64, "epochs": 1}),
        ("dagger", {"num_envs": 1, "rounds": 1, "updates_per_round": 1, "hidden_size": 16}),
    ],
)
def test_only_the_option_changes(algorithm: str, settings: dict[str, Any], tmp_path: Path) -> None:
    warm_up()
    agent = agents.train(algorithm, out=tmp_path / "out", env_options=DOLPHIN, **settings)
    (only,) = agent.meta["history"]
    assert only["steps" if algorithm == "ppo" else "frames"] == (64 if algorithm == "ppo" else 1800)
    assert agents.load(tmp_path / "out").name == algorithm
