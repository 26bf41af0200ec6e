"""``melee-env league``: a round robin with Elo ratings."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, progress, require_folders, save_json, say, table


def league(
    players: list[str] = typer.Argument(help="Checkpoint folders or agents' names, two or more."),
    games: int = typer.Option(20, min=1, help="Games of every pair; the seats alternate."),
    seed: int = SEED_OPTION,
    character: str = typer.Option("FOX", help="Fighter of the first of a pair."),
    opponent_character: str = typer.Option("FOX", help="Fighter of the second."),
    stage: str = typer.Option("FINAL_DESTINATION", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    seconds: int = typer.Option(480, min=1, help="Time limit of a game."),
    json: Path = JSON_OPTION,
) -> None:
    """Let everyone play everyone and report win rates and Elo ratings (K 32, start 1000) with 95 % intervals."""
    from experiments.league.round_robin import play_league
    from experiments.provenance import command, machine

    require_folders(json)
    with progress("pairs") as update:
        played = play_league(
            players,
            games,
            seed,
            progress=update,
            character=character,
            opponent_character=opponent_character,
            stage=stage,
            stocks=stocks,
            time_limit=60 * seconds,
        )
    save_json(json, {**played.to_json(), "command": command(), "machine": machine()})
    ranking = sorted(zip(played.elo, played.players, strict=True), key=lambda row: -row[0].mean)
    table(
        [[name, f"{r.mean:.0f}", f"{r.low:.0f}", f"{r.high:.0f}"] for r, name in ranking],
        ["player", "Elo", "low", "high"],
    )
    say()
    table(
        [
            [played.players[a], played.players[b], len(results), str(results.win_rate)]
            for (a, b), results in played.pairs.items()
        ],
        ["first", "second", "games", "first's win rate"],
    )
