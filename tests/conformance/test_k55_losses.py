"""K55: losses at their closed-form optimum; smoothing never touches buttons; the positive weight's formula."""

import math

import pytest
import torch

from agents.losses import (
    ImitationLoss,
    button_loss,
    categorical_loss,
    frame_weights,
    mean_over_frames,
    normalised,
    positive_weights,
    resting_action,
    stick_edge_weights,
)
from agents.networks.heads import ActionDistribution
from agents.settings import LossConfig

NVEC = (2,) * 8 + (17,) * 4 + (5,)


def minimise(loss_of, size: int = 1) -> torch.Tensor:
    """The logits at which a convex loss is smallest."""
    z = torch.zeros(size, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [z], lr=0.5, max_iter=500, tolerance_grad=1e-10, line_search_fn="strong_wolfe"
    )

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss = loss_of(z)
        loss.backward()
        return loss

    optimiser.step(closure)
    return z.detach()


@pytest.mark.parametrize(("rate", "weight"), [(0.2, 1.0), (0.05, 4.0), (0.01, 9.95)])
def test_k55_weighted_button_optimum(rate: float, weight: float) -> None:
    pressed, released = torch.tensor([1.0]), torch.tensor([0.0])
    z = minimise(
        lambda z: (
            rate * button_loss(z, pressed, weight) + (1 - rate) * button_loss(z, released, weight)
        ).sum()
    )
    assert z.sigmoid().item() == pytest.approx(weight * rate / (weight * rate + 1 - rate), abs=1e-4)


def test_k55_button_loss_is_the_original_formula() -> None:
    z, w = torch.linspace(-8, 8, 33), 12.0
    for y in (0.0, 1.0):
        base = z.clamp_min(0) + torch.log1p((-z.abs()).exp())
        original = base * (1 + (w - 1) * y) - w * y * z
        torch.testing.assert_close(button_loss(z, torch.full_like(z, y), w), original)


@pytest.mark.parametrize("smoothing", [0.05, 0.1])
def test_k55_smoothed_categorical_optimum_and_floor(smoothing: float) -> None:
    target = torch.tensor([3])
    z = minimise(lambda z: categorical_loss(z[None], target, smoothing).sum(), 17)
    p = z.softmax(0)
    assert p[3].item() == pytest.approx(1 - smoothing, abs=1e-4)
    assert p[4].item() == pytest.approx(smoothing / 16, abs=1e-4)
    floor = -(1 - smoothing) * math.log(1 - smoothing) - smoothing * math.log(smoothing / 16)
    assert categorical_loss(z[None], target, smoothing).item() == pytest.approx(floor, abs=1e-5)


def test_k55_focal_factor() -> None:
    z = torch.tensor([0.7])
    p = z.sigmoid()
    torch.testing.assert_close(button_loss(z, torch.ones(1), 1.0, 3.0), -((1 - p) ** 3) * p.log())
    torch.testing.assert_close(button_loss(z, torch.zeros(1), 1.0, 3.0), -(p**3) * (1 - p).log())
    logits = torch.randn(5, 17)
    target = torch.arange(5)
    p_target = logits.softmax(-1)[torch.arange(5), target]
    torch.testing.assert_close(
        categorical_loss(logits, target, 0.0, 2.0), -((1 - p_target) ** 2) * p_target.log()
    )


def test_k55_positive_weight_formula() -> None:
    rates = torch.tensor([0.5, 0.1, 0.01, 0.0, 0.9])
    torch.testing.assert_close(positive_weights(rates), torch.tensor([1.0, 3.0, 99**0.5, 30.0, 1.0]))


def test_k55_smoothing_never_touches_buttons() -> None:
    """A button that is never pressed must not be pressed: with smoothing its optimum would be 0.77."""
    actions = torch.zeros(1, 13, dtype=torch.int64)
    logits = torch.randn(1, 8 + 68 + 5)

    def buttons_gradient(smoothing: float) -> torch.Tensor:
        z = logits.clone().requires_grad_()
        loss = ImitationLoss(
            LossConfig(label_smoothing=smoothing, button_pos_weight="auto"), torch.zeros(13), actions[0]
        )
        loss(ActionDistribution(z, NVEC), actions).backward()
        assert z.grad is not None
        return z.grad[0, :8]

    torch.testing.assert_close(buttons_gradient(0.1), buttons_gradient(0.0))


def test_k55_edge_weights_of_the_main_stick_only() -> None:
    weights = stick_edge_weights(torch.tensor([0, 4, 8, 12, 16]), 17, 2.0)
    assert weights.tolist() == [2.0, 1.5, 1.0, 1.5, 2.0]
    logits = torch.zeros(1, 81)
    tilted = torch.tensor([[0] * 8 + [16, 0, 16, 0, 0]])

    def total(edge: float) -> float:
        loss = ImitationLoss(LossConfig(stick_edge_weight=edge), torch.full((13,), 0.1), tilted[0])
        return loss(ActionDistribution(logits, NVEC), tilted).item()

    assert total(2.0) - total(1.0) == pytest.approx(2 * math.log(17), abs=1e-5)


def test_k55_frame_weights() -> None:
    neutral = torch.tensor([0, 0, 8, 8, -1])
    actions = torch.tensor([[0, 0, 8, 8, 3], [0, 1, 8, 8, 3], [0, 0, 8, 9, 3]])
    torch.testing.assert_close(frame_weights(actions, neutral, 0.25), torch.tensor([0.25, 1.0, 1.0]))
    before = actions.roll(1, 0)
    before[2] = actions[2]
    torch.testing.assert_close(
        frame_weights(actions, neutral, 0.25, before, 3.0), torch.tensor([3.0, 3.0, 1.0])
    )
    mean = mean_over_frames(torch.tensor([[4.0], [2.0]]), torch.tensor([0.25, 1.0]))
    assert mean.item() == pytest.approx(3.0 / 1.25)


def test_k55_normalised_heads_weigh_the_same() -> None:
    loss = torch.tensor([4.0, 0.5, 0.05], requires_grad=True)
    normalised(loss).sum().backward()
    assert loss.grad is not None
    torch.testing.assert_close(loss.grad, torch.tensor([0.25, 2.0, 10.0]))


def test_k55_entropy_bonus_is_subtracted() -> None:
    distribution = ActionDistribution(torch.randn(6, 81), NVEC)
    actions = torch.zeros(6, 13, dtype=torch.int64)
    plain, with_bonus = (
        ImitationLoss(LossConfig(entropy_weight=beta), torch.full((13,), 0.1), actions[0])(
            distribution, actions
        )
        for beta in (0.0, 0.01)
    )
    torch.testing.assert_close(plain - with_bonus, 0.01 * distribution.entropy().mean())


def test_k55_total_is_the_negative_log_likelihood_by_default() -> None:
    logits = torch.randn(4, 6, 81)
    actions = torch.stack([torch.randint(0, n, (4, 6)) for n in NVEC], -1)
    distribution = ActionDistribution(logits, NVEC)
    loss = ImitationLoss(LossConfig(), torch.full((13,), 0.1), actions[0, 0])(distribution, actions)
    torch.testing.assert_close(loss, -distribution.log_prob(actions).mean())


def test_k55_hands_rest_when_buttons_and_main_stick_do() -> None:
    neutral = torch.tensor([0] * 8 + [8, 8, 8, 8, 0])
    assert resting_action(neutral, NVEC).tolist() == [0] * 8 + [8, 8, -1, -1, -1]
