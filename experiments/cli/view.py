"""``melee-env view``: a replay as a page for the browser."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import say


def view(
    replay: Path = typer.Argument(None, dir_okay=False, help="The .slp file that the page shows at once."),
    out: Path = typer.Option("viewer.html", metavar="FILE.html", help="The page."),
) -> None:
    """Write a self-contained HTML replay viewer: scrub, step frames, inputs, states, hitboxes.

    Without a file the page waits for one; any .slp can be dropped on it later.
    """
    from melee_env.rendering.viewer import write_viewer

    say(f"viewer: {write_viewer(out, replay)}")
