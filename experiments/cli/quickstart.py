"""``melee-env quickstart``: the main job from replays to a report, in a few minutes on two cores."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, progress, save_json, say


def quickstart(
    replays: Path = typer.Option(
        None, exists=True, help="Folder (or file) of .slp games; default: record some."
    ),
    out: Path = typer.Option(Path("runs/quickstart"), help="Folder of the results."),
    games: int = typer.Option(20, min=2, help="Games against the scripted opponent."),
    epochs: int = typer.Option(12, min=1, help="Passes over the data."),
    max_frames: int = typer.Option(120_000, min=2_000, help="Most frames to imitate."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Replays, trajectories, behavioural cloning of a GRU, games, and a report.html about all of it."""
    from experiments.quickstart import QuickstartConfig, run_quickstart

    config = QuickstartConfig(
        out=out, replays=replays, games=games, epochs=epochs, max_frames=max_frames, seed=seed
    )
    result = run_quickstart(config, say=say, progress=progress)
    save_json(json, result)
    say(f"report: {result['report']}")
