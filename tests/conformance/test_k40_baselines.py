"""K40: every accuracy that is written or shown has its majority-class figure beside it."""

import json
from pathlib import Path
from typing import Any

import pytest


def without_baseline(value: Any, path: str = "") -> list[str]:
    """Paths of accuracies in a JSON value whose object holds no matching majority-class figure."""
    found: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            if "accuracy" in key and isinstance(item, (int, float)):
                beside = key.replace("accuracy", "majority_baseline")
                if not isinstance(value.get(beside), (int, float)):
                    found.append(f"{path}.{key}")
            found += without_baseline(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += without_baseline(item, f"{path}[{index}]")
    return found


def test_k40_rule_finds_a_bare_accuracy() -> None:
    broken = {"history": [{"accuracy": 0.9, "majority_baseline": 0.8, "heads": {"A": {"accuracy": 0.9}}}]}
    assert without_baseline(broken) == [".history[0].heads.A.accuracy"]


def test_k40_metrics_have_their_baselines() -> None:
    torch = pytest.importorskip("torch")
    from agents.metrics import ImitationMetrics
    from agents.networks.heads import ActionDistribution

    nvec = (2, 2, 5)
    metrics = ImitationMetrics(nvec)
    metrics.add(ActionDistribution(torch.zeros(9, 2 + 5), nvec), torch.zeros(9, 3, dtype=torch.int64))
    summary = metrics.summary()
    assert any("accuracy" in key for key in summary)
    assert without_baseline(summary) == []


def test_k40_report_shows_both(tmp_path: Path) -> None:
    from experiments.report import write_report

    epoch = {
        "epoch": 0,
        "train_loss": None,
        "validation_loss": 1.0,
        "accuracy": 0.8125,
        "majority_baseline": 0.7125,
        "exact_accuracy": 0.5125,
        "exact_majority_baseline": 0.3125,
        "frames": 10,
        "heads": {"A": {"accuracy": 0.9125, "majority_baseline": 0.8875}},
        "buttons": {},
    }
    page = write_report(tmp_path / "r.html", title="r", meta={"history": [epoch]}).read_text(encoding="utf-8")
    for figure in ("0.812", "0.713", "0.512", "0.312", "91.2 %", "88.8 %"):
        assert figure in page, figure


@pytest.mark.slow
def test_k40_quickstart_json_and_checkpoint_have_their_baselines(tmp_path: Path) -> None:
    from experiments.quickstart import QuickstartConfig, run_quickstart

    config = QuickstartConfig(
        out=tmp_path, games=2, seconds=10, epochs=1, max_frames=3000, opponents=("scripted:idle",)
    )
    from experiments.cli.console import progress

    result = run_quickstart(config, say=lambda text: None, progress=progress)
    meta = json.loads((tmp_path / "checkpoint" / "meta.json").read_text())
    assert without_baseline(result) + without_baseline(meta) == []
    assert "majority_baseline" in json.dumps(meta)
