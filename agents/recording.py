"""What an agent does in an environment, as demonstrations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from agents.base import Agent
from melee_env.errors import OptionError

if TYPE_CHECKING:
    from imitation.data.types import TrajectoryWithRew


def record_demonstrations(
    agent: Agent,
    env: str,
    episodes: int,
    *,
    seed: int = 0,
    observation: str = "compact",
    action: str = "multidiscrete",
    **options: Any,
) -> list[TrajectoryWithRew]:
    """Let ``agent`` play one episode in each of ``episodes`` games at once.

    It sees the frames on which the environment asks for an action, and what it answers is rounded to the nearest
    action: the trajectories hold what was really done.

    Args:
        agent: who plays.
        env: environment id.
        episodes: how many; their seeds are ``seed``, ``seed + 1``, …
        seed: fixes the games and the agent.
        observation: observation encoder by name.
        action: action codec by name.
        options: of the environment (``opponent``, ``frame_skip``, …).

    Raises:
        OptionError: the environment has an action delay, so that an action is not the answer to its frame.
    """
    import gymnasium as gym
    from gymnasium.vector import AutoresetMode
    from imitation.data.types import TrajectoryWithRew

    import melee_env  # noqa: F401 (registers the ids)

    if options.get("action_delay"):
        raise OptionError("demonstrations are recorded without an action delay; shift them afterwards")
    envs: Any = gym.make_vec(
        env,
        num_envs=episodes,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.SAME_STEP,
        observation=observation,
        action=action,
        **options,
    )
    games = envs.unwrapped.games
    try:
        seen = [envs.reset(seed=seed)[0]]
        agent.reset(episodes, seed)
        done: list[Any] = []
        rewards: list[Any] = []
        start = np.ones(episodes, bool)
        lengths = np.zeros(episodes, np.int64)
        ends: dict[int, tuple[Any, bool]] = {}
        while len(ends) < episodes:
            actions = np.asarray(games.codec.encode(agent.act(games.frames.copy(), start)))
            observations, reward, terminated, truncated, infos = envs.step(actions)
            start = terminated | truncated
            for lane in np.flatnonzero(start & (lengths == 0)).tolist():
                lengths[lane] = len(done) + 1
                ends[lane] = infos["final_obs"][lane], bool(terminated[lane])
            seen.append(observations)
            done.append(actions)
            rewards.append(reward)
    finally:
        envs.close()
    return [
        TrajectoryWithRew(
            obs=np.stack([*(frame[lane] for frame in seen[:length]), ends[lane][0]]),
            acts=np.stack([step[lane] for step in done[:length]]),
            infos=np.array([{"game": f"{env} {seed + lane}"}] * length),
            terminal=ends[lane][1],
            rews=np.array([step[lane] for step in rewards[:length]], np.float32),
        )
        for lane, length in enumerate(lengths.tolist())
    ]
