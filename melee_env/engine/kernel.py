"""Compilation of engine code, with a cache that knows every engine source and table.

Numba's own cache looks at one file only and misses a changed callee in another; here the cache folder
is named after a digest of all engine sources and tables, so a stale binary can never be loaded.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from melee_env.frame import FRAME_DTYPE

_NUMBA: Any = numba.config
_ENGINE = Path(__file__).parent
_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy"}


@lru_cache(maxsize=1)
def engine_digest() -> str:
    """Return a hex digest of all engine sources and tables, the frame's layout and the compiler's version."""
    versions = f"{numba.__version__} {np.__version__} {sys.version_info[:2]} {FRAME_DTYPE.descr}"
    digest = hashlib.sha256(versions.encode())
    for path in sorted(path for suffix in ("py", "csv", "npz") for path in _ENGINE.rglob(f"*.{suffix}")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return the folder of compiled engines: ``MELEE_ENV_CACHE`` or the user's cache directory."""
    base = (
        os.environ.get("MELEE_ENV_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    )
    return Path(base) / "melee_env" / engine_digest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner engine function on first use; float32 stays float32, nothing is contracted."""
    return numba.njit(**_OPTIONS)(function)


def entry_point(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, kept on disk under the digest of all engine sources."""
    before = _NUMBA.CACHE_DIR
    _NUMBA.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    finally:
        _NUMBA.CACHE_DIR = before
