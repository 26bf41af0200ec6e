"""What scripted players reach in every drill: the marks that a learner starts from and aims at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

import agents
import melee_env  # noqa: F401 (registers the ids)
from experiments.evaluation.intervals import mean_interval, wilson_interval
from melee_env.envs.drills.curriculum import CURRICULUM
from melee_env.errors import OptionError

BASELINES = ("scripted:random", "scripted:fighter-9")
"""players that try every drill, besides its teacher"""


def bench_drills(
    *,
    drills: Sequence[str] = (),
    episodes: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Let scripted players do every lesson of the curriculum, deciding on every frame.

    Args:
        drills: names such as ``Recovery``; empty for all.
        episodes: per player and lesson, one per lane.
        seed: of the first lane; lane i has ``seed + i``.
        progress: called with (rows done, rows).

    Returns:
        ``rows`` with the share of successes (Wilson's 95 % interval) and the mean return (bootstrapped 95 % interval).

    Raises:
        OptionError: no such drill.
    """
    lessons = [(lesson.env_id.partition("/")[2].removesuffix("-v0"), lesson) for lesson in CURRICULUM]
    known = sorted({name for name, _ in lessons})
    for name in drills:
        if name not in known:
            raise OptionError(f"unknown drill {name!r}; known: {', '.join(known)}")
    teachers = set(agents.names())
    planned = [
        (name, lesson, player)
        for name, lesson in lessons
        if not drills or name in drills
        for player in (*BASELINES, f"teacher:{name.lower()}")
        if player in BASELINES or player in teachers
    ]
    rows: list[dict[str, Any]] = []
    for name, lesson, player in planned:
        successes, returns = _play(lesson.env_id, dict(lesson.options), player, episodes, seed)
        share, mean = wilson_interval(float(successes.sum()), episodes), mean_interval(returns, seed)
        rows.append(
            {
                "drill": name,
                "options": " ".join(str(value) for value in lesson.options.values()),
                "player": player,
                "episodes": episodes,
                "success": share.mean,
                "low": round(share.low or 0.0, 4),
                "high": round(share.high or 0.0, 4),
                "return": mean.mean,
                "return_low": mean.low,
                "return_high": mean.high,
            }
        )
        if progress is not None:
            progress(len(rows), len(planned))
    return {"rows": rows, "seed": seed}


def _play(env_id: str, options: dict[str, Any], player: str, episodes: int, seed: int) -> Any:
    """Return success and return of one episode per lane, ``[episodes]`` each."""
    envs: Any = gym.make_vec(
        env_id,
        episodes,
        vectorization_mode="vector_entry_point",
        autoreset_mode="Disabled",
        frame_skip=1,
        **options,
    )
    envs.reset(seed=seed)
    agent = agents.make(player)
    agent.reset(episodes, seed)
    running, successes = np.ones(episodes, np.bool_), np.zeros(episodes, np.bool_)
    returns = np.zeros(episodes)
    start = np.ones(episodes, np.bool_)
    while running.any():
        controllers = agent.act(envs.games.frames, start)
        start = np.zeros(episodes, np.bool_)
        _, rewards, over, cut, info = envs.games.play(controllers, running)
        returns += np.where(running, rewards, 0)
        successes |= running & info["success"]
        running &= ~(over | cut)
    envs.close()
    return successes, returns
