"""Behavioural cloning on games that can be learned."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents import checkpoint
from agents.base import Agent
from agents.bc.config import BCConfig
from agents.bc.train import _Run
from agents.network_agent import NetworkAgent
from agents.testing import ToyTrajectory, check_agent
from melee_env.errors import OptionError
from melee_env.frame import empty_frames


def accuracy(agent: NetworkAgent, head: str) -> float:
    return agent.meta["history"][-1]["heads"][head]["accuracy"]


def test_gru_learns_what_needs_memory(demonstrations: list[ToyTrajectory], tmp_path: Path) -> None:
    """A repeats a sign four frames late: the majority is right half the time, a memory always."""
    agent = agents.train(
        "bc",
        demonstrations=demonstrations,
        out=tmp_path / "bc",
        hidden_size=64,
        batch_size=8,
        window=32,
        epochs=25,
        learning_rate=1e-2,
        dropout=0.0,
        patience=25,
        warmup_steps=5,
    )
    assert isinstance(agent, NetworkAgent)
    assert accuracy(agent, "A") > 0.9
    assert accuracy(agent, "B") > 0.95


def test_trained_agent_keeps_the_protocol(clone: Path) -> None:
    agent = agents.load(clone)
    assert isinstance(agent, Agent)
    check_agent(agent, empty_frames(6, 3))
    check_agent(agents.load(clone, deterministic=True), empty_frames(6, 3))


def test_same_seed_same_weights(
    demonstrations: list[ToyTrajectory], tiny: dict[str, Any], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        agents.train("bc", demonstrations=demonstrations, out=tmp_path / name, **tiny)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]


def test_previous_action_network_plays(
    demonstrations: list[ToyTrajectory], tiny: dict[str, Any], tmp_path: Path
) -> None:
    agent = agents.train(
        "bc", demonstrations=demonstrations, out=tmp_path / "bc", previous_action=True, **tiny
    )
    check_agent(agent, empty_frames(6, 3))


def test_step_in_play_equals_the_window_in_training(clone: Path, demonstrations: list[ToyTrajectory]) -> None:
    agent = agents.load(clone, deterministic=True)
    assert isinstance(agent, NetworkAgent)
    import torch

    obs = demonstrations[0].obs[:30]
    with torch.no_grad():
        window = agent.policy(torch.from_numpy(obs)[None])[0].mode()[0].numpy()
    agent.reset(1)
    played = np.concatenate([agent.act_on(obs[t : t + 1]) for t in range(30)])
    assert (played == window).all()


def test_episode_start_forgets(clone: Path, demonstrations: list[ToyTrajectory]) -> None:
    agent = agents.load(clone, deterministic=True)
    assert isinstance(agent, NetworkAgent)
    obs = demonstrations[0].obs
    agent.reset(1)
    for t in range(10):
        agent.act_on(obs[t : t + 1])
    agent.act_on(obs[20:21], np.array([True]))
    warm = agent.state
    agent.reset(1)
    agent.act_on(obs[20:21])
    assert all(bool((a == b).all()) for a, b in zip(warm, agent.state, strict=True))


def test_progress_is_reported(
    demonstrations: list[ToyTrajectory], tiny: dict[str, Any], tmp_path: Path
) -> None:
    events: list[Any] = []
    agents.train("bc", demonstrations=demonstrations, out=tmp_path / "bc", progress=events.append, **tiny)
    assert [e["epoch"] for e in events if e["event"] == "epoch"] == [0, 1, 2]
    updates = [e for e in events if e["event"] == "update"]
    assert updates[-1]["update"] == updates[-1]["updates"] == len(updates)


def test_every_loss_setting_changes_the_result(
    demonstrations: list[ToyTrajectory], tiny: dict[str, Any], tmp_path: Path
) -> None:
    settings: list[dict[str, Any]] = [
        {},
        {"button_weight": 2.0},
        {"button_pos_weight": "auto"},
        {"focal_gamma": 2.0},
        {"label_smoothing": 0.1},
        {"stick_edge_weight": 2.0},
        {"neutral_weight": 0.25},
        {"transition_weight": 3.0},
        {"entropy_weight": 0.01},
        {"head_normalize": True},
        {"dropout": 0.3},
        {"learning_rate": 1e-4},
        {"weight_decay": 0.5},
        {"schedule": "constant"},
        {"schedule": "cosine_restarts", "restart_period": 5},
        {"accumulation_steps": 3},
        {"action_oversample": 3.0},
        {"precision": "bf16"},
        {"heads": "autoregressive"},
        {"clip_norm": 0.1},
        {"seed": 1},
    ]
    tilted = [ToyTrajectory(t.obs, t.acts.copy(), t.infos) for t in demonstrations]
    for trajectory in tilted:
        trajectory.acts[:, 8] = 8 + 8 * trajectory.acts[:, 1]
    seen = set()
    for k, setting in enumerate(settings):
        out = tmp_path / str(k)
        agents.train("bc", demonstrations=tilted, out=out, **{**tiny, "epochs": 1, "patience": 9, **setting})
        seen.add((out / "training.safetensors").read_bytes()[-20_000:])
    assert len(seen) == len(settings)


def test_the_running_mean_is_what_is_kept(
    demonstrations: list[ToyTrajectory], tiny: dict[str, Any], tmp_path: Path
) -> None:
    agent = agents.train("bc", demonstrations=demonstrations, out=tmp_path, ema=True, ema_decay=0.9, **tiny)
    assert isinstance(agent, NetworkAgent)
    assert agent.meta["best_epoch"] == 2
    state, _ = checkpoint.load_tensors(tmp_path / "training.safetensors")
    kept, _ = checkpoint.load_tensors(tmp_path / "model.safetensors")
    name = "backbone.embed.0.weight"
    assert torch.equal(kept[name], state[f"average.module.{name}"])
    distance = (kept[name] - state[f"policy.{name}"]).norm() / kept[name].norm()
    assert 0.001 < distance < 0.5


def test_patience_counts_only_losses_that_are_better_by_min_delta() -> None:
    losses = [1.0, 0.9, 0.89, 0.88, 0.87]
    run = _Run([{"validation_loss": loss, "seconds": 0.0} for loss in losses])
    assert run.best_epoch == 4
    assert not run.is_over(BCConfig(patience=3))
    assert run.is_over(BCConfig(patience=3, min_delta=0.05))
    assert not run.is_over(BCConfig(patience=4, min_delta=0.05))


def test_curves_are_written_for_tensorboard(
    demonstrations: list[ToyTrajectory], tiny: dict[str, Any], tmp_path: Path
) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    agents.train("bc", demonstrations=demonstrations, out=tmp_path, tensorboard=True, **tiny)
    curves = EventAccumulator(str(tmp_path / "tensorboard"))
    curves.Reload()
    history = checkpoint.read_meta(tmp_path)["history"]
    for name in ("validation_loss", "majority_baseline"):
        assert [(e.step, e.value) for e in curves.Scalars(name)] == [
            (entry["epoch"], pytest.approx(entry[name])) for entry in history
        ]
    assert [e.step for e in curves.Scalars("heads.A.accuracy")] == [0, 1, 2]
    assert len(curves.Scalars("update.learning_rate")) == len(curves.Scalars("update.loss")) > 10


def test_collapse_is_marked() -> None:
    import torch

    from agents.metrics import ImitationMetrics
    from agents.networks.heads import ActionDistribution

    metrics = ImitationMetrics((2, 2, 3))
    actions = torch.zeros(100, 3, dtype=torch.int64)
    actions[:5, 0] = actions[:5, 1] = 1
    logits = torch.full((100, 5), -9.0)
    logits[:4, 1] = 9.0
    metrics.add(ActionDistribution(logits, (2, 2, 3)), actions)
    summary = metrics.summary()
    assert summary["collapsed"] == ["head_0"]
    assert summary["buttons"]["head_1"]["predicted"] == pytest.approx(0.04)
    assert summary["exact_majority_baseline"] == pytest.approx(0.95)


def test_calibrated_thresholds_press_as_often_as_the_player() -> None:
    import torch

    from agents.metrics import ImitationMetrics
    from agents.networks.heads import ActionDistribution

    torch.manual_seed(0)
    logits = torch.randn(1000, 1) - 4
    actions = torch.zeros(1000, 1, dtype=torch.int64)
    actions[:30] = 1
    metrics, distribution = ImitationMetrics((2,)), ActionDistribution(logits, (2,))
    metrics.add(distribution, actions)
    assert distribution.mode(torch.tensor(metrics.thresholds())).sum().item() == 30


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hiden_size": 3}, "hidden_size"),
        ({"network": "grue"}, "gru, h3, jamba"),
        ({"schedule": "step"}, "constant, cosine"),
    ],
)
def test_wrong_settings_name_the_right_ones(
    demonstrations: list[ToyTrajectory], tmp_path: Path, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(OptionError, match=words):
        agents.train("bc", demonstrations=demonstrations, out=tmp_path / "bc", **settings)


def test_demonstrations_of_another_encoder_are_refused(
    demonstrations: list[ToyTrajectory], tmp_path: Path
) -> None:
    narrow = [ToyTrajectory(t.obs[:, :3], t.acts, t.infos) for t in demonstrations]
    with pytest.raises(OptionError, match="observation="):
        agents.train("bc", demonstrations=narrow, out=tmp_path / "bc")


def test_an_earlier_result_is_not_overwritten(clone: Path, demonstrations: list[ToyTrajectory]) -> None:
    with pytest.raises(OptionError, match="already holds"):
        agents.train("bc", demonstrations=demonstrations, out=clone)


def test_agent_refuses_another_number_of_games(clone: Path) -> None:
    agent = agents.load(clone)
    agent.reset(2)
    with pytest.raises(OptionError, match="reset for 2"):
        agent.act(empty_frames(3))
