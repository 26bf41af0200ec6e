"""What the commands print: plain lines and aligned tables; progress only where someone watches a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

JSON_OPTION = typer.Option(None, "--json", metavar="FILE", help="Also write the figures to this file.")
SEED_OPTION = typer.Option(0, "--seed", help="Fixes everything that is drawn.")


def say(text: str = "") -> None:
    """Print one line of the result."""
    print(text, flush=True)


def table(rows: Sequence[Sequence[Any]], headers: Sequence[str]) -> None:
    """Print rows under headers, columns aligned, numbers to the right."""
    cells = [[_text(value) for value in row] for row in rows]
    widths = [max(len(line[k]) for line in [list(headers), *cells]) for k in range(len(headers))]
    numeric = [
        bool(rows) and all(isinstance(row[k], (int, float, type(None))) for row in rows)
        for k in range(len(headers))
    ]

    def line(values: Sequence[str]) -> str:
        parts = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(values, widths, numeric, strict=True)
        )
        return "  ".join(parts).rstrip()

    say(line(headers))
    for row in cells:
        say(line(row))


def save_json(path: Path | None, value: Any) -> None:
    """Write the figures if the user asked for a file."""
    if path is not None:
        from experiments.files import write_json

        write_json(path, value)


def require_folders(*files: Path | None) -> None:
    """Refuse files that cannot be written before a long job instead of after it.

    Raises:
        OptionError: the folder of a file is not there, or the file is a folder.
    """
    from melee_env.errors import OptionError

    for file in files:
        if file is not None and not file.parent.is_dir():
            raise OptionError(f"{file}: there is no folder {file.parent}; make it first")
        if file is not None and file.is_dir():
            raise OptionError(f"{file} is a folder; name a file")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar on a terminal and nothing elsewhere; yields ``update(done, total)``, None for an unknown total."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)
