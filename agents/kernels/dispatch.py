"""The one place that decides which implementation of a scan runs.

``reference`` walks over the frames, in any precision; where a single frame is a few tensor operations, it does the
least work.
``fast`` serves float32 windows on the CPU: loops compiled by numba for element-wise recurrences
(:mod:`agents.kernels.compiled`), matrix products over chunks for matrix-valued states
(:mod:`agents.kernels.chunked`).

Shapes: B lanes, T frames, D channels, H heads, N state size (key size), P value size. ``episode_start`` is
``[B, T]`` bool or None; the state is zero before such a frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from agents.kernels import chunked, compiled, reference
from melee_env.errors import OptionError

MOST_LANES = 8
"""With more, matrix products over the lanes cost less than a compiled cell per lane."""

IMPLEMENTATIONS = ("reference", "fast")
_forced: list[str] = []


@contextmanager
def force(implementation: str) -> Iterator[None]:
    """Let one implementation serve every scan inside the ``with`` block (not thread-safe; for tests, timing).

    Raises:
        OptionError: unknown implementation.
    """
    if implementation not in IMPLEMENTATIONS:
        raise OptionError(f"unknown implementation {implementation!r}; known: {', '.join(IMPLEMENTATIONS)}")
    _forced.append(implementation)
    try:
        yield
    finally:
        _forced.pop()


def is_fast(x: Tensor, shortest: int = 2) -> bool:
    """Tell which implementation serves a scan over ``x`` ``[B, T, ...]``; ``shortest`` T for the fast one."""
    if _forced:
        return _forced[-1] == "fast"
    return x.shape[1] >= shortest and x.dtype == torch.float32 and x.device.type == "cpu"


def _wide(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return bfloat16 tensors as float32: sums over many frames need its digits, whatever the products around use."""
    return tuple(z.float() if z.dtype == torch.bfloat16 else z for z in tensors)


def is_played(x: Tensor) -> bool:
    """Tell whether a compiled cell serves ``x`` ``[B, T, ...]``: a single frame of few lanes, without gradients."""
    return x.shape[1] == 1 and len(x) <= MOST_LANES and not torch.is_grad_enabled() and is_fast(x, shortest=1)


def linear_scan(decay: Tensor, x: Tensor, state: Tensor, episode_start: Tensor | None = None) -> Tensor:
    """Return all h of h_t = decay_t · h_{t−1} + x_t, element by element.

    Args:
        decay: ``[B, T, D]``.
        x: ``[B, T, D]``.
        state: ``[B, D]``, h before the first frame.
        episode_start: ``[B, T]``.

    Returns:
        ``[B, T, D]``; the last frame is the next window's state.
    """
    decay, x, state = _wide(decay, x, state)
    if episode_start is not None:
        decay = decay.masked_fill(episode_start[..., None], 0.0)
    return (compiled if is_fast(x) else reference).linear_scan(decay, x, state)


def selective_scan(
    x: Tensor,
    delta: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    state: Tensor,
    episode_start: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Mamba's state space model (Gu & Dao 2023): h_t = exp(Δ_t A) h_{t−1} + Δ_t B_t x_t, y_t = C_t · h_t.

    Args:
        x: ``[B, T, D]``.
        delta: ``[B, T, D]``, positive.
        a: ``[D, N]``, negative.
        b: ``[B, T, N]``.
        c: ``[B, T, N]``.
        state: ``[B, D, N]``.
        episode_start: ``[B, T]``.

    Returns:
        y ``[B, T, D]`` and the state after the last frame.
    """
    x, delta, a, b, c, state = _wide(x, delta, a, b, c, state)
    return (compiled if is_fast(x, shortest=1) else reference).selective_scan(
        x, delta, a, b, c, state, episode_start
    )


def matrix_scan(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_decay: Tensor,
    state: Tensor,
    episode_start: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Decayed sum of outer products (Mamba-2, Dao & Gu 2024): S_t = exp(g_t) S_{t−1} + k_t v_tᵀ, y_t = q_tᵀ S_t.

    Args:
        q: ``[B, T, H, N]``.
        k: ``[B, T, H, N]``.
        v: ``[B, T, H, P]``.
        log_decay: ``[B, T, H]``, g ≤ 0.
        state: ``[B, H, N, P]``.
        episode_start: ``[B, T]``.

    Returns:
        y ``[B, T, H, P]`` and the state after the last frame.
    """
    q, k, v, log_decay, state = _wide(q, k, v, log_decay, state)
    return (chunked if is_fast(q) else reference).matrix_scan(q, k, v, log_decay, state, episode_start)


def delta_scan(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, state: Tensor, episode_start: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """The delta rule (Yang et al. 2024): S_t = S_{t−1} + β_t k_t (v_t − S_{t−1}ᵀ k_t)ᵀ, y_t = S_tᵀ q_t.

    Args:
        q: ``[B, T, H, N]``.
        k: ``[B, T, H, N]`` of length 1.
        v: ``[B, T, H, P]``.
        beta: ``[B, T, H]`` in 0..1.
        state: ``[B, H, N, P]``.
        episode_start: ``[B, T]``.

    Returns:
        y ``[B, T, H, P]`` and the state after the last frame.
    """
    q, k, v, beta, state = _wide(q, k, v, beta, state)
    return (chunked if is_fast(q) else reference).delta_scan(q, k, v, beta, state, episode_start)
