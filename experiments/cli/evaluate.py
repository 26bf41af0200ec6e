"""``melee-env eval``: games against an opponent, every figure with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, progress, require_folders, save_json, say, table


def evaluate(
    context: typer.Context,
    agent: str = typer.Argument(help="Checkpoint folder, or an agent's name (see 'agents list')."),
    baseline: str = typer.Option(
        None, help="Checkpoint folder or name to be compared with, on the same games."
    ),
    opponent: str = typer.Option("scripted:fighter-3", help="Checkpoint folder or name of the other side."),
    games: int = typer.Option(30, min=1, help="How many games; the seats alternate."),
    seed: int = SEED_OPTION,
    character: str = typer.Option(
        None, help="The agent's fighter (default FOX); of recordings, only its players (default all)."
    ),
    opponent_character: str = typer.Option("FOX", help="The other fighter."),
    stage: str = typer.Option("FINAL_DESTINATION", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    seconds: int = typer.Option(480, min=1, help="Time limit of a game."),
    record: Path = typer.Option(None, metavar="FILE.slp", help="Write the first game as a Slippi replay."),
    data: Path = typer.Option(
        None,
        exists=True,
        help="Instead of playing, predict the players of these recordings: a file, folder or store.",
    ),
    seen: Path = typer.Option(
        None,
        exists=True,
        help="The recordings that the agent was trained on: tell what it meets that they do not hold.",
    ),
    expert: str = typer.Option(
        None, help="With --seen: who knows what to do on every frame, e.g. teacher:multishine."
    ),
    perturbed: bool = typer.Option(
        False, "--perturbed", help="Start anywhere on the stage, in the air too, with up to 120 % damage."
    ),
    fixture: Path = typer.Option(
        None, exists=True, dir_okay=False, help="Instead of playing, compare presses with this recording."
    ),
    fixture_seat: int = typer.Option(None, min=0, max=1, help="Whose presses in the recording (default 0)."),
    html: Path = typer.Option(None, metavar="FILE.html", help="Also write a page with charts."),
    json: Path = JSON_OPTION,
) -> None:
    """Play AGENT against an opponent and report win rate, net stocks and net damage with 95 % intervals.

    With --data or --fixture it does not play: it is shown recordings, and its choices are compared with the players'.
    """
    from melee_env.errors import OptionError

    require_folders(html, json, record)
    if data is not None:
        _refuse_others(context, "data", "baseline", "character")
        _evaluate_on_recordings(agent, baseline, data, character, html, json)
        return
    if fixture is not None:
        _refuse_others(context, "fixture", "fixture_seat")
        _evaluate_on_fixture(agent, fixture, fixture_seat or 0, html, json)
        return
    if fixture_seat is not None:
        raise OptionError("--fixture-seat needs --fixture")
    if expert is not None and seen is None:
        raise OptionError("--expert needs --seen, the recordings that the agent was trained on")
    from experiments.evaluation import compare, make_player, play_games
    from experiments.evaluation.players import require_fighter
    from experiments.evaluation.recordings import require_networks
    from experiments.evaluation.rollouts import evaluate_rollout, learn_manifold
    from experiments.report.evaluation_tables import difference_rows
    from melee_env.ids import Character, parse

    options: dict[str, Any] = {
        "character": character or "FOX",
        "opponent_character": opponent_character,
        "stage": stage,
        "stocks": stocks,
        "time_limit": 60 * seconds,
        "perturbed": perturbed,
    }
    players = {name: make_player(name) for name in (agent, baseline) if name is not None}
    teacher = None if expert is None else make_player(expert)
    if teacher is not None:
        require_networks(list(players.values()))
        require_fighter(teacher, parse(Character, options["character"]))
    manifold = None if seen is None else learn_manifold(seen, options["character"])
    recorded = range(games) if manifold else range(1 if record else 0)
    with progress("games") as update:
        results = play_games(
            players[agent],
            make_player(opponent),
            games,
            seed,
            record=tuple(recorded),
            progress=update,
            **options,
        )
    summary = results.summary()
    if manifold is not None:
        summary["manifold"] = evaluate_rollout(results, manifold, teacher, players).summary()
    if baseline is not None:
        other = play_games(players[baseline], make_player(opponent), games, seed, **options)
        summary["baseline"], summary["difference"] = other.summary(), compare(results, other)
    say(f"{agent} against {opponent}: {games} games, seed {seed}, {results.options['stage']}")
    say(f"win rate            {results.win_rate}")
    say(f"net stocks          {results.mean_net_stocks}")
    say(f"net damage per min  {results.net_damage_per_min}")
    if baseline is not None:
        say(f"minus {baseline} on the same games:")
        table(*difference_rows(summary["difference"]))
    if seen is not None:
        _say_manifold(summary["manifold"], baseline)
    if record:
        from melee_env.slp import write_game

        write_game(record, results.recordings[0])
        say(f"first game: {record}")
    _save(summary, f"{agent} against {opponent}", html, json)


def _say_manifold(manifold: Mapping[str, Any], baseline: str | None) -> None:
    from experiments.evaluation.reading import count_reasons
    from experiments.report.evaluation_tables import agreement_rows, bounds, difference_rows, unseen_rows

    on, frames = manifold["on"], manifold["frames"]
    say(f"\non the manifold     {on['mean']:.3f} {bounds(on)} of {frames:,} frames")
    say(
        f"{manifold['seen']} holds {manifold['seen_situations']:,} situations in {manifold['seen_games']} games"
    )
    if manifold["skipped"]:
        reasons = count_reasons({entry["file"]: entry["reason"] for entry in manifold["skipped"]})
        say(f"{len(manifold['skipped'])} of its files not used: {reasons}")
    if manifold["unseen"]:
        say("most visited off it:")
        table(*unseen_rows(manifold))
    if "agreement" in manifold:
        say(f"\nagreement of the most likely action with {manifold['expert']}, all on the same frames:")
        table(*agreement_rows(manifold))
    if "difference" in manifold:
        say(f"\nwhole action, minus {baseline} on the same frames:")
        table(*difference_rows(manifold["difference"]))


def _save(found: Mapping[str, Any], title: str, html: Path | None, json: Path | None) -> None:
    """Write the files that the user asked for."""
    from experiments.provenance import command, machine
    from experiments.report.evaluation_page import write_evaluation_page

    found = {**found, "command": command(), "machine": machine()}
    save_json(json, found)
    if html is not None:
        write_evaluation_page(html, found, title)


def _refuse_others(context: typer.Context, mode: str, *read: str) -> None:
    """Refuse options that were given and would not be read."""
    from melee_env.errors import OptionError

    for name in context.params:
        source = context.get_parameter_source(name)
        if (
            name not in {"agent", "html", "json", mode, *read}
            and source is not None
            and source.name == "COMMANDLINE"
        ):
            option = "--" + name.replace("_", "-")
            raise OptionError(
                f"{option} has no effect with --{mode.replace('_', '-')}; leave one of them out"
            )


def _evaluate_on_recordings(
    name: str, baseline: str | None, path: Path, character: str | None, html: Path | None, json: Path | None
) -> None:
    from experiments.evaluation.players import make_player
    from experiments.evaluation.reading import count_reasons
    from experiments.evaluation.recordings import compare_recordings, evaluate_recordings, require_networks
    from experiments.report.evaluation_tables import (
        bounds,
        button_rows,
        difference_rows,
        family_rows,
        head_rows,
    )

    players = [make_player(one) for one in (name, baseline) if one is not None]
    require_networks(players)
    with progress("games") as update:
        results, *others = [
            evaluate_recordings(player, path, character=character, progress=update) for player in players
        ]
    found = results.summary()
    for other in others:
        found["baseline"], found["difference"] = other.summary(), compare_recordings(results, other)
    who = f"players of {character}" if character else "all players"
    say(f"{name} on {path}: {found['games']} games, {found['frames']:,} frames of {who}")
    if results.skipped:
        say(f"{len(results.skipped)} files skipped: {count_reasons(results.skipped)}")
    for label, key in (("all heads", ""), ("whole action", "exact_")):
        interval, majority = bounds(found[f"{key}interval"]), found[f"{key}majority_baseline"]
        say(f"{label:<14}{found[f'{key}accuracy']:.3f} {interval}, majority {majority:.3f}")
    for rows in (head_rows, button_rows, family_rows):
        say()
        table(*rows(found))
    if baseline is not None:
        say(f"\nminus {baseline} on the same games:")
        table(*difference_rows(found["difference"]))
    _save(found, f"{name} on {path.name}", html, json)


def _evaluate_on_fixture(name: str, path: Path, seat: int, html: Path | None, json: Path | None) -> None:
    from experiments.evaluation.fixture import fixture_agreement, load_fixture
    from experiments.evaluation.players import make_player
    from experiments.evaluation.recordings import require_network
    from experiments.report.evaluation_tables import fixture_rows

    agent = require_network(make_player(name))
    fixture = load_fixture(path, seat, agent.encoder.name, agent.codec.name, agent.delay)
    result = fixture_agreement(agent, fixture)
    found = {"agent": agent.name, **result, "fixture": path.name}
    say(f"{name} on {path}: {result['frames']:,} frames; B and X as recorded, by offset in frames:")
    majority = result["majority_baseline"]
    table(
        [
            [offset, share, majority]
            for offset, share in zip(result["offsets"], result["agreement"], strict=True)
        ],
        ["offset", "agreement", "majority"],
    )
    say(f"best offset {result['best_offset']}\n")
    table(*fixture_rows(found))
    _save(found, f"{name} on {path.name}", html, json)
