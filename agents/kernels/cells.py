"""Single frames in play, compiled: everything of a layer between two matrix products in one call, without gradients."""

from __future__ import annotations

import numpy as np
import torch
from numba import njit
from torch import Tensor

from agents.kernels.compiled import exp_of_negative


def mamba_cell(
    u_and_gate: Tensor,
    inputs: Tensor,
    h: Tensor,
    conv: tuple[Tensor, Tensor],
    select: Tensor,
    delta: tuple[Tensor, Tensor],
    a: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Convolve, select, scan and gate one frame of a Mamba layer (:class:`agents.networks.mamba.MambaMixer`).

    Args:
        u_and_gate: ``[B, 2D]`` float32, as all, and contiguous.
        inputs: ``[B, W − 1, D]``, the last ``u``.
        h: ``[B, D, N]``.
        conv: weight ``[W, D]`` and bias ``[D]``.
        select: ``[R + 2N, D]``, to the time step's rank, B and C.
        delta: weight ``[D, R]`` and bias ``[D]``.
        a: ``[D, N]``, negative.
        skip: ``[D]``.

    Returns:
        y ``[B, D]``, the new ``inputs`` and the new ``h``.
    """
    y = u_and_gate.new_empty(len(u_and_gate), len(skip))
    new_inputs, new_h = torch.empty_like(inputs), torch.empty_like(h)
    tensors = (u_and_gate, inputs, h, *conv, select, *delta, a, skip, y, new_inputs, new_h)
    _mamba_cell(*(z.detach().contiguous().numpy() for z in tensors))
    return y, new_inputs, new_h


@njit(inline="always")
def _silu(z):  # type: ignore[no-untyped-def]
    e = exp_of_negative(-abs(z))
    return z * (np.float32(1.0) if z >= 0 else e) / (np.float32(1.0) + e)


@njit(inline="always")
def _softplus(z):  # type: ignore[no-untyped-def]
    """Return log(1 + exp(z)) without a call: log(1 + e) = 2 artanh(e / (2 + e)), whose series is short below 1/3."""
    e = exp_of_negative(-abs(z))
    s = e / (np.float32(2.0) + e)
    q = s * s
    series = np.float32(1 / 13)
    series = series * q + np.float32(1 / 11)
    series = series * q + np.float32(1 / 9)
    series = series * q + np.float32(1 / 7)
    series = series * q + np.float32(1 / 5)
    series = series * q + np.float32(1 / 3)
    series = series * q + np.float32(1.0)
    return max(z, np.float32(0.0)) + np.float32(2.0) * s * series


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def _mamba_cell(  # type: ignore[no-untyped-def]
    u_and_gate,
    inputs,
    h,
    conv_weight,
    conv_bias,
    select,
    delta_weight,
    delta_bias,
    a,
    skip,
    y,
    new_inputs,
    new_h,
):
    # One simple loop after the other: each becomes vector code.
    lanes, before, channels = inputs.shape
    size, rank = a.shape[1], delta_weight.shape[1]
    x, step = np.empty(channels, np.float32), np.empty(channels, np.float32)
    selected = np.empty(len(select), np.float32)
    for lane in range(lanes):
        u, gate = u_and_gate[lane, :channels], u_and_gate[lane, channels:]
        for d in range(channels):
            x[d] = conv_bias[d] + conv_weight[before, d] * u[d]
        for t in range(before):
            newer = u if t == before - 1 else inputs[lane, t + 1]
            for d in range(channels):
                x[d] += conv_weight[t, d] * inputs[lane, t, d]
                new_inputs[lane, t, d] = newer[d]
        for d in range(channels):
            x[d] = _silu(x[d])
        for s in range(len(select)):
            total = np.float32(0.0)
            for d in range(channels):
                total += select[s, d] * x[d]
            selected[s] = total
        for d in range(channels):
            total = delta_bias[d]
            for r in range(rank):
                total += delta_weight[d, r] * selected[r]
            step[d] = total
        for d in range(channels):
            step[d] = _softplus(step[d])
            y[lane, d] = _silu(gate[d])
        for d in range(channels):
            drive, total = step[d] * x[d], np.float32(0.0)
            for n in range(size):
                value = exp_of_negative(step[d] * a[d, n]) * h[lane, d, n] + drive * selected[rank + n]
                new_h[lane, d, n] = value
                total += value * selected[rank + size + n]
            y[lane, d] *= total + skip[d] * x[d]
