"""The table of `melee-env bench env`."""

import pytest

from experiments.benchmarks import environments
from experiments.benchmarks.environments import bench_environments
from melee_env.errors import OptionError


def test_rows_shares_and_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "measure_memory", lambda path, num_envs: 1.0)
    found = bench_environments(
        num_envs=2,
        steps=2,
        repeats=1,
        paths=["vector"],
        observations=["full", "hal"],
        actions=["multidiscrete", "box"],
    )
    rows = found["rows"]
    assert [(row["observation"], row["action"]) for row in rows] == [
        ("full", "multidiscrete"),
        ("full", "box"),
        ("hal", "multidiscrete"),
        ("hal", "box"),
    ]
    assert found["vector_steps_per_s_per_core"] == rows[0]["steps_per_s"] > 0
    assert found["vector_outside_share"] == rows[0]["layer_share"]
    for row in rows:
        assert row["engine_share"] + row["opponent_share"] + row["layer_share"] == pytest.approx(1)
        assert min(row["engine_share"], row["opponent_share"], row["layer_share"]) > 0
    assert [row["memory_mb"] is not None for row in rows] == [True, False, False, False]


def test_an_unknown_path_is_named() -> None:
    with pytest.raises(OptionError, match="'vectr'.*vector"):
        bench_environments(paths=["vectr"])
