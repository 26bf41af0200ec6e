"""Equal parameters for every backbone; one table over all seeds."""

import numpy as np
import pytest

from experiments.benchmarks.networks import BACKBONES, _check_settings, _majority, fit_width, markdown
from experiments.benchmarks.policies import count_parameters
from melee_env.errors import OptionError

NVEC = (2,) * 8 + (17,) * 4 + (5,)


@pytest.mark.parametrize("name", BACKBONES)
def test_width_meets_the_parameters(name: str) -> None:
    from agents.networks.policy import Policy

    policy = Policy(fit_width(name, 300_000, 351, NVEC))
    assert count_parameters(policy) == pytest.approx(300_000, rel=0.1)


def test_table_has_the_interval_over_seeds_and_the_majority() -> None:
    shared = {"backbone": "gru", "hidden_size": 8, "num_layers": 1, "params": 1000}
    figures = {"button_f1": 0.25, "stick_accuracy": 0.5, "accuracy": 0.75}
    rows = [
        {**shared, **figures, "loss": 1.0, "collapsed": ["A"]},
        {**shared, **figures, "loss": 3.0, "collapsed": []},
    ]
    majority = {**figures, "loss": 4.0, "collapsed": ["A", "B"]}
    _, _, gru, last = markdown({"rows": rows, "majority": majority}).splitlines()
    # Student's t with one degree of freedom: 12.706 standard errors of 1.
    assert (
        gru
        == "| gru | 8 × 1 | 1,000 | 2 | 2.000 ± 12.706 | 0.250 ± 0.000 | 0.500 ± 0.000 | 0.750 ± 0.000 | A |"
    )
    assert last == "| majority | | | | 4.000 | 0.250 | 0.500 | 0.750 | A, B |"


def test_majority_is_that_of_the_measured_frames() -> None:
    import torch

    from agents.bc.lanes import Demonstrations
    from agents.testing import ToyTrajectory

    def always(pressed: int, of: int) -> Demonstrations:
        actions = torch.zeros(of, len(NVEC), dtype=torch.int64)
        actions[:pressed, 0] = 1
        actions[:, 8:10] = 3
        return Demonstrations([ToyTrajectory(np.zeros((of + 1, 1), np.float32), actions.numpy(), [{}] * of)])

    found = _majority(always(90, 100), always(20, 100), NVEC)
    assert found["collapsed"] == ["A"]
    assert found["stick_accuracy"] == 1.0
    assert found["accuracy"] == pytest.approx((0.8 + 12) / 13)
    # The loss is that of the training frames' press rate, 0.9, where the button is pressed on a fifth.
    assert found["loss"] == pytest.approx(-0.2 * np.log(0.9) - 0.8 * np.log(0.1), abs=0.6)


def test_rows_of_other_settings_are_refused() -> None:
    _check_settings({"epochs": 1}, {"epochs": 1})
    with pytest.raises(OptionError, match="epochs: 1 then, 2 now"):
        _check_settings({"epochs": 1}, {"epochs": 2})
