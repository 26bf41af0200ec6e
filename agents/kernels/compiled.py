"""Element-wise scans in float32 as loops compiled by numba, each with its hand-written backward pass.

The selective scan never writes its state to memory: one channel's states of a whole window are some kilobytes, so
they are computed again for the backward pass. Lanes are split over as many threads as torch uses.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import torch
from numba import njit
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


def linear_scan(decay: Tensor, x: Tensor, state: Tensor) -> Tensor:
    """h_t = decay_t · h_{t−1} + x_t; shapes as in the dispatch."""
    h: Tensor = _LinearScan.apply(decay, x, state)
    return h


def selective_scan(
    x: Tensor, delta: Tensor, a: Tensor, b: Tensor, c: Tensor, state: Tensor, episode_start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """h_t = exp(Δ_t A) h_{t−1} + Δ_t B_t x_t, y_t = C_t · h_t; shapes as in the dispatch."""
    keep = torch.ones(x.shape[:2]) if episode_start is None else (~episode_start).to(x.dtype)
    inputs = tuple(z.contiguous() for z in (x, delta, a, b, c, state, keep))
    if not torch.is_grad_enabled():  # in play the bookkeeping would cost more than the scan
        return _selective(*inputs)
    y: Tensor
    last: Tensor
    y, last = _SelectiveScan.apply(*inputs)
    return y, last


def _selective(
    x: Tensor, delta: Tensor, a: Tensor, b: Tensor, c: Tensor, state: Tensor, keep: Tensor
) -> tuple[Tensor, Tensor]:
    y, last = torch.empty_like(x), torch.empty_like(state)
    _over_lanes(_selective_forward, x, delta, b, c, state, keep, y, last, shared=(a,))
    return y, last


class _LinearScan(Function):
    @staticmethod
    def forward(ctx: Any, decay: Tensor, x: Tensor, state: Tensor) -> Tensor:
        decay, x, state = decay.contiguous(), x.contiguous(), state.contiguous()
        h = torch.empty_like(x)
        _over_lanes(_linear_forward, decay, x, state, h)
        ctx.save_for_backward(decay, state, h)
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
        decay, state, h = ctx.saved_tensors
        grad = grad.contiguous()
        grad_decay, grad_x, grad_state = torch.empty_like(h), torch.empty_like(h), torch.empty_like(state)
        _over_lanes(_linear_backward, decay, state, h, grad, grad_decay, grad_x, grad_state)
        return grad_decay, grad_x, grad_state


class _SelectiveScan(Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(*inputs)
        return _selective(*inputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_y: Tensor, grad_last: Tensor) -> tuple[Tensor | None, ...]:
        x, delta, a, b, c, state, keep = ctx.saved_tensors
        grad_x, grad_delta = torch.empty_like(x), torch.empty_like(x)
        grad_b, grad_c = torch.zeros_like(b), torch.zeros_like(c)
        grad_state = torch.empty_like(state)
        grad_a = torch.zeros(len(x), *a.shape)  # per lane, so that threads do not meet
        _over_lanes(
            _selective_backward,
            *(x, delta, b, c, state, keep, grad_y.contiguous(), grad_last.contiguous()),
            *(grad_x, grad_delta, grad_b, grad_c, grad_state, grad_a),
            shared=(a,),
        )
        return grad_x, grad_delta, grad_a.sum(0), grad_b, grad_c, grad_state, None


def _over_lanes(kernel: Callable[..., None], *tensors: Tensor, shared: tuple[Tensor, ...] = ()) -> None:
    """Run ``kernel(*shared, *tensors)`` over equal parts of the lanes, one per thread."""
    lanes, threads = len(tensors[0]), torch.get_num_threads()
    common = [z.detach().numpy() for z in shared]
    arrays = [z.detach().numpy() for z in tensors]
    if threads == 1 or lanes == 1:
        kernel(*common, *arrays)
        return
    cuts = np.linspace(0, lanes, min(threads, lanes) + 1).astype(int)
    jobs = [
        _pool(threads).submit(kernel, *common, *(z[begin:end] for z in arrays))
        for begin, end in zip(cuts, cuts[1:], strict=False)
    ]
    for job in jobs:
        job.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="scan")


@njit(nogil=True, cache=True)
def _linear_forward(decay, x, state, h):  # type: ignore[no-untyped-def]
    lanes, frames, channels = x.shape
    for lane in range(lanes):
        for d in range(channels):
            h[lane, 0, d] = decay[lane, 0, d] * state[lane, d] + x[lane, 0, d]
        for t in range(1, frames):
            for d in range(channels):
                h[lane, t, d] = decay[lane, t, d] * h[lane, t - 1, d] + x[lane, t, d]


@njit(nogil=True, cache=True)
def _linear_backward(decay, state, h, grad, grad_decay, grad_x, grad_state):  # type: ignore[no-untyped-def]
    lanes, frames, channels = h.shape
    for lane in range(lanes):
        for d in range(channels):
            grad_x[lane, frames - 1, d] = grad[lane, frames - 1, d]
        for t in range(frames - 1, 0, -1):
            for d in range(channels):
                g = grad_x[lane, t, d]
                grad_decay[lane, t, d] = g * h[lane, t - 1, d]
                grad_x[lane, t - 1, d] = grad[lane, t - 1, d] + g * decay[lane, t, d]
        for d in range(channels):
            grad_decay[lane, 0, d] = grad_x[lane, 0, d] * state[lane, d]
            grad_state[lane, d] = grad_x[lane, 0, d] * decay[lane, 0, d]


@njit(inline="always")
def exp_of_negative(z):  # type: ignore[no-untyped-def]
    """Return exp(z) of z ≤ 0 to 2 units in the last place, without a call: the loop around it becomes vector code.

    2^f by the Taylor polynomial of degree 6 for |f| ≤ 1/2, times 2^n made from the exponent bits.
    """
    w = max(z * np.float32(1.4426950408889634), np.float32(-126.0))
    n = np.int32(w - np.float32(0.5))
    f = w - np.float32(n)
    p = np.float32(1.5403530393381609e-4)
    p = p * f + np.float32(1.3333558146428443e-3)
    p = p * f + np.float32(9.6181291076284772e-3)
    p = p * f + np.float32(5.5504108664821580e-2)
    p = p * f + np.float32(2.4022650695910072e-1)
    p = p * f + np.float32(6.9314718055994531e-1)
    p = p * f + np.float32(1.0)
    return p * np.int32((n + np.int32(127)) << np.int32(23)).view(np.float32)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def _selective_forward(a, x, delta, b, c, state, keep, y, last):  # type: ignore[no-untyped-def]
    lanes, frames, channels = x.shape
    size = a.shape[1]
    h = np.empty(size, np.float32)
    for lane in range(lanes):
        for d in range(channels):
            for n in range(size):
                h[n] = state[lane, d, n]
            for t in range(frames):
                step, kept = delta[lane, t, d], keep[lane, t]
                drive = step * x[lane, t, d]
                total = np.float32(0.0)
                for n in range(size):
                    value = kept * exp_of_negative(step * a[d, n]) * h[n] + drive * b[lane, t, n]
                    h[n] = value
                    total += value * c[lane, t, n]
                y[lane, t, d] = total
            for n in range(size):
                last[lane, d, n] = h[n]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def _selective_backward(  # type: ignore[no-untyped-def]
    a,
    x,
    delta,
    b,
    c,
    state,
    keep,
    grad_y,
    grad_last,
    grad_x,
    grad_delta,
    grad_b,
    grad_c,
    grad_state,
    grad_a,
):
    lanes, frames, channels = x.shape
    size = a.shape[1]
    h = np.empty((frames + 1, size), np.float32)
    decay = np.empty((frames, size), np.float32)
    g = np.empty(size, np.float32)
    for lane in range(lanes):
        for d in range(channels):
            for n in range(size):
                h[0, n] = state[lane, d, n]
            for t in range(frames):
                step, kept = delta[lane, t, d], keep[lane, t]
                drive = step * x[lane, t, d]
                for n in range(size):
                    decay[t, n] = kept * exp_of_negative(step * a[d, n])
                    h[t + 1, n] = decay[t, n] * h[t, n] + drive * b[lane, t, n]
            for n in range(size):
                g[n] = grad_last[lane, d, n]
            for t in range(frames - 1, -1, -1):
                step, out, value = delta[lane, t, d], grad_y[lane, t, d], x[lane, t, d]
                drive = step * value
                along_b, along_a = np.float32(0.0), np.float32(0.0)
                for n in range(size):
                    grad_c[lane, t, n] += out * h[t + 1, n]
                    here = g[n] + out * c[lane, t, n]
                    through = here * decay[t, n]
                    weighted = through * h[t, n]
                    along_b += here * b[lane, t, n]
                    along_a += weighted * a[d, n]
                    grad_b[lane, t, n] += here * drive
                    grad_a[lane, d, n] += weighted * step
                    g[n] = through
                grad_x[lane, t, d] = along_b * step
                grad_delta[lane, t, d] = along_b * value + along_a
            for n in range(size):
                grad_state[lane, d, n] = g[n]
