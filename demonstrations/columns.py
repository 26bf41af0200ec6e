"""Observations in a fifth of the space: numbers as they are, every one-hot block as one byte.

A ``compact`` observation has 351 numbers, of which 294 are one-hot blocks (action states, fighters, stage).
Packing keeps 57 floats and five bytes and loses nothing: ``unpack(*pack(obs))`` gives the same bits.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from melee_env.engine.kernel import entry_point

NONE = 255
"""Byte of a block in which nothing is set."""


class Columns:
    """Which columns of an observation are numbers and which are one-hot blocks.

    Args:
        size: numbers in an observation.
        blocks: ``(first, behind the last)`` of every one-hot block, increasing, at most 255 wide.
    """

    def __init__(self, size: int, blocks: Sequence[tuple[int, int]] = ()) -> None:
        self.size = size
        self.blocks = np.array(blocks, np.int64).reshape(-1, 2)
        if ((self.blocks[:, 1] - self.blocks[:, 0]) > NONE).any():
            raise ValueError(f"a one-hot block is wider than {NONE} columns")
        inside = np.zeros(size, bool)
        for first, behind in self.blocks:
            inside[first:behind] = True
        self.plain: NDArray[np.int64] = np.flatnonzero(~inside)
        """columns that are kept as numbers"""

    def pack(
        self,
        observations: NDArray[np.float32],
        numbers: NDArray[np.float32] | None = None,
        ids: NDArray[np.uint8] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Return numbers ``[N, len(plain)]`` and ids ``[N, blocks]`` of observations ``[N, size]``.

        Args:
            observations: what an encoder gave.
            numbers: where to write the numbers (optional).
            ids: where to write the ids (optional).
        """
        if numbers is None:
            numbers = np.empty((len(observations), len(self.plain)), np.float32)
        if ids is None:
            ids = np.empty((len(observations), len(self.blocks)), np.uint8)
        pack_rows(observations, self.plain, self.blocks, numbers, ids)
        return numbers, ids

    def unpack(
        self,
        numbers: NDArray[np.float32],
        ids: NDArray[np.uint8],
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Return the observations ``[…, size]`` of numbers ``[…, len(plain)]`` and ids ``[…, blocks]``."""
        shape = (*numbers.shape[:-1], self.size)
        if out is None:
            out = np.empty(shape, np.float32)
        unpack_rows(
            numbers.reshape(-1, len(self.plain)),
            ids.reshape(-1, len(self.blocks)),
            self.plain,
            self.blocks,
            out.reshape(-1, self.size),
        )
        return out.reshape(shape)


@entry_point
def pack_rows(observations, plain, blocks, numbers, ids):
    """Fill ``numbers [N, P]`` and ``ids [N, B]`` from ``observations [N, F]``; see :class:`Columns`."""
    for n in range(observations.shape[0]):
        for k in range(plain.shape[0]):
            numbers[n, k] = observations[n, plain[k]]
        for k in range(blocks.shape[0]):
            found = NONE
            for column in range(blocks[k, 0], blocks[k, 1]):
                if observations[n, column] != 0:
                    found = column - blocks[k, 0]
                    break
            ids[n, k] = found


@entry_point
def unpack_rows(numbers, ids, plain, blocks, out):
    """Fill ``out [N, F]`` from ``numbers [N, P]`` and ``ids [N, B]``; see :class:`Columns`."""
    for n in range(numbers.shape[0]):
        out[n] = 0
        for k in range(plain.shape[0]):
            out[n, plain[k]] = numbers[n, k]
        for k in range(blocks.shape[0]):
            if ids[n, k] != NONE:
                out[n, blocks[k, 0] + np.int64(ids[n, k])] = 1
