"""Memory and file handles of processes."""

from __future__ import annotations

import gc
import os
from pathlib import Path


def resident_mb(process: int | None = None) -> float:
    """Return the resident memory of a process (None: this one, after a collection) in MB of 10^6 bytes.

    Without ``/proc`` it is 0.
    """
    if process is None:
        gc.collect()
    try:
        pages = Path(f"/proc/{process or os.getpid()}/statm").read_text().split()[1]
    except OSError:
        return 0.0
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def open_handles() -> int:
    """Return how many file descriptors this process has open; without ``/proc`` it is 0."""
    try:
        return len(list(Path("/proc/self/fd").iterdir()))
    except OSError:
        return 0
