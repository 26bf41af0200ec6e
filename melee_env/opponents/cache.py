"""Compilation of what scripted players are made of, with a cache that knows every one of their rules."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

from melee_env.engine.kernel import cache_folder


@cache
def _digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def rule(function: Callable[..., Any]) -> Any:
    """Compile a rule that Python calls, kept on disk under a digest of the engine and of all scripted players.

    Numba's own cache looks at one file only and would miss a changed rule in another.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder() / f"opponents-{_digest()}")
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
