"""``melee-env eval``: games against an opponent, every figure with its interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, progress, save_json, say


def evaluate(
    agent: str = typer.Argument(help="Checkpoint folder, or an agent's name (see 'agents list')."),
    baseline: str = typer.Option(
        None, help="Checkpoint folder or name that plays the same games, to be compared with."
    ),
    opponent: str = typer.Option("scripted:fighter-3", help="Checkpoint folder or name of the other side."),
    games: int = typer.Option(30, min=1, help="How many games; the seats alternate."),
    seed: int = SEED_OPTION,
    character: str = typer.Option("FOX", help="The agent's fighter."),
    opponent_character: str = typer.Option("FOX", help="The other fighter."),
    stage: str = typer.Option("FINAL_DESTINATION", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    seconds: int = typer.Option(480, min=1, help="Time limit of a game."),
    record: Path = typer.Option(None, metavar="FILE.slp", help="Write the first game as a Slippi replay."),
    fixture: Path = typer.Option(
        None, exists=True, dir_okay=False, help="Instead of playing, compare presses with this recording."
    ),
    fixture_seat: int = typer.Option(0, min=0, max=1, help="Whose presses in the recording."),
    json: Path = JSON_OPTION,
) -> None:
    """Play AGENT against an opponent and report win rate, net stocks and net damage with 95 % intervals."""
    if fixture is not None:
        _evaluate_on_fixture(agent, fixture, fixture_seat, json)
        return
    from experiments.evaluation import compare, make_player, play_games
    from experiments.provenance import command, machine

    options: dict[str, Any] = {
        "character": character,
        "opponent_character": opponent_character,
        "stage": stage,
        "stocks": stocks,
        "time_limit": 60 * seconds,
    }
    with progress("games") as update:
        results = play_games(
            make_player(agent),
            make_player(opponent),
            games,
            seed,
            record=(0,) if record else (),
            progress=update,
            **options,
        )
    summary = results.summary()
    if baseline is not None:
        other = play_games(make_player(baseline), make_player(opponent), games, seed, **options)
        summary["baseline"], summary["difference"] = other.summary(), compare(results, other)
    if record:
        from melee_env.slp import write_game

        write_game(record, results.recordings[0])
    save_json(json, {**summary, "command": command(), "machine": machine()})
    say(f"{agent} against {opponent}: {games} games, seed {seed}, {results.options['stage']}")
    say(f"win rate            {results.win_rate}")
    say(f"net stocks          {results.mean_net_stocks}")
    say(f"net damage per min  {results.net_damage_per_min}")
    if baseline is not None:
        say(f"minus {baseline} on the same games:")
        for name, row in summary["difference"].items():
            low, high = ("–" if row[key] is None else f"{row[key]:.2f}" for key in ("low", "high"))
            needed = "–" if row["games_needed"] is None else row["games_needed"]
            say(f"{name:<20}{row['mean']:.2f} [{low}, {high}], games needed to see it: {needed}")
    if record:
        say(f"first game: {record}")


def _evaluate_on_fixture(name: str, path: Path, seat: int, json: Path | None) -> None:
    from agents.network_agent import NetworkAgent
    from experiments.evaluation.fixture import fixture_agreement, load_fixture
    from experiments.evaluation.players import make_player
    from experiments.provenance import command, machine
    from melee_env.errors import OptionError

    agent = make_player(name)
    if not isinstance(agent, NetworkAgent):
        raise OptionError(f"{name!r} has no network to show a recording to; name a checkpoint folder")
    fixture = load_fixture(path, seat, agent.encoder.name, agent.codec.name)
    result = fixture_agreement(agent, fixture)
    save_json(json, {**result, "fixture": path.name, "command": command(), "machine": machine()})
    say(f"{result['frames']} frames; majority baseline {result['majority_baseline']:.4f}")
    for offset, agreement in zip(result["offsets"], result["agreement"], strict=True):
        say(f"offset {offset}: B and X as recorded on {agreement:.4f}")
