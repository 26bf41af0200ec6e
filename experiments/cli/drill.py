"""``melee-env drill``: one drill and its metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, require_folders, save_json, say, table


def drill(
    name: str = typer.Argument(help="The drill: multishine."),
    agent: str = typer.Option("teacher:multishine", help="Checkpoint folder or name."),
    frames: int = typer.Option(None, min=1, help="Length of a game in frames; 60 a second."),
    seconds: float = typer.Option(None, min=0.1, help="Length of a game in seconds (default 120)."),
    games: int = typer.Option(1, min=1, help="With more than one, every figure has an interval."),
    opponent: str = typer.Option("scripted:idle", help="Who stands on the other side."),
    stage: str = typer.Option("FINAL_DESTINATION", help="Stage."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Let an agent do a drill and count what it achieves."""
    from experiments.evaluation import make_player, run_drill
    from experiments.provenance import command, machine
    from melee_env.errors import OptionError

    require_folders(json)
    if frames is not None and seconds is not None:
        raise OptionError("give --frames or --seconds, not both")
    length = frames if frames is not None else round(60 * (seconds or 120.0))
    result = run_drill(
        name,
        make_player(agent),
        frames=length,
        games=games,
        opponent=make_player(opponent),
        stage=stage,
        seed=seed,
    )
    save_json(json, {**result, "command": command(), "machine": machine()})
    say(f"{name}: {agent} against {opponent}, {games} x {length} frames, seed {seed}")
    table([[key, *_columns(value)] for key, value in result["figures"].items()], _headers(games))


def _headers(games: int) -> list[str]:
    return ["figure", "value"] if games == 1 else ["figure", "mean", "median", "low", "high"]


def _columns(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return ["–" if value[key] is None else value[key] for key in ("mean", "median", "low", "high")]
    return [value]
