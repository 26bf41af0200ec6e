"""Offline metrics by hand-made predictions."""

import pytest
import torch

from agents.metrics import ImitationMetrics
from agents.networks.heads import ActionDistribution


def one_button(probabilities: list[float], pressed: list[int]) -> dict[str, dict[str, float]]:
    metrics = ImitationMetrics((2,))
    logits = torch.tensor(probabilities).logit()[:, None]
    metrics.add(ActionDistribution(logits, (2,)), torch.tensor(pressed)[:, None])
    summary = metrics.summary()
    return {"button": summary["buttons"]["head_0"], "head": summary["heads"]["head_0"]}


def test_f1_counts_hits_among_presses() -> None:
    found = one_button([0.9, 0.8, 0.7, 0.1, 0.2], [1, 0, 1, 1, 0])
    assert found["button"]["f1"] == pytest.approx(2 * 2 / (3 + 3))


def test_f1_of_a_button_that_nobody_presses_is_none() -> None:
    assert one_button([0.1, 0.2], [0, 0])["button"]["f1"] is None


def test_calibration_error_is_the_distance_of_confidence_and_accuracy() -> None:
    assert one_button([0.75] * 4, [1, 1, 1, 0])["head"]["calibration_error"] == pytest.approx(0, abs=1e-6)
    assert one_button([0.9] * 4, [0, 0, 0, 1])["head"]["calibration_error"] == pytest.approx(0.65, abs=1e-6)


def test_top_3_of_a_stick() -> None:
    metrics = ImitationMetrics((5,))
    logits = torch.tensor([[5.0, 4.0, 3.0, 2.0, 1.0]]).expand(4, 5)
    metrics.add(ActionDistribution(logits, (5,)), torch.tensor([[0], [2], [3], [1]]))
    head = metrics.summary()["heads"]["head_0"]
    assert head["top_3"] == head["top_3_baseline"] == pytest.approx(0.75)
    assert head["accuracy"] == head["majority_baseline"] == pytest.approx(0.25)
