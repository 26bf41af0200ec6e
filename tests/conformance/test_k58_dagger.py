"""K58: DAgger. A resumed run is the uninterrupted one; β follows its schedule; labels are for the visited states."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents import checkpoint
from agents.dagger.config import DAggerConfig
from agents.dagger.labels import read_round
from agents.dagger.rollouts import ExpertPolicy, RecurrentCollector
from agents.dagger.train import beta_schedule
from agents.network_agent import NetworkAgent
from agents.networks.heads import choices_per_head
from agents.networks.policy import NetworkConfig, Policy
from melee_env.envs.sb3 import NativeVecEnv, make_vec
from melee_env.errors import CheckpointError, OptionError
from melee_env.frame import empty_frames

TINY: dict[str, Any] = {
    "env": "melee_env/Recovery-v0",  # its games are short
    "rounds": 3,
    "num_envs": 2,
    "updates_per_round": 3,
    "hidden_size": 8,
    "batch_size": 4,
    "window": 16,
}
LANES = 3


@pytest.fixture
def games() -> NativeVecEnv:
    return make_vec("melee_env/Multishine-v0", num_envs=LANES, seed=0)


def learner(venv: NativeVecEnv) -> NetworkAgent:
    torch.manual_seed(0)
    encoder = venv.env.games.encoder
    nvec = choices_per_head(venv.action_space)
    policy = Policy(
        NetworkConfig(observation_size=encoder.size, nvec=nvec, hidden_size=8, previous_action=True)
    )
    meta = {
        "agent": "dagger",
        "observation": {"name": "compact", "schema_hash": encoder.schema_hash},
        "action": {"name": "multidiscrete"},
    }
    return NetworkAgent(policy, meta)


def collect(
    venv: NativeVecEnv, beta: float, steps: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, what was played, and the expert's own answer to the frames, ``[T, N, heads]`` each."""
    collector = RecurrentCollector(venv, learner(venv), beta, np.random.default_rng(seed))
    expert = ExpertPolicy(agents.make("teacher:multishine"), venv)
    observations: Any = collector.reset()
    state = None
    labels, played, answers = [], [], []
    for _ in range(steps):
        frames = venv.env.games.frames.copy()
        assert (venv.env.games.encoder.encode(frames) == observations).all()
        action, state = expert.predict(observations, state, np.zeros(LANES, bool))
        answer = agents.make("teacher:multishine").act(frames)
        answers.append(venv.env.games.codec.encode(answer))
        observations, *_ = collector.step(action)
        labels.append(collector.labels)
        played.append(collector.executed)
    return np.array(labels), np.array(played), np.array(answers)


def test_k58_labels_are_the_experts_for_the_visited_frames(games: NativeVecEnv) -> None:
    labels, played, answers = collect(games, beta=0.0, steps=120)
    assert (labels == answers).all()
    assert (labels != played).any(-1).mean() > 0.5  # the untrained learner does something else
    assert len(np.unique(played, axis=1)) > 1


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_k58_beta_is_the_share_of_the_experts_frames(games: NativeVecEnv, beta: float) -> None:
    labels, played, _ = collect(games, beta, steps=400)
    share = (labels == played).all(-1).mean()
    assert share == pytest.approx(beta, abs=0.06 if 0 < beta < 1 else 0.01)


def test_k58_the_learner_knows_what_was_played(games: NativeVecEnv) -> None:
    agent = learner(games)
    collector = RecurrentCollector(games, agent, 1.0, np.random.default_rng(0))
    collector.reset()
    action = np.tile(games.env.games.codec.neutral(), (LANES, 1)).astype(np.int64)
    action[:, 2] = 1
    collector.step(action)
    assert (agent.previous.numpy() == action).all()


def test_k58_beta_schedules() -> None:
    linear = beta_schedule(DAggerConfig(beta="linear", beta_rounds=4))
    assert [linear(k) for k in range(6)] == pytest.approx([1, 0.75, 0.5, 0.25, 0, 0])
    exponential = beta_schedule(DAggerConfig(beta="exponential", beta_decay=0.5))
    assert [exponential(k) for k in range(4)] == pytest.approx([1, 0.5, 0.25, 0.125])
    for wrong in ({"beta": "cubic"}, {"beta_rounds": 0}, {"beta": "exponential", "beta_decay": 0.0}):
        with pytest.raises(OptionError):
            beta_schedule(DAggerConfig(**wrong))  # type: ignore[arg-type]


def interrupt(event: Mapping[str, Any]) -> None:
    if event["round"] == 1:
        raise KeyboardInterrupt


def test_k58_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    agent = agents.train("dagger", out=whole, seed=4, **TINY)
    with pytest.raises(KeyboardInterrupt):
        agents.train("dagger", out=parts, seed=4, progress=interrupt, **TINY)
    agents.load(parts).act(empty_frames(1))
    torch.rand(10)
    agents.train("dagger", out=parts, seed=4, resume=True, **TINY)
    assert (whole / "model.safetensors").read_bytes() == (parts / "model.safetensors").read_bytes()
    states = [checkpoint.load_tensors(folder / "training.safetensors")[0] for folder in (whole, parts)]
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])

    history = agent.meta["history"]  # type: ignore[attr-defined]
    assert [entry["beta"] for entry in history] == [1.0, 0.0, 0.0]
    assert history[0]["agreement"] == 1.0 > history[1]["agreement"]
    assert all(0 < entry["majority_baseline"] <= 1 for entry in history)  # K40

    with pytest.raises(OptionError, match="updates_per_round: 3 then, 4 now"):
        agents.train("dagger", out=parts, seed=4, resume=True, **{**TINY, "updates_per_round": 4})
    file = parts / "labels" / "round-001.npz"
    games = read_round(file)
    assert len(games) >= 2 and all(
        len(game.obs) == len(game.acts) + 1 == len(game.rews) + 1 for game in games
    )
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match="round-001"):
        agents.train("dagger", out=parts, seed=4, resume=True, **TINY)


def test_what_it_cannot_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="demonstrations"):
        agents.train("dagger", out=tmp_path / "a", demonstrations=[1])
    with pytest.raises(OptionError, match="action_delay"):
        agents.train("dagger", out=tmp_path / "a", env_options={"action_delay": 2})
    with pytest.raises(OptionError, match="teacher"):
        agents.train("dagger", out=tmp_path / "a", expert="teacher:nobody")
