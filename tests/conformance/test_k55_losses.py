"""K55: losses at their closed-form optimum; smoothing never touches buttons; the positive weight's formula."""

import math

import pytest
import torch

from agents.losses import (
    ImitationLoss,
    button_loss,
    categorical_loss,
    frame_weights,
    main_stick_tilts,
    mean_over_frames,
    normalised,
    positive_weights,
    resting_action,
    stick_edge_weights,
)
from agents.networks.heads import ActionDistribution
from agents.settings import LossConfig
from melee_env.actions import make_codec
from melee_env.actions.clusters import ClusterCodec

CODEC = make_codec("multidiscrete")
NVEC = (2,) * 8 + (17,) * 4 + (5,)


def minimise(loss_of, size: int = 1) -> torch.Tensor:
    """The logits at which a convex loss is smallest."""
    z = torch.zeros(size, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [z], lr=0.5, max_iter=500, tolerance_grad=1e-10, tolerance_change=1e-14, line_search_fn="strong_wolfe"
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


@pytest.mark.parametrize(("rate", "weight", "gamma"), [(0.2, 1.0, 2.0), (0.05, 4.0, 3.0), (0.5, 1.0, 1.0)])
def test_k55_focal_button_optimum(rate: float, weight: float, gamma: float) -> None:
    """Where w·r·d/dp[−(1−p)^γ log p] + (1−r)·d/dp[−p^γ log(1−p)] is 0: nearer to one half than the rate."""
    z = minimise(
        lambda z: (
            rate * button_loss(z, torch.ones(1), weight, gamma)
            + (1 - rate) * button_loss(z, torch.zeros(1), 1.0, gamma)
        ).sum()
    )
    p = z.sigmoid().item()
    pressed = gamma * (1 - p) ** (gamma - 1) * math.log(p) - (1 - p) ** gamma / p
    released = p**gamma / (1 - p) - gamma * p ** (gamma - 1) * math.log(1 - p)
    assert weight * rate * pressed + (1 - rate) * released == pytest.approx(0.0, abs=1e-5)
    proper = weight * rate / (weight * rate + 1 - rate)
    assert abs(p - 0.5) < abs(proper - 0.5) or p == pytest.approx(proper, abs=1e-4) == pytest.approx(0.5)


@pytest.mark.parametrize("edge", [1.0, 2.0, 5.0])
def test_k55_edge_weighted_optimum(edge: float) -> None:
    """A bucket's share q becomes q·(1 + (e − 1)·tilt), normalised."""
    targets, tilts = torch.tensor([0, 4, 8, 8, 8, 16]), main_stick_tilts(CODEC)[8]
    weights = stick_edge_weights(targets, tilts, edge)
    z = minimise(lambda z: (categorical_loss(z.expand(6, 17), targets) * weights).mean(), 17)
    expected = torch.zeros(17).index_add(0, targets, weights) / weights.sum()
    torch.testing.assert_close(z.softmax(0), expected, rtol=0, atol=1e-4, check_dtype=False)


def test_k55_frame_weighted_optimum() -> None:
    """Rest on three frames of four, at a quarter of the weight, and a press on the fourth: 4/7 pressed."""
    pressed = torch.tensor([0.0, 0.0, 0.0, 1.0])
    actions = torch.zeros(4, 5, dtype=torch.int64)
    actions[3, 0] = 1
    weights = frame_weights(actions, torch.tensor([0, 0, 0, 0, -1]), 0.25)
    z = minimise(lambda z: mean_over_frames(button_loss(z.expand(4), pressed)[:, None], weights).sum())
    assert z.sigmoid().item() == pytest.approx(4 / 7, abs=1e-4)


@pytest.mark.parametrize("beta", [0.0, 0.01, 0.3])
def test_k55_entropy_bonus_optimum(beta: float) -> None:
    """The gradient p − q + β·p·(log p + H) is 0: flatter than the shares q, and the shares at β = 0."""
    shares = torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)

    def loss(z: torch.Tensor) -> torch.Tensor:
        log_p = z.log_softmax(0)
        entropy = ActionDistribution(z, (3,)).entropy()
        return -(shares * log_p).sum() - beta * entropy

    p = minimise(loss, 3).softmax(0)
    entropy = -(p * p.log()).sum()
    residual = p - shares + beta * p * (p.log() + entropy)
    torch.testing.assert_close(residual, torch.zeros_like(p), rtol=0, atol=1e-4)
    assert (p.max() < shares.max()) == (beta > 0.0) or beta == 0.0


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
            LossConfig(label_smoothing=smoothing, button_pos_weight="auto"), torch.zeros(13), CODEC
        )
        loss(ActionDistribution(z, NVEC), actions).backward()
        assert z.grad is not None
        return z.grad[0, :8]

    torch.testing.assert_close(buttons_gradient(0.1), buttons_gradient(0.0))


def test_k55_edge_weights_of_the_main_stick_only() -> None:
    assert sorted(main_stick_tilts(CODEC)) == [8, 9]
    weights = stick_edge_weights(torch.tensor([0, 4, 8, 12, 16]), main_stick_tilts(CODEC)[8], 2.0)
    assert weights.tolist() == [2.0, 1.5, 1.0, 1.5, 2.0]
    logits = torch.zeros(1, 81)
    tilted = torch.tensor([[0] * 8 + [16, 0, 16, 0, 0]])

    def total(edge: float) -> float:
        loss = ImitationLoss(LossConfig(stick_edge_weight=edge), torch.full((13,), 0.1), CODEC)
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
        ImitationLoss(LossConfig(entropy_weight=beta), torch.full((13,), 0.1), CODEC)(distribution, actions)
        for beta in (0.0, 0.01)
    )
    torch.testing.assert_close(plain - with_bonus, 0.01 * distribution.entropy().mean())


def test_k55_total_is_the_negative_log_likelihood_by_default() -> None:
    logits = torch.randn(4, 6, 81)
    actions = torch.stack([torch.randint(0, n, (4, 6)) for n in NVEC], -1)
    distribution = ActionDistribution(logits, NVEC)
    loss = ImitationLoss(LossConfig(), torch.full((13,), 0.1), CODEC)(distribution, actions)
    torch.testing.assert_close(loss, -distribution.log_prob(actions).mean())


def test_k55_hands_rest_when_buttons_and_main_stick_do() -> None:
    assert resting_action(CODEC).tolist() == [0] * 8 + [8, 8, -1, -1, -1]
    clusters = make_codec("clusters")
    assert resting_action(clusters).tolist() == [*clusters.neutral()[:9], -1, -1]


def test_k55_clusters_weigh_as_far_as_they_tilt() -> None:
    clusters = make_codec("clusters")
    assert isinstance(clusters, ClusterCodec)
    [(head, tilts)] = main_stick_tilts(clusters).items()
    assert head == 8
    torch.testing.assert_close(
        tilts, torch.from_numpy(abs(clusters.centres).max(1)), rtol=0, atol=0.01, check_dtype=False
    )
    count = len(tilts)
    logits = torch.zeros(1, 8 + 2 * count + 5)
    distribution = ActionDistribution(logits, (2,) * 8 + (count, count, 5))

    def total(main: int, c: int, edge: float) -> float:
        actions = torch.tensor([[0] * 8 + [main, c, 0]])
        loss = ImitationLoss(LossConfig(stick_edge_weight=edge), torch.full((11,), 0.1), clusters)
        return loss(distribution, actions).item()

    rest, full = int(tilts.argmin()), int(tilts.argmax())
    assert total(full, full, 2.0) - total(full, full, 1.0) == pytest.approx(math.log(count), abs=1e-3)
    assert total(rest, full, 2.0) == total(rest, full, 1.0)
