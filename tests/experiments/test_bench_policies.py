"""The benchmarks of networks: what they time, not how long it takes."""

import pytest

from experiments.benchmarks.policies import bench_policies, bench_training


def test_latency_rows_name_size_and_batch() -> None:
    rows = bench_policies(steps=10, backbones=["gru", "mamba"])["rows"]
    assert [(row["backbone"], row["num_layers"], row["batch"]) for row in rows] == [
        ("gru", 1, 1),
        ("gru", 1, 32),
        ("mamba", 2, 1),
        ("mamba", 2, 32),
    ]
    assert all(0 < row["median_ms"] <= row["p99_ms"] for row in rows)


def test_training_is_measured_beside_the_lstm() -> None:
    result = bench_training(repeats=1, hidden_size=16, num_layers=1, batch=2, window=4, backbones=["mlp"])
    assert [row["backbone"] for row in result["rows"]] == ["lstm", "mlp"]
    assert result["rows"][0]["times_lstm"] == pytest.approx(1.0)
