"""``melee-env doctor``: what must be there for the rest to work, and what to do where it is not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, save_json, say


def doctor(
    dolphin: str = typer.Option(
        None, help="Also check this Slippi Dolphin; 'virtual' for the one without a game."
    ),
    iso: Path = typer.Option(None, help="Also check this disc image."),
    json: Path = JSON_OPTION,
) -> None:
    """Check the preconditions, one line each; exit code 1 if a needed one is broken."""
    from experiments.preconditions.check import run_checks
    from experiments.preconditions.emulator import emulator_checks
    from experiments.preconditions.machine import MACHINE_CHECKS

    checks = []
    for check in run_checks({**MACHINE_CHECKS, **emulator_checks(dolphin, iso)}):
        checks.append(check)
        mark = "ok" if check.ok else "BROKEN" if check.needed else "missing"
        say(f"{mark:8}{check.name}: {check.detail}" + ("" if check.ok else f" -> {check.fix}"))
    ok = all(check.ok or not check.needed for check in checks)
    save_json(json, {"ok": ok, "checks": [asdict(check) for check in checks]})
    if not ok:
        raise typer.Exit(1)
