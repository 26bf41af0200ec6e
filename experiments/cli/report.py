"""``melee-env report``: one self-contained HTML page about a checkpoint."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import SEED_OPTION, progress, say


def report(
    checkpoint: Path = typer.Argument(exists=True, file_okay=False, help="Checkpoint folder."),
    out: Path = typer.Option(None, metavar="FILE.html", help="The page (default report.html in the folder)."),
    opponent: str = typer.Option("scripted:fighter-3", help="Who it plays against."),
    games: int = typer.Option(20, min=0, help="Games to play for the table of results; 0 for none."),
    character: str = typer.Option("FOX", help="The agent's fighter."),
    opponent_character: str = typer.Option("FOX", help="The other fighter."),
    stage: str = typer.Option("FINAL_DESTINATION", help="Stage."),
    seconds: int = typer.Option(120, min=1, help="Time limit of a game."),
    seed: int = SEED_OPTION,
) -> None:
    """Write loss curves, accuracies beside baselines, press rates, stick heat maps and results to one page."""
    from experiments.evaluation import make_player, play_games
    from experiments.report import write_report

    agent = make_player(checkpoint)
    results = []
    if games:
        with progress("games") as update:
            results.append(
                play_games(
                    agent,
                    make_player(opponent),
                    games,
                    seed,
                    character=character,
                    opponent_character=opponent_character,
                    stage=stage,
                    time_limit=60 * seconds,
                    progress=update,
                )
            )
    out = out or checkpoint / "report.html"
    write_report(
        out, title=f"Report: {checkpoint.name}", meta=getattr(agent, "meta", {}), results=results, seed=seed
    )
    say(f"report: {out}")
