"""The optimiser's schedule, clipping and refusal of what is not finite."""

import pytest
import torch
from torch import nn

from agents.optimiser import Optimiser
from agents.settings import OptimiserConfig
from melee_env.errors import MeleeEnvError


def make(total_steps: int = 1000, **settings: object) -> tuple[nn.Linear, Optimiser]:
    torch.manual_seed(0)
    module = nn.Linear(3, 1)
    return module, Optimiser(module, OptimiserConfig(**settings), total_steps)  # type: ignore[arg-type]


def test_warm_up_rises_to_the_peak() -> None:
    _, optimiser = make(learning_rate=1.0, warmup_steps=10, schedule="constant")
    assert [optimiser.learning_rate(k) for k in (0, 4, 9, 500)] == pytest.approx([0.1, 0.5, 1.0, 1.0])


def test_warm_up_takes_at_most_a_tenth_of_the_run() -> None:
    _, optimiser = make(total_steps=50, learning_rate=1.0, warmup_steps=1000, schedule="constant")
    assert optimiser.learning_rate(5) == 1.0


def test_cosine_ends_above_zero() -> None:
    _, optimiser = make(learning_rate=1.0, warmup_steps=1)
    assert optimiser.learning_rate(500) == pytest.approx(0.525)
    assert 0.05 <= optimiser.learning_rate(990) < 0.06
    assert optimiser.learning_rate(5000) == pytest.approx(0.05)


def test_restarts_take_longer_each_time() -> None:
    _, optimiser = make(
        learning_rate=1.0, warmup_steps=1, schedule="cosine_restarts", restart_period=100, restart_mult=2.0
    )
    assert [optimiser.learning_rate(k) for k in (0, 50, 100, 200, 300)] == pytest.approx(
        [1, 0.525, 1, 0.525, 1]
    )
    assert optimiser.learning_rate(99) < 0.06


def test_accumulated_windows_make_the_update_of_their_mean() -> None:
    x = torch.randn(2, 5, 3)
    (one, accumulating), (other, at_once) = make(), make()
    for part in x:
        accumulating.accumulate(one(part).square().mean(), 0.5)
    accumulating.step(0.0)
    at_once.update(other(x).square().mean())
    torch.testing.assert_close(one.weight, other.weight)
    assert accumulating.step_count == 1


def test_diverged_loss_leaves_the_weights_alone() -> None:
    module, optimiser = make()
    before = module.weight.clone()
    with pytest.raises(MeleeEnvError, match="diverged at update 0"):
        optimiser.update(module(torch.full((1, 3), float("nan"))).sum())
    assert torch.equal(module.weight, before)


def test_restored_optimiser_continues_bit_for_bit() -> None:
    x = torch.randn(20, 4, 3)
    module, optimiser = make()
    for k in range(10):
        optimiser.update(module(x[k]).square().mean())
    other, restored = make()
    other.load_state_dict(module.state_dict())
    restored.load({key: t.clone() for key, t in optimiser.tensors().items()}, optimiser.step_count)
    for k in range(10, 20):
        optimiser.update(module(x[k]).square().mean())
        restored.update(other(x[k]).square().mean())
    assert torch.equal(module.weight, other.weight)
