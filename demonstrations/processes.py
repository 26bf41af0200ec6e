"""Work in several processes, with results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")


def ordered_map(function: Callable[[Work], Result], work: Sequence[Work], jobs: int) -> Iterator[Result]:
    """Yield ``function`` of every piece of work, in order; in this process if ``jobs`` is 1."""
    if jobs <= 1 or len(work) < 2:
        yield from map(function, work)
        return
    # Forked workers have the kernels compiled, and need no main module that can be imported again.
    context: Any = get_context("fork")
    with ProcessPoolExecutor(min(jobs, len(work)), context) as pool:
        yield from pool.map(function, work)
