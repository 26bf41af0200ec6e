"""Steps per second of ``Versus-v0`` along every path, by observation and action, and where the time goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any

import gymnasium as gym
import numpy as np

import melee_env  # noqa: F401 (registers the ids)
from experiments.benchmarks.memory import resident_mb
from experiments.benchmarks.timing import measure_rate
from melee_env.actions import codec_names
from melee_env.envs.games import Games
from melee_env.errors import OptionError
from melee_env.observations import encoder_names

ENV_ID = "melee_env/Versus-v0"
OBSERVATION, ACTION = "full", "multidiscrete"
"""what the figures at the top are measured with"""
SMALL = 4
"""environments of the paths that step them one by one"""
WORKERS = 2
"""processes of the paths that have some"""
PREPARED = 8
"""batches of random actions that are drawn beforehand"""


@dataclass
class Shares:
    """Seconds spent in the engine and in the opponents since the last :meth:`clear`."""

    engine: float = 0.0
    opponents: float = 0.0
    watched: int = 0

    def watch(self, games: Games) -> None:
        """Time the calls of one batch of games."""
        self.watched += 1
        for name in ("step", "step_games"):
            self._time(games.backend, name, "engine")
        self._time(games.opponents, "act", "opponents")

    def _time(self, owner: Any, name: str, part: str) -> None:
        call = getattr(owner, name)

        def timed(*args: Any) -> Any:
            began = time.perf_counter()
            result = call(*args)
            setattr(self, part, getattr(self, part) + time.perf_counter() - began)
            return result

        setattr(owner, name, timed)

    def clear(self) -> None:
        """Start counting anew."""
        self.engine = self.opponents = 0.0


@dataclass
class Path:
    """One way to step environments: how to make them, step them, and what their processes are."""

    lanes: int
    step: Callable[[int], None]
    """play the prepared actions with this number, resetting what has ended"""
    close: Callable[[], None]
    games: list[Games] = field(default_factory=list)
    """the batches that run in this process"""
    processes: list[int] = field(default_factory=list)
    """ids of the worker processes"""


def bench_environments(
    *,
    num_envs: int = 512,
    steps: int = 200,
    repeats: int = 5,
    seed: int = 0,
    paths: Sequence[str] = (),
    observations: Sequence[str] = (),
    actions: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Step with random actions; episodes that end are reset inside the measured time.

    Args:
        num_envs: lanes of the native vector environments.
        steps: steps of every lane in a run.
        repeats: runs per figure.
        seed: of episodes and actions.
        paths: of :data:`PATHS`; empty for all.
        observations: presets; empty for all. Other paths than the native vector take every preset with the first
            action, and every action with the first preset.
        actions: codecs; empty for all.
        progress: called with (rows done, rows).

    Returns:
        ``single_steps_per_s``, ``vector_steps_per_s_per_core``, ``sb3_steps_per_s_per_core`` and
        ``vector_outside_share`` with the observation ``full`` (those that were measured), and ``rows``: the rate (one
        lane's step is one step; one thread, but for paths with processes), shares of the time in the engine, the
        opponents and the layer around both (None where other processes hold them), and, once per path, the resident
        memory of a fresh process with its workers, with ``full`` and ``multidiscrete``.

    Raises:
        OptionError: unknown path, observation or action.
    """
    chosen = [
        _known(what, names, known)
        for what, names, known in (
            ("path", paths, list(PATHS)),
            ("observation", observations, encoder_names()),
            ("action", actions, codec_names()),
        )
    ]
    rows: list[dict[str, Any]] = []
    planned = list(_combinations(*chosen))
    for path, observation, action in planned:
        first = path not in (row["path"] for row in rows)
        row = _measure(path, observation, action, num_envs, steps, repeats, seed)
        rows.append({**row, "memory_mb": measure_memory(path, num_envs) if first else None})
        if progress is not None:
            progress(len(rows), len(planned))
    return {**_figures(rows), "rows": rows, "env": ENV_ID, "repeats": repeats, "seed": seed}


def _known(what: str, names: Sequence[str], known: list[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise OptionError(f"unknown {what} {name!r}; known: {', '.join(known)}")
    # What the figures are measured with comes first.
    return list(names) or sorted(known, key=lambda name: name not in (OBSERVATION, ACTION))


def _combinations(paths: list[str], observations: list[str], actions: list[str]) -> Any:
    for path in paths:
        for observation in observations:
            for action in actions:
                if path == "vector" or observation == observations[0] or action == actions[0]:
                    yield path, observation, action


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for row in rows:
        if (row["observation"], row["action"]) != (OBSERVATION, ACTION):
            continue
        if row["path"] == "single":
            figures["single_steps_per_s"] = row["steps_per_s"]
        elif row["path"] in ("vector", "sb3"):
            figures[f"{row['path']}_steps_per_s_per_core"] = row["steps_per_s"]
        if row["path"] == "vector":
            figures["vector_outside_share"] = row["layer_share"]
    return figures


def _measure(
    path: str, observation: str, action: str, num_envs: int, steps: int, repeats: int, seed: int
) -> dict[str, Any]:
    made = PATHS[path](num_envs, seed, observation=observation, action=action)
    shares = Shares()
    for games in made.games:
        shares.watch(games)
    seconds = 0.0

    def run() -> int:
        nonlocal seconds
        began = time.perf_counter()
        for number in range(steps):
            made.step(number % PREPARED)
        seconds += time.perf_counter() - began
        return steps * made.lanes

    run()
    shares.clear()
    seconds = 0.0
    rate = measure_rate(run, repeats)
    made.close()
    engine, opponents = shares.engine / seconds, shares.opponents / seconds
    known = shares.watched > 0
    return {
        "path": path,
        "observation": observation,
        "action": action,
        "num_envs": made.lanes,
        "processes": len(made.processes) or 1,
        **rate.row("steps_per_s"),
        "engine_share": engine if known else None,
        "opponent_share": opponents if known else None,
        "layer_share": 1 - engine - opponents if known else None,
    }


def measure_memory(path: str, num_envs: int) -> float:
    """Return the resident memory (MB) of a fresh process, and its workers, that steps the environments of a path."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_occupied, path, num_envs).result()


def _occupied(path: str, num_envs: int) -> float:
    made = PATHS[path](num_envs, 0, observation=OBSERVATION, action=ACTION)
    for number in range(2 * PREPARED):
        made.step(number % PREPARED)
    memory = resident_mb() + sum(resident_mb(process) for process in made.processes)
    made.close()
    return memory


def _make_env(**kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make(ENV_ID, **kwargs)


def _single(num_envs: int, seed: int, **kwargs: Any) -> Path:
    env = _make_env(**kwargs)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    prepared = [env.action_space.sample() for _ in range(PREPARED)]

    def step(number: int) -> None:
        _, _, terminated, truncated, _ = env.step(prepared[number])
        if terminated or truncated:
            env.reset()

    return Path(1, step, env.close, [env.unwrapped.games])  # type: ignore[attr-defined]


def _gymnasium(kind: str, num_envs: int, seed: int, **kwargs: Any) -> Path:
    """Make Gymnasium's ``sync`` or ``async`` vector environment, or the native one."""
    lanes = {"sync": SMALL, "async": WORKERS}.get(kind, num_envs)
    mode = "vector_entry_point" if kind == "native" else kind
    envs = gym.make_vec(ENV_ID, lanes, vectorization_mode=mode, **kwargs)
    envs.reset(seed=seed)
    envs.action_space.seed(seed)
    prepared = [envs.action_space.sample() for _ in range(PREPARED)]
    inner: Any = envs.unwrapped
    games = {
        "native": lambda: [inner.games],
        "sync": lambda: [env.unwrapped.games for env in inner.envs],
        "async": lambda: [],
    }[kind]()
    processes = [process.pid for process in inner.processes] if kind == "async" else []
    return Path(lanes, lambda number: envs.step(prepared[number]) and None, envs.close, games, processes)


def _stable_baselines(kind: str, num_envs: int, seed: int, **kwargs: Any) -> Path:
    """Make the native ``VecEnv``, or Stable-Baselines3's own of single environments."""
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

    from melee_env.sb3 import make_vec

    make = partial(_make_env, **kwargs)
    envs: Any
    games: list[Games] = []
    processes: list[int] = []
    if kind == "native":
        envs = make_vec(ENV_ID, num_envs, seed=seed, **kwargs)
        games = [envs.env.games]
    elif kind == "dummy":
        envs = DummyVecEnv([make] * SMALL)
        games = [env.unwrapped.games for env in envs.envs]
    else:
        envs = SubprocVecEnv([make] * WORKERS, start_method="fork")
        processes = [process.pid for process in envs.processes]
    assert isinstance(envs, VecEnv)
    envs.seed(seed)
    envs.reset()
    envs.action_space.seed(seed)
    prepared = [np.stack([envs.action_space.sample() for _ in range(envs.num_envs)]) for _ in range(PREPARED)]
    return Path(
        envs.num_envs, lambda number: envs.step(prepared[number]) and None, envs.close, games, processes
    )


PATHS: dict[str, Callable[..., Path]] = {
    "single": _single,
    "sync": partial(_gymnasium, "sync"),
    "async": partial(_gymnasium, "async"),
    "vector": partial(_gymnasium, "native"),
    "sb3": partial(_stable_baselines, "native"),
    "sb3_dummy": partial(_stable_baselines, "dummy"),
    "sb3_subproc": partial(_stable_baselines, "subproc"),
}
"""the ways to step: ``vector`` and ``sb3`` are the native ones"""
