"""Action heads: probabilities by enumeration, samples against probabilities."""

import itertools

import pytest
import torch

from agents.networks.heads import HEAD_NAMES, ActionDistribution, IndependentHeads, head_names

NVEC = (2,) * 8 + (17,) * 4 + (5,)
SMALL = (2, 2, 3, 3, 4)


@pytest.fixture
def small() -> ActionDistribution:
    torch.manual_seed(0)
    return ActionDistribution(torch.randn(2 + 6 + 4), SMALL)


@pytest.fixture
def every_action() -> torch.Tensor:
    return torch.tensor(list(itertools.product(*(range(n) for n in SMALL))))


def repeated(distribution: ActionDistribution, n: int) -> ActionDistribution:
    flat = torch.cat([z.flatten() for z in distribution.logits])
    return ActionDistribution(flat.expand(n, -1), SMALL)


def test_probabilities_sum_to_one(small: ActionDistribution, every_action: torch.Tensor) -> None:
    log_p = repeated(small, len(every_action)).log_prob(every_action)
    assert log_p.exp().sum().item() == pytest.approx(1.0, abs=1e-5)


def test_entropy_is_the_sum_over_all_actions(small: ActionDistribution, every_action: torch.Tensor) -> None:
    log_p = repeated(small, len(every_action)).log_prob(every_action)
    assert small.entropy().item() == pytest.approx(-(log_p.exp() * log_p).sum().item(), abs=1e-4)


def test_kl_is_the_sum_over_all_actions(small: ActionDistribution, every_action: torch.Tensor) -> None:
    other = ActionDistribution(torch.randn(12), SMALL)
    p = repeated(small, len(every_action)).log_prob(every_action)
    q = repeated(other, len(every_action)).log_prob(every_action)
    assert small.kl(other).item() == pytest.approx((p.exp() * (p - q)).sum().item(), abs=1e-4)


def test_mode_is_the_most_likely_action(small: ActionDistribution, every_action: torch.Tensor) -> None:
    log_p = repeated(small, len(every_action)).log_prob(every_action)
    assert small.mode().tolist() == every_action[log_p.argmax()].tolist()


def test_samples_follow_the_probabilities(small: ActionDistribution) -> None:
    many = repeated(small, 40_000).sample(generator=torch.Generator().manual_seed(0))
    for k, p in enumerate(small.button_probabilities().tolist()):
        assert many[:, k].float().mean().item() == pytest.approx(p, abs=0.01)
    shares = torch.bincount(many[:, 4], minlength=4) / len(many)
    torch.testing.assert_close(shares, small.logits[2][0].softmax(-1), rtol=0, atol=0.01)


def test_low_temperature_approaches_the_mode(small: ActionDistribution) -> None:
    drawn = repeated(small, 100).sample(temperature=1e-3, generator=torch.Generator().manual_seed(0))
    assert (drawn == small.mode()).all()


def test_thresholds_move_the_buttons_only() -> None:
    distribution = ActionDistribution(torch.tensor([0.5, -0.5] + [0.0] * 10), SMALL)
    assert distribution.mode()[:2].tolist() == [1, 0]
    assert distribution.mode(torch.tensor([0.9, 0.2]))[:2].tolist() == [0, 1]


def test_extreme_logits_stay_finite() -> None:
    distribution = ActionDistribution(torch.tensor([1e9, -1e9] + [1e9, 0, 0] * 2 + [0.0] * 4), SMALL)
    assert torch.isfinite(distribution.log_prob(torch.zeros(5, dtype=torch.int64)))
    assert torch.isfinite(distribution.entropy())


def test_untrained_heads_know_the_marginals() -> None:
    actions = torch.zeros(1000, 13, dtype=torch.int64)
    actions[:100, 1] = 1
    actions[:, 8:12] = 8
    heads = IndependentHeads(6, NVEC)
    heads.start_from_marginals(actions)
    distribution = heads(torch.zeros(6))
    assert distribution.button_probabilities()[1].item() == pytest.approx(0.1, abs=0.01)
    assert distribution.mode().tolist() == [0] * 8 + [8] * 4 + [0]


def test_names() -> None:
    assert head_names(NVEC) == list(HEAD_NAMES)
    assert head_names((3, 2)) == ["head_0", "head_1"]
