"""Checks for plug-ins: run them in the tests of a package that brings an agent or a backbone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from melee_env.frame import Frames

if TYPE_CHECKING:
    from agents.networks.backbone import Backbone


@dataclass
class ToyTrajectory:
    """A trajectory in ``imitation``'s format, without the library."""

    obs: NDArray[np.float32]
    """``[T + 1, F]``"""
    acts: NDArray[np.int64]
    """``[T, heads]``"""
    infos: NDArray[Any]
    """``[T]`` dictionaries; the first names the game"""
    terminal: bool = True
    rews: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


def toy_trajectories(
    games: int = 6, length: int = 200, observation_size: int = 4, num_heads: int = 13, seed: int = 0
) -> list[ToyTrajectory]:
    """Make games that can be learned: B repeats the sign of feature 0, A its sign four frames earlier.

    Feature 0 is noise that holds for five frames, feature 1 noise, any other 0; the sticks are neutral (bucket 8),
    all else is released.
    """
    rng = np.random.default_rng(seed)
    trajectories = []
    for game in range(games):
        obs = np.zeros((length + 1, observation_size))
        obs[:, 0] = np.repeat(rng.normal(size=length // 5 + 1), 5)[: length + 1]
        obs[:, 1] = rng.normal(size=length + 1)
        acts = np.zeros((length, num_heads), np.int64)
        pressed = (obs[:-1, 0] > 0).astype(np.int64)
        acts[:, 1] = pressed
        acts[4:, 0] = pressed[:-4]
        acts[:, 8:12] = 8
        infos = np.array([{"game": f"toy {game}"}] * length)
        trajectories.append(ToyTrajectory(obs.astype(np.float32), acts, infos))
    return trajectories


def check_backbone(backbone: Backbone, input_size: int, tolerance: float = 1e-5) -> None:
    """Assert that a backbone is what :class:`~agents.networks.backbone.Backbone` promises.

    A window equals its frames one by one, also with games that start inside it; two windows equal one; lanes do
    not see each other; nothing survives the start of a game, neither values nor gradients.
    """
    import torch

    backbone.eval()
    generator = torch.Generator().manual_seed(0)
    lanes, length = 3, 9
    x = torch.randn(lanes, length, input_size, generator=generator)
    start = torch.zeros(lanes, length, dtype=torch.bool)
    start[0, 4] = start[1, 0] = start[1, 7] = True

    with torch.no_grad():
        whole, end = backbone(x, None, start)
        assert whole.shape == (lanes, length, backbone.output_size)

        state, frames = backbone.initial_state(lanes), []
        for t in range(length):
            y, state = backbone.step(x[:, t], state, start[:, t])
            frames.append(y)
        torch.testing.assert_close(torch.stack(frames, 1), whole, rtol=0, atol=tolerance)
        for mine, other in zip(state, end, strict=True):
            torch.testing.assert_close(mine, other, rtol=0, atol=tolerance)

        left, state = backbone(x[:, :5], None, start[:, :5])
        right, _ = backbone(x[:, 5:], state, start[:, 5:])
        torch.testing.assert_close(torch.cat([left, right], 1), whole, rtol=0, atol=tolerance)

        other_lane = x.clone()
        other_lane[2] += 100.0
        torch.testing.assert_close(
            backbone(other_lane, None, start)[0][:2], whole[:2], rtol=0, atol=tolerance
        )

        before = x.clone()
        before[0, :4] += 100.0
        torch.testing.assert_close(
            backbone(before, None, start)[0][0, 4:], whole[0, 4:], rtol=0, atol=tolerance
        )

    x = x.clone().requires_grad_()
    backbone(x, None, start)[0][0, 4:].square().sum().backward()
    assert x.grad is not None
    assert bool((x.grad[0, :4] == 0).all()), "a gradient flows back over the start of a game"
    assert bool((x.grad[1:] == 0).all()), "a gradient flows into another lane"


def check_agent(agent: Agent, frames: Frames) -> None:
    """Assert that an agent keeps the protocol.

    Args:
        agent: any agent.
        frames: ``[T, num_envs]``, at least four consecutive frames.
    """
    from melee_env.controller import CONTROLLER_DTYPE

    assert isinstance(agent, Agent)
    assert len(frames) >= 4
    num_envs = frames.shape[1]
    agent.reset(num_envs, seed=1)
    first = [agent.act(frame).copy() for frame in frames]
    assert all(c.shape == (num_envs,) and c.dtype == CONTROLLER_DTYPE for c in first)

    agent.reset(num_envs, seed=1)
    again = [agent.act(frame).copy() for frame in frames[:2]]
    assert _equal(again, first[:2]), "reset with the same seed plays differently"

    state = agent.get_state()
    rest = [agent.act(frame).copy() for frame in frames[2:]]
    agent.set_state(state)
    replayed = [agent.act(frame).copy() for frame in frames[2:]]
    assert _equal(rest, first[2:]) and _equal(replayed, first[2:]), (
        "set_state does not continue from get_state"
    )


def _equal(ours: list[Any], theirs: list[Any]) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))
