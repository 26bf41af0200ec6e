"""The agent around a network: it decides as often as it did in training."""

from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import melee_env  # noqa: F401 (registers the ids)
from agents.network_agent import NetworkAgent
from agents.networks.heads import choices_per_head
from agents.networks.policy import NetworkConfig, Policy
from melee_env.actions import make_codec
from melee_env.errors import OptionError
from melee_env.frame import Frames, empty_frames
from melee_env.observations import make_encoder


def make(
    action: str, nvec: tuple[int, ...], frame_skip: int, observation: str = "compact", delay: int = 0
) -> NetworkAgent:
    encoder = make_encoder(observation)
    torch.manual_seed(0)
    network = NetworkConfig(
        network="gru", observation_size=encoder.size, nvec=nvec, hidden_size=16, previous_action=True
    )
    meta: dict[str, Any] = {
        "agent": "ppo",
        "observation": {"name": observation, "schema_hash": encoder.schema_hash},
        "action": {"name": action},
        "action_delay": delay,
        "play": {"deterministic": True, "frame_skip": frame_skip},
    }
    return NetworkAgent(Policy(network), meta)


def moving(length: int, num_envs: int) -> list[Frames]:
    frames = [empty_frames(num_envs) for _ in range(length)]
    rng = np.random.default_rng(0)
    for frame in frames:
        frame["seats"]["leader"]["x"] = rng.uniform(-80, 80, (num_envs, 2))
        frame["seats"]["leader"]["percent"] = rng.uniform(0, 300, (num_envs, 2))
    return frames


def test_a_decision_is_held_for_the_frames_of_training() -> None:
    agent = make("discrete", (54,), frame_skip=3)
    every_frame = make("discrete", (54,), frame_skip=1)
    frames = moving(9, 2)
    agent.reset(2)
    every_frame.reset(2)
    held = [agent.act(frame) for frame in frames]
    decided = [every_frame.act(frame) for frame in frames[::3]]
    assert len({actions.tobytes() for actions in decided}) > 1
    for t, controllers in enumerate(held):
        assert controllers.shape == (2,)
        assert controllers.tobytes() == decided[t // 3].tobytes()


def test_a_lane_that_starts_later_decides_at_its_own_start() -> None:
    frames = moving(8, 2)
    for frame in frames[2:]:
        frame[1] = frame[0]
    agent, alone = (
        make("multidiscrete", choices_per_head(make_codec("multidiscrete").space), 3) for _ in range(2)
    )
    agent.reset(2)
    alone.reset(1)
    for t, frame in enumerate(frames):
        both = agent.act(frame, np.array([t == 0, t in (0, 2)]))
        if t >= 2:
            assert both[1] == alone.act(frame[:1], np.array([t == 2]))[0]


def test_it_sees_its_pending_actions_and_acts_as_late_as_in_training() -> None:
    """On frames alone it plays what its network plays inside an environment with the delay."""
    observation, delay = "compact:previous=5,delay=on", 3
    nvec = choices_per_head(make_codec("multidiscrete").space)
    env: Any = gym.make(
        "melee_env/Versus-v0", observation=observation, action_delay=delay, opponent="scripted:walk"
    ).unwrapped
    inside, outside = (make("multidiscrete", nvec, 1, observation, delay) for _ in range(2))
    inside.reset(1)
    outside.reset(1)
    shown, _ = env.reset(seed=0)
    saved = None
    for t in range(40):
        acting = outside.act(env.games.frames)
        action = inside.act_on(shown[None])[0]
        shown, *_ = env.step(action)
        assert acting[0] == env.frame["seats"][0]["leader"]["controller"], t
        if t == 20:
            saved = outside.get_state(), env.games.frames.copy()
        elif t == 21:
            assert saved is not None
            outside.set_state(saved[0])
            assert outside.act(saved[1])[0] == acting[0]


def test_a_held_button_is_let_go_below_its_lower_threshold() -> None:
    nvec = choices_per_head(make_codec("multidiscrete").space)
    trained = make("multidiscrete", nvec, 1)
    agent = NetworkAgent(trained.policy, trained.meta, hysteresis=0.2)
    layer = agent.policy.heads.output_layers()[0]
    torch.nn.init.zeros_(layer.weight)
    observations = np.zeros((2, agent.encoder.size), np.float32)

    def pressed(probability: float, start: list[bool]) -> list[int]:
        with torch.no_grad():
            layer.bias[0] = torch.tensor(probability).logit()
        return agent.act_on(observations, np.array(start))[:, 0].tolist()

    agent.reset(2)
    go = [False, False]
    shown = [pressed(p, go) for p in (0.45, 0.55, 0.45, 0.39, 0.45, 0.55)]
    assert shown == [[0, 0], [1, 1], [1, 1], [0, 0], [0, 0], [1, 1]]
    assert pressed(0.45, [True, False]) == [0, 1]  # a new game starts with hands off
    with pytest.raises(OptionError, match="hysteresis"):
        NetworkAgent(trained.policy, trained.meta, hysteresis=1.5)


def test_an_agent_of_clusters_plays_with_both_kinds_of_heads() -> None:
    codec = make_codec("clusters")
    nvec = choices_per_head(codec.space)
    shape = NetworkConfig(observation_size=make_encoder("compact").size, nvec=nvec, hidden_size=8)
    for heads in ("independent", "autoregressive"):
        agent = make("clusters", nvec, 1)
        agent = NetworkAgent(Policy(replace(shape, heads=heads)), agent.meta, deterministic=False)
        agent.reset(3, seed=1)
        first = agent.act(moving(1, 3)[0])
        agent.reset(3, seed=1)
        assert first.tobytes() == agent.act(moving(1, 3)[0]).tobytes()
        assert np.abs(first["stick_x"]).max() > 0
