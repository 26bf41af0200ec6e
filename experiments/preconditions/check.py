"""One precondition and how it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """The outcome of a check."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    needed: bool = True
    """False for what only some commands want"""


def run_checks(checks: Mapping[str, Callable[[], Iterator[Check]]]) -> Iterator[Check]:
    """Yield the outcome of every check; one that fails in an unforeseen way is broken, not fatal."""
    for name, check in checks.items():
        try:
            yield from check()
        except Exception as error:
            yield Check(name, False, f"{type(error).__name__}: {error}", "report this line")
