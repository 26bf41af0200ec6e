"""The comparison of algorithms: what a plan runs, that nothing is done twice, and how runs become figures."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.benchmarks.algorithms.curves import curves_of, draw
from experiments.benchmarks.algorithms.plan import make_tasks, read_plan
from experiments.benchmarks.algorithms.runs import measure_ends, run_tasks
from experiments.benchmarks.algorithms.summary import interquartile_mean, markdown, summarise
from melee_env.errors import OptionError

SMALL = {"num_envs": 4, "rollout_steps": 8, "batch_size": 16, "total_steps": 64, "hidden_size": 8}
PLAN: dict[str, Any] = {
    "environments": {
        "recovery": {
            "env": "melee_env/Recovery-v0",
            "measure": "return",
            "expert": "scripted:fighter-9",
            "games": 4,
            "env_options": {"frame_skip": 3},
        }
    },
    "algorithms": {
        "continued": {"algorithm": "ppo", "continues": "bc", **SMALL},
        "bc": {
            "demonstrations": 3,
            "network": "mlp",
            "num_layers": 1,
            "epochs": 9,
            "recovery": {"epochs": 1, "hidden_size": 8},
        },
        "scripted:fighter-9": {},
    },
}


def run(plan: dict[str, Any], out: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Run a plan in threads; return the results and what was really run."""
    ran: list[str] = []
    with ThreadPoolExecutor(1) as executor:
        results = run_tasks(
            make_tasks(plan, [0]),
            out,
            report=lambda result: ran.append(f"{result['row']} {result['seed']}"),
            executor=executor,
        )
    return results, ran


def test_a_row_starts_from_the_checkpoint_that_it_continues() -> None:
    tasks = make_tasks(PLAN, [0, 1])
    assert [(task.row, task.seed) for task in tasks][-2:] == [("continued", 0), ("continued", 1)]
    bc = next(task for task in tasks if task.row == "bc")
    assert (bc.settings["epochs"], bc.settings["frame_skip"], bc.demonstrations) == (1, 3, 3)
    assert [task.row for task in make_tasks(PLAN, [0], rows=["continued"])] == ["bc", "continued"]


def test_an_environment_may_want_more_demonstrations() -> None:
    plan = {**PLAN, "algorithms": {"bc": {"demonstrations": 3, "recovery": {"demonstrations": 7}}}}
    (task,) = make_tasks(plan, [0])
    assert task.demonstrations == 7
    assert "demonstrations" not in task.settings


def test_what_is_done_is_kept_and_what_changed_or_failed_is_done_again(tmp_path: Path) -> None:
    results, ran = run(PLAN, tmp_path)
    assert len(ran) == len(results) == 3 and not any("error" in result for result in results)
    again, ran = run(PLAN, tmp_path)
    assert ran == [] and again == results

    broken = {**PLAN["algorithms"], "continued": {**PLAN["algorithms"]["continued"], "action": "discrete"}}
    changed, ran = run({**PLAN, "algorithms": broken}, tmp_path)
    assert ran == ["continued 0"]
    failed = [result for result in changed if result["row"] == "continued"]
    assert all("was trained with" in result["error"] for result in failed)
    assert run({**PLAN, "algorithms": broken}, tmp_path)[1] == ran

    place = make_tasks(PLAN, [0])[0].environment
    ends = {"recovery": measure_ends(place, tmp_path)}
    summary = summarise(changed, ends)
    expert = next(row for row in summary["rows"] if row["algorithm"] == "scripted:fighter-9")
    assert expert["seeds"] == 1 and expert["cpu_seconds"] == 0
    row = next(row for row in summary["rows"] if row["algorithm"] == "continued")
    assert (row["seeds"], row["failed"]) == (0, 1)
    assert "| continued | recovery | 0 (1 failed) |" in markdown(summary)


def test_interquartile_mean_leaves_out_both_quarters() -> None:
    assert interquartile_mean([[0, 1, 2, 3], [4, 5, 6, 100]]).mean == 3.5
    found = interquartile_mean([np.random.default_rng(0).normal(size=200)])
    assert found.low is not None and found.high is not None
    assert -0.3 < found.low < found.mean < found.high < 0.3
    assert interquartile_mean([[1.0]]).low is None


def test_scores_are_between_floor_and_expert() -> None:
    runs = [
        {
            "row": "bc",
            "environment": "a",
            "seed": seed,
            "figures": {"value": value},
            "cpu_seconds": 1,
            "wall_seconds": 2,
        }
        for seed, value in enumerate((10.0, 20.0))
    ]
    summary = summarise(runs, {"a": {"floor": 10.0, "expert": 30.0}})
    assert summary["rows"][0]["iqm"]["mean"] == summary["overall"][0]["iqm"]["mean"] == 0.25


def test_a_curve_is_the_median_over_its_seeds() -> None:
    runs = [
        {
            "row": "ppo",
            "environment": "a",
            "history": [{"steps": s, "win_rate": rate * s / 100} for s in (0, 50, 100)],
        }
        for rate in (0.2, 0.4, 0.9)
    ]
    curve = curves_of(runs, "win_rate", "a")["ppo"]
    assert (curve["seeds"], curve["median"][-1], curve["low"][-1], curve["high"][-1]) == (3, 0.4, 0.2, 0.9)
    assert draw({"ppo": curve}, "steps").count("<polyline") == 1


def test_mistakes_are_named() -> None:
    with pytest.raises(OptionError, match="bc"):
        make_tasks(PLAN, [0], rows=["bd"])
    with pytest.raises(OptionError, match="expert"):
        make_tasks({**PLAN, "environments": {"a": {"env": "x", "measure": "return"}}}, [0])
    with pytest.raises(OptionError, match="continues itself"):
        make_tasks({**PLAN, "algorithms": {"ppo": {"continues": "ppo"}}}, [0])
    assert make_tasks(read_plan(None), [0])
