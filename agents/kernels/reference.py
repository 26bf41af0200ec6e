"""Every scan as its definition reads, frame after frame. Shapes: see :mod:`agents.kernels.dispatch`."""

from __future__ import annotations

import torch
from torch import Tensor


def linear_scan(decay: Tensor, x: Tensor, state: Tensor) -> Tensor:
    """h_t = decay_t · h_{t−1} + x_t."""
    outputs = []
    for t in range(x.shape[1]):
        state = decay[:, t] * state + x[:, t]
        outputs.append(state)
    return torch.stack(outputs, 1)


def selective_scan(
    x: Tensor,
    delta: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    state: Tensor,
    episode_start: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """h_t = exp(Δ_t A) h_{t−1} + Δ_t B_t x_t, y_t = C_t · h_t."""
    outputs = []
    for t in range(x.shape[1]):
        state = _restart(state, episode_start, t)
        step = delta[:, t, :, None]
        state = torch.exp(step * a) * state + (step * x[:, t, :, None]) * b[:, t, None, :]
        outputs.append((state @ c[:, t, :, None])[..., 0])
    return torch.stack(outputs, 1), state


def matrix_scan(
    q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, state: Tensor, episode_start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """S_t = exp(g_t) S_{t−1} + k_t v_tᵀ, y_t = q_tᵀ S_t."""
    outputs = []
    for t in range(q.shape[1]):
        state = _restart(state, episode_start, t)
        state = log_decay[:, t, :, None, None].exp() * state + k[:, t, :, :, None] * v[:, t, :, None, :]
        outputs.append((q[:, t, :, None, :] @ state)[..., 0, :])
    return torch.stack(outputs, 1), state


def delta_scan(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, state: Tensor, episode_start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """S_t = S_{t−1} + β_t k_t (v_t − S_{t−1}ᵀ k_t)ᵀ, y_t = S_tᵀ q_t."""
    outputs = []
    for t in range(q.shape[1]):
        state = _restart(state, episode_start, t)
        error = v[:, t] - (k[:, t, :, None, :] @ state)[..., 0, :]
        state = state + (beta[:, t, :, None] * k[:, t])[..., None] * error[..., None, :]
        outputs.append((q[:, t, :, None, :] @ state)[..., 0, :])
    return torch.stack(outputs, 1), state


def _restart(state: Tensor, episode_start: Tensor | None, t: int) -> Tensor:
    if episode_start is None:
        return state
    return state.masked_fill(episode_start[:, t].view(-1, *[1] * (state.dim() - 1)), 0.0)
