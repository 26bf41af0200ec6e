"""The trainings of a comparison, side by side in processes, each kept when it is done."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from itertools import groupby
from pathlib import Path
from typing import Any

from experiments.benchmarks.algorithms.measures import MEASURES
from experiments.benchmarks.algorithms.plan import Environment, Task
from experiments.evaluation.players import make_player, one_thread
from experiments.files import write_json
from melee_env.errors import MeleeEnvError

RESULT = "result.json"
CHECKPOINT = "checkpoint"
EVALUATION_SEED = 1_000_000
"""added to a run's seed: nobody is measured on the games that it was trained on"""
DEMONSTRATION_SEED = 2_000_000


def run_tasks(
    tasks: Sequence[Task],
    out: Path,
    jobs: int = 1,
    report: Callable[[Mapping[str, Any]], None] = lambda result: None,
    executor: Executor | None = None,
) -> list[dict[str, Any]]:
    """Do what is not done yet and return the results of all tasks, in their order.

    Args:
        tasks: from :func:`~experiments.benchmarks.algorithms.plan.make_tasks`.
        out: folder of the comparison; a run that is in it with the same settings is not repeated.
        jobs: processes, one thread each.
        report: called after every run.
        executor: where runs are submitted instead, such as a cluster's; it must see the folder.
    """
    pool = executor or ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    found: dict[Path, dict[str, Any]] = {}
    try:
        # A row that continues another one waits for it.
        for _, wave in groupby(tasks, key=lambda task: bool(task.continues) and task.row):
            waiting = {}
            for task in wave:
                done = read_result(task, out)
                if done is None:
                    waiting[pool.submit(run_task, task, out)] = task
                else:
                    found[task.folder] = done
            for future in as_completed(waiting):
                found[waiting[future].folder] = future.result()
                report(future.result())
    finally:
        if executor is None:
            pool.shutdown(cancel_futures=True)
    return [found[task.folder] for task in tasks]


def read_result(task: Task, out: Path) -> dict[str, Any] | None:
    """Return the result of a run that was done with these settings, None if there is none."""
    try:
        result: dict[str, Any] = json.loads((out / task.folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if result.get("digest") == task.digest() and "error" not in result else None


def run_task(task: Task, out: Path) -> dict[str, Any]:
    """Train, measure, and write ``result.json``; a failure becomes ``error`` in it."""
    folder = out / task.folder
    shutil.rmtree(folder, ignore_errors=True)  # what an interrupted run left
    folder.mkdir(parents=True)
    result: dict[str, Any] = {
        "row": task.row,
        "algorithm": task.algorithm,
        "environment": task.environment.name,
        "seed": task.seed,
        "digest": task.digest(),
    }
    try:
        with one_thread():
            result |= _train_and_measure(task, out)
    except MeleeEnvError as error:
        result["error"] = str(error)
    except Exception as error:  # whatever a stranger's trainer raises
        result["error"] = f"{type(error).__name__}: {error}"
    write_json(folder / RESULT, result)
    return result


def _train_and_measure(task: Task, out: Path) -> dict[str, Any]:
    import agents
    from agents.recording import record_demonstrations

    place = task.environment
    trained: dict[str, Any] = {"history": [], "cpu_seconds": 0.0, "wall_seconds": 0.0}
    if task.trained:
        demonstrations = None
        if task.demonstrations:
            demonstrations = record_demonstrations(
                make_player(place.expert),
                place.env,
                task.demonstrations,
                seed=task.seed + DEMONSTRATION_SEED,
                observation=task.settings.get("observation", place.observation),
                action=task.settings.get("action", place.action),
                **place.env_options,
            )
        settings = dict(task.settings)
        if task.continues:
            settings["init"] = str(out / task.continues / place.name / f"seed-{task.seed}" / CHECKPOINT)
        cpu, wall = time.process_time(), time.perf_counter()
        agent = agents.train(
            task.algorithm, out=out / task.folder / CHECKPOINT, demonstrations=demonstrations, **settings
        )
        trained = {
            "history": getattr(agent, "meta", {}).get("history", []),
            "cpu_seconds": time.process_time() - cpu,
            "wall_seconds": time.perf_counter() - wall,
        }
    else:
        agent = agents.make(task.algorithm)
    figures = MEASURES[place.measure](agent, place, task.seed + EVALUATION_SEED)
    return {**trained, "figures": figures}


def measure_ends(place: Environment, out: Path) -> dict[str, float]:
    """Return what the environment's expert and floor reach, which are the scores 1 and 0; measured once."""
    file = out / "environments" / f"{place.name}.json"
    try:
        known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    if known.get("environment") != repr(place):
        measure = MEASURES[place.measure]
        known = {"environment": repr(place)}
        for end in ("expert", "floor"):
            known[end] = measure(make_player(getattr(place, end)), place, EVALUATION_SEED)["value"]
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, known)
    return {"expert": known["expert"], "floor": known["floor"]}
