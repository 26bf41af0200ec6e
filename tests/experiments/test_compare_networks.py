"""Equal parameters for every backbone."""

import pytest

from experiments.benchmarks.networks import BACKBONES, fit_width
from experiments.benchmarks.policies import count_parameters

NVEC = (2,) * 8 + (17,) * 4 + (5,)


@pytest.mark.parametrize("name", BACKBONES)
def test_width_meets_the_parameters(name: str) -> None:
    from agents.networks.policy import Policy

    policy = Policy(fit_width(name, 300_000, 351, NVEC))
    assert count_parameters(policy) == pytest.approx(300_000, rel=0.1)
