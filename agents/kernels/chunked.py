"""Scans with matrix-valued states as matrix products over chunks of frames. Shapes: see the dispatch.

Inside a chunk every frame sees the state at the chunk's begin and the frames before it; which of them belong to
its game is a mask, so games that start inside a chunk cost nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor

CHUNK = 64
"""frames per chunk: the products inside one grow with its square"""


def matrix_scan(
    q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, state: Tensor, episode_start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """S_t = exp(g_t) S_{t−1} + k_t v_tᵀ, y_t = q_tᵀ S_t (Dao & Gu 2024, section 6)."""
    outputs = []
    for begin in range(0, q.shape[1], CHUNK):
        part = slice(begin, begin + CHUNK)
        queries, keys, values = (z[:, part].transpose(1, 2) for z in (q, k, v))
        decay = log_decay[:, part].transpose(1, 2)
        seen, carried = _visible(episode_start, q, part)
        # [B, H, t, s]: the decay from s to t. Summed for each s by itself: a difference of sums since the chunk's
        # begin would lose digits, and let gradients of another game in through its rounding.
        between = decay[..., None].expand(*decay.shape, decay.shape[-1]).tril(-1).cumsum(-2)
        weights = between.masked_fill(~seen, -torch.inf).exp()
        from_begin = (decay.cumsum(-1).exp() * carried)[..., None]
        y = (queries @ keys.mT * weights) @ values + from_begin * (queries @ state)
        outputs.append(y.transpose(1, 2))
        state = from_begin[:, :, -1:] * state + (keys * weights[:, :, -1, :, None]).mT @ values
    return torch.cat(outputs, 1), state


def delta_scan(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, state: Tensor, episode_start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """S_t = S_{t−1} + k_t u_tᵀ with u_t = β_t (v_t − S_{t−1}ᵀ k_t), y_t = S_tᵀ q_t.

    With S_{t−1} = S_0 + Σ_{s<t} k_s u_sᵀ the u of a chunk solve one unit lower-triangular system.
    """
    outputs = []
    for begin in range(0, q.shape[1], CHUNK):
        part = slice(begin, begin + CHUNK)
        queries, keys, values = (z[:, part].transpose(1, 2) for z in (q, k, v))
        rate = beta[:, part].transpose(1, 2)[..., None]
        seen, carried = _visible(episode_start, q, part)
        inherited = carried[..., None]
        system = rate * (keys @ keys.mT) * seen.tril(-1)
        right = rate * (values - inherited * (keys @ state))
        u = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
        y = inherited * (queries @ state) + (queries @ keys.mT * seen) @ u
        outputs.append(y.transpose(1, 2))
        state = inherited[:, :, -1:] * state + (keys * seen[:, :, -1, :, None]).mT @ u
    return torch.cat(outputs, 1), state


def _visible(episode_start: Tensor | None, like: Tensor, part: slice) -> tuple[Tensor, Tensor]:
    """Return which frames of a chunk each frame sees, ``[B, 1, c, c]``, and the state at its begin, ``[B, 1, c]``."""
    length = like[:, part].shape[1]
    earlier = torch.ones(length, length, dtype=torch.bool, device=like.device).tril()
    if episode_start is None:
        return earlier[None, None], like.new_ones(1, 1, length)
    game = episode_start[:, part].cumsum(1)
    same = game[:, :, None] == game[:, None, :]
    return (same & earlier)[:, None], (game == 0)[:, None].to(like.dtype)
