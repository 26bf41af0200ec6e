"""``melee-env umi``: agents as bots of the Universal Melee Interface, the engine as its arena."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, save_json, say

app = typer.Typer(
    help="Universal Melee Interface: serve an agent as a bot, or bots with the engine.", no_args_is_help=True
)


@app.callback()
def group() -> None:
    """Universal Melee Interface: serve an agent as a bot, or bots with the engine."""
    from melee_env.errors import MissingExtra

    if importlib.util.find_spec("umi") is None:
        raise MissingExtra("umi-melee", "umi")


@app.command("bot")
def bot(
    agent: str = typer.Argument(help="Checkpoint folder, or an agent's name (see 'agents list')."),
    delay: int = typer.Option(None, min=0, max=30, help="Input delay to declare; default: the arena's."),
    socket: str = typer.Option(None, metavar="PATH", help="The arena's socket; default: UMI_SOCKET."),
) -> None:
    """Play for an arena with AGENT. Check it with: umi-conform --cmd "melee-env umi bot AGENT" --delay 18."""
    from experiments.umi.bot import serve_agent

    serve_agent(agent, delay, socket)


@app.command("arena")
def arena(
    first: str = typer.Argument(
        help="'cmd:COMMAND' starts a UMI bot; else a checkpoint folder or agent's name."
    ),
    second: str = typer.Argument(help="The same for the other side."),
    games: int = typer.Option(8, min=1, help="How many games, all at once."),
    delay: int = typer.Option(18, min=0, max=30, help="Input delay in frames."),
    character: str = typer.Option("FOX", help="The first player's fighter."),
    opponent_character: str = typer.Option("FOX", help="The other fighter."),
    stage: str = typer.Option("BATTLEFIELD", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    seconds: int = typer.Option(480, min=1, help="Time limit of a game."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Let two players, each a UMI bot or one of our agents, play each other on the engine."""
    from experiments.umi.arena import play_arena
    from melee_env.backends.base import MatchOptions
    from melee_env.ids import Character, Stage, parse

    options = MatchOptions(
        characters=(parse(Character, character), parse(Character, opponent_character)),
        stage=parse(Stage, stage),
        stocks=(stocks, stocks),
        time_limit=60 * seconds,
    )
    results = play_arena((first, second), options, games=games, delay=delay, seed=seed)
    save_json(
        json,
        {
            "players": results.players,
            "games": games,
            "seed": seed,
            "delay": delay,
            "win_rate": results.win_rate.to_json(),
            "outcomes": results.outcomes,
            "frames": results.frames,
        },
    )
    say(f"{results.players[0]} against {results.players[1]}: {games} games, delay {delay}, seed {seed}")
    say(f"win rate  {results.win_rate}")
