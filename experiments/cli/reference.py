"""Makes the page ``docs/cli.md`` from the commands: ``python -m experiments.cli.reference > docs/cli.md``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from experiments.cli.app import app

WIDTH = 100
HEAD = """# The command line

Every command exits with 0 when it is done, 1 when its job failed and 2 when it was called wrongly; errors are one
line. `--json FILE` writes what a command measured. This page is made by `python -m experiments.cli.reference`.
"""


def render() -> str:
    """Return the page: the help of every command."""
    helps = _helps(typer.main.get_command(app), "melee-env")
    return HEAD + "".join(f"\n## {path}\n\n```text\n{text}\n```\n" for path, text in helps)


def _helps(command: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield path and help text of a command, or of those below a group."""
    commands = getattr(command, "commands", None)
    if commands is None:
        context = command.context_class(
            command, info_name=path, terminal_width=WIDTH, max_content_width=WIDTH
        )
        yield path, command.get_help(context).rstrip()
        return
    for name, child in commands.items():
        yield from _helps(child, f"{path} {name}")


if __name__ == "__main__":
    print(render(), end="")
