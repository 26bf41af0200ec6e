"""How a check speaks: which rule is broken, and what to do about it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def require(holds: object, broken: str, repair: str) -> None:
    """Raise ``AssertionError`` with both sentences unless the rule holds.

    >>> require(1 + 1 == 2, "sums are wrong", "count again")
    >>> require(False, "sums are wrong", "count again")
    Traceback (most recent call last):
    ...
    AssertionError: sums are wrong. To repair: count again.
    """
    if not holds:
        raise AssertionError(f"{broken}. To repair: {repair}.")


def absorb(digest: hashlib._Hash, observation: Any, rest: object) -> None:
    """Add an observation (an array, or a mapping of them) and anything printable to a digest."""
    for part in observation.values() if isinstance(observation, dict) else (observation,):
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(repr(rest).encode())


def content(observation: Any) -> bytes:
    """Return the bytes of an observation, which may be a mapping of arrays."""
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
