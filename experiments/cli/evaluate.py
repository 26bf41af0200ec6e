"""``melee-env eval``: games against an opponent, every figure with its interval."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, progress, save_json, say


def evaluate(
    agent: str = typer.Argument(help="Checkpoint folder, or an agent's name (see 'agents list')."),
    opponent: str = typer.Option("scripted:fighter-3", help="Checkpoint folder or name of the other side."),
    games: int = typer.Option(30, min=1, help="How many games; the seats alternate."),
    seed: int = SEED_OPTION,
    character: str = typer.Option("FOX", help="The agent's fighter."),
    opponent_character: str = typer.Option("FOX", help="The other fighter."),
    stage: str = typer.Option("FINAL_DESTINATION", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    seconds: int = typer.Option(480, min=1, help="Time limit of a game."),
    record: Path = typer.Option(None, metavar="FILE.slp", help="Write the first game as a Slippi replay."),
    json: Path = JSON_OPTION,
) -> None:
    """Play AGENT against an opponent and report win rate, net stocks and net damage with 95 % intervals."""
    from experiments.evaluation import make_player, play_games
    from experiments.provenance import command, machine

    ours, theirs = make_player(agent), make_player(opponent)
    with progress("games") as update:
        results = play_games(
            ours,
            theirs,
            games,
            seed,
            character=character,
            opponent_character=opponent_character,
            stage=stage,
            stocks=stocks,
            time_limit=60 * seconds,
            record=(0,) if record else (),
            progress=update,
        )
    if record:
        from melee_env.slp import write_game

        write_game(record, results.recordings[0])
    save_json(json, {**results.summary(), "command": command(), "machine": machine()})
    say(f"{agent} against {opponent}: {games} games, seed {seed}, {results.options['stage']}")
    say(f"win rate            {results.win_rate}")
    say(f"net stocks          {results.mean_net_stocks}")
    say(f"net damage per min  {results.net_damage_per_min}")
    if record:
        say(f"first game: {record}")
