"""DART: the expert plays through noise, its labels are clean, and the noise follows the learner's error."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents.dagger.labels import read_round
from melee_env.errors import OptionError

TINY: dict[str, Any] = {
    "env": "melee_env/Recovery-v0",  # its games are short
    "rounds": 2,
    "num_envs": 2,
    "updates_per_round": 3,
    "hidden_size": 8,
    "batch_size": 4,
    "window": 16,
}


def test_noise_follows_the_learners_error(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    many = {**TINY, "num_envs": 32}
    agent = agents.train("dart", out=tmp_path / "dart", first_noise=0.1, max_noise=0.3, **many)
    history = agent.meta["history"]  # type: ignore[attr-defined]
    games = read_round(tmp_path / "dart" / "labels" / "round-000.npz")
    labels = np.concatenate([game.acts for game in games])
    executed = np.concatenate([game.executed for game in games])
    choices = np.array([2] * 8 + [17] * 4 + [5])
    # A disturbed head takes any choice, the expert's own included.
    assert (labels != executed).mean(0) == pytest.approx(0.1 * (1 - 1 / choices), abs=0.025)
    assert set(labels[:, 0]) == {0}, "the labels are the expert's, who never presses A"
    assert history[0]["mean_noise"] == pytest.approx(0.1)
    assert history[1]["mean_noise"] == pytest.approx(np.mean(history[0]["next_noise"]))
    assert max(history[0]["next_noise"]) <= 0.3
    assert agents.load(tmp_path / "dart").name == "dart"


def test_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    def interrupt(event: Any) -> None:
        raise KeyboardInterrupt

    agents.train("dart", out=tmp_path / "whole", **TINY)
    with pytest.raises(KeyboardInterrupt):
        agents.train("dart", out=tmp_path / "parts", progress=interrupt, **TINY)
    agents.train("dart", out=tmp_path / "parts", resume=True, **TINY)
    whole, parts = (tmp_path / name / "model.safetensors" for name in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()


def test_impossible_noise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="noise"):
        agents.train("dart", out=tmp_path / "x", first_noise=0.5, max_noise=0.1)
