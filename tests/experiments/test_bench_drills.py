"""The marks of scripted players in the drills."""

import pytest

from experiments.benchmarks.drills import bench_drills
from melee_env.errors import OptionError


def test_the_teacher_passes_where_random_play_does_not() -> None:
    rows = bench_drills(drills=["Ledgedash"], episodes=6)["rows"]
    marks = {row["player"]: row for row in rows}
    assert list(marks) == ["scripted:random", "scripted:fighter-9", "teacher:ledgedash"]
    assert marks["teacher:ledgedash"]["success"] == 1.0
    assert marks["scripted:random"]["high"] < 1.0
    assert all(row["low"] <= row["success"] <= row["high"] for row in rows)


def test_an_unknown_drill_is_named() -> None:
    with pytest.raises(OptionError, match="'Jugle'.*Juggle"):
        bench_drills(drills=["Jugle"])
