"""Fast scans against the definition in double precision: values, gradients, games that start inside."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from agents import kernels
from agents.kernels import chunked, delta_scan, linear_scan, matrix_scan, selective_scan
from agents.networks.mamba import MambaMixer
from melee_env.errors import OptionError

LANES = 3


def linear_inputs(frames: int) -> list[Tensor]:
    return [torch.rand(LANES, frames, 5), torch.randn(LANES, frames, 5), torch.randn(LANES, 5)]


def selective_inputs(frames: int) -> list[Tensor]:
    x, delta = torch.randn(LANES, frames, 5), torch.rand(LANES, frames, 5) * 0.3
    b, c = torch.randn(LANES, frames, 4), torch.randn(LANES, frames, 4)
    return [x, delta, -4 * torch.rand(5, 4), b, c, torch.randn(LANES, 5, 4)]


def matrix_inputs(frames: int) -> list[Tensor]:
    q, k, v = (torch.randn(LANES, frames, 2, n) for n in (4, 4, 3))
    return [q, k, v, -torch.rand(LANES, frames, 2), torch.randn(LANES, 2, 4, 3)]


def delta_inputs(frames: int) -> list[Tensor]:
    q, k, v = (torch.randn(LANES, frames, 2, n) for n in (4, 4, 3))
    k = torch.nn.functional.normalize(k, dim=-1)
    return [q, k, v, torch.rand(LANES, frames, 2), torch.randn(LANES, 2, 4, 3)]


SCANS: list[tuple[Callable[..., Tensor | tuple[Tensor, Tensor]], Callable[[int], list[Tensor]]]] = [
    (linear_scan, linear_inputs),
    (selective_scan, selective_inputs),
    (matrix_scan, matrix_inputs),
    (delta_scan, delta_inputs),
]
parametrised = pytest.mark.parametrize(
    ("scan", "inputs"), SCANS, ids=["linear", "selective", "matrix", "delta"]
)


def starts(frames: int) -> Tensor:
    start = torch.zeros(LANES, frames, dtype=torch.bool)
    start[0, frames // 2] = start[1, 0] = start[1, frames - 1] = True
    return start


@parametrised
@pytest.mark.parametrize("frames", [2, 7, 150])
@pytest.mark.parametrize("with_starts", [False, True])
def test_k27_fast_equals_the_definition(scan, inputs, frames: int, with_starts: bool) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(frames)
    episode_start = starts(frames) if with_starts else None
    arguments = inputs(frames)
    found = []
    for implementation, dtype in (("fast", torch.float32), ("reference", torch.float64)):
        leaves = [z.to(dtype, copy=True).requires_grad_() for z in arguments]
        with kernels.force(implementation):
            result = scan(*leaves, episode_start)
        outputs = result if isinstance(result, tuple) else (result,)
        sum(y.sin().sum() for y in outputs).backward()
        found.append([*(y.detach() for y in outputs), *(z.grad for z in leaves)])
    for fast, exact in zip(*found, strict=True):
        scale = exact.abs().max()
        torch.testing.assert_close(fast.double() / scale, exact / scale, rtol=0, atol=1e-5)


@parametrised
def test_k27_gradients_of_the_definition(scan, inputs) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    leaves = [z.double().requires_grad_() for z in inputs(3)]
    assert gradcheck(lambda *z: scan(*z, starts(3)), leaves, fast_mode=True)


@parametrised
def test_chunks_do_not_show(scan, inputs, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    arguments = inputs(23)
    whole = scan(*arguments, starts(23))
    monkeypatch.setattr(chunked, "CHUNK", 5)
    torch.testing.assert_close(scan(*arguments, starts(23)), whole, rtol=0, atol=1e-5)


@parametrised
def test_threads_do_not_show(scan, inputs) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    arguments = inputs(9)
    results, threads = [], torch.get_num_threads()
    try:
        for n in (1, 2):
            torch.set_num_threads(n)
            results.append(scan(*arguments, starts(9)))
    finally:
        torch.set_num_threads(threads)
    torch.testing.assert_close(results[0], results[1], rtol=0, atol=0)


def test_strong_decay_forgets_without_nan() -> None:
    x, delta = torch.randn(1, 4, 2), torch.full((1, 4, 2), 50.0)
    ones = torch.ones(1, 4, 3)
    y, state = selective_scan(x, delta, torch.full((2, 3), -16.0), ones, ones, torch.full((1, 2, 3), 1e6))
    torch.testing.assert_close(y, 3 * delta * x)
    torch.testing.assert_close(state, (delta * x)[:, -1, :, None].expand(1, 2, 3))


def test_single_frames_and_other_precisions_take_the_definition() -> None:
    assert kernels.dispatch.is_fast(torch.zeros(2, 8, 3))
    assert not kernels.dispatch.is_fast(torch.zeros(2, 1, 3))
    assert not kernels.dispatch.is_fast(torch.zeros(2, 8, 3, dtype=torch.float64))
    with pytest.raises(OptionError, match="reference, fast"), kernels.force("quick"):
        pass


def test_mamba_cell_equals_the_layer_of_tensor_operations() -> None:
    torch.manual_seed(0)
    mixer = MambaMixer(24).eval()
    state = tuple(torch.randn_like(s) for s in mixer.initial_state(LANES))
    x = 20 * torch.randn(LANES, 1, 24)  # time steps and gates far out on both sides
    expected, expected_state = mixer(x, state, None)
    with torch.no_grad():
        assert kernels.is_played(x)
        y, new = mixer(x, state, None)
    torch.testing.assert_close((y, new), (expected, expected_state), rtol=1e-5, atol=1e-5)
