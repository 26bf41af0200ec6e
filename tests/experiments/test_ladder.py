"""The command that measures the ladder plays every pair of neighbours, and 9 against 1."""

import pytest

from experiments.benchmarks.ladder import measure_ladder


@pytest.mark.slow
def test_every_pair_is_played() -> None:
    result = measure_ladder(("FOX",), games=2, stocks=1)
    pairs = [(row["level"], row["against"]) for row in result["rows"]]
    assert pairs == [(9, 1), *((level + 1, level) for level in range(1, 9))]
    assert all(row["low"] <= row["mean"] <= row["high"] for row in result["rows"])
    steps = [row["mean"] for row in result["rows"][1:]]
    assert (result["worst_top"], result["worst_step"]) == (result["rows"][0]["mean"], min(steps))
