"""``melee-env fidelity``: the engine against recorded games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, save_json, say, table

MIN_VERSION = (2, 0, 0)
HIT_STATES = 20
"""victim states that are printed; the JSON has all"""


def fidelity(
    paths: list[Path] = typer.Argument(exists=True, help="Recordings, or folders of them."),
    json: Path = JSON_OPTION,
    html: Path = typer.Option(
        None, help="Folder for a page per game: two traces, the first differences marked."
    ),
    page: Path = typer.Option(
        None, exists=True, dir_okay=False, help="Markdown file whose tables between markers are written anew."
    ),
    label: str = typer.Option("clean games", help="Name of the games, and of the markers, in that file."),
) -> None:
    """Check the engine against recorded games: one step from every frame, and free runs.

    A folder means its two-player games of Slippi 2.0 or later on the six stages with normal ratios; a file
    that is named is always tried.
    """
    from experiments.fidelity.page import write_tables
    from experiments.fidelity.summary import Summary
    from experiments.provenance import command, machine

    summary = Summary()
    skipped: list[dict[str, str]] = []
    for file in _files(paths, skipped):
        reason = _add(summary, file, html)
        if reason:
            skipped.append({"file": file.name, "reason": reason})
        else:
            say(f"{file.name}: checked")
    result = {**summary.as_json(), "skipped": skipped, "command": command(), "machine": machine()}
    save_json(json, result)
    for entry in skipped:
        say(f"{entry['file']}: skipped, {entry['reason']}")
    if not summary.games:
        from melee_env.errors import OptionError

        raise OptionError("no game to check; give two-player recordings of Slippi 2.0 or later")
    if page is not None:
        write_tables(page, label, result)
    _show(result)


def _files(paths: list[Path], skipped: list[dict[str, str]]) -> Iterator[Path]:
    from demonstrations.filters import GameFilter
    from demonstrations.headers import scan
    from melee_env.ids import Stage

    wanted = GameFilter(stages=tuple(Stage), min_version=MIN_VERSION)
    for path in paths:
        if path.is_file():
            yield path
            continue
        for header in scan(path):
            reason = header.reason or (wanted.refusal(header.info) if header.info else "")
            if reason:
                skipped.append({"file": header.path.name, "reason": reason})
            else:
                yield header.path


def _add(summary: Any, file: Path, html: Path | None) -> str:
    """Check one file and write its page into ``html``; return why it cannot be checked, or nothing."""
    from experiments.fidelity.trace_page import trace_page
    from experiments.files import write_text
    from melee_env.errors import ReplayError
    from melee_env.slp.reader import read_game

    try:
        game = read_game(file)
    except ReplayError as error:
        return error.reason
    result = summary.add(file.name, game)
    if html is not None:
        html.mkdir(parents=True, exist_ok=True)
        write_text(html / f"{file.stem}.html", trace_page(file.name, game, result.starts))
    return ""


def _show(result: dict[str, Any]) -> None:
    say(f"{result['games']} games, {result['fighter_frames']:,} fighter frames")
    headers = [
        "",
        "frames",
        "state",
        "all fields",
        "bit exact",
        "speeds exact",
        "median run",
        "precision",
        "recall",
    ]
    rows = [_row("all", result)]
    for kind in ("by_character", "by_stage", "by_family"):
        rows += [_row(name, part) for name, part in result[kind].items()]
    table(rows, headers)
    _show_hits(result["hits_by_victim_state"])
    for miss in result["top_misses"]:
        say(
            f"{miss['count']:6} times state {miss['before']} -> {miss['ours']}, recorded {miss['recorded']}: "
            f"{miss['file']} frame {miss['frame']} seat {miss['seat']} {miss['diff']}"
        )


def _show_hits(states: dict[str, dict[str, Any]]) -> None:
    """Print the states in which most victims are hit, with the shares on the very frame after those within one."""
    headers = [
        "hit in state",
        "recorded",
        "predicted",
        "precision",
        "recall",
        "exact precision",
        "exact recall",
    ]
    often = sorted(states.items(), key=lambda entry: -max(entry[1]["recorded"], entry[1]["predicted"]))
    rows = [
        [
            state,
            hits["recorded"],
            hits["predicted"],
            *(_figure(hits[name.replace(" ", "_")]) for name in headers[3:]),
        ]
        for state, hits in often[:HIT_STATES]
    ]
    table(rows, headers)


def _row(name: str, part: dict[str, Any]) -> list[Any]:
    figures = [*part["one_step"].values(), part["free_run"]["median_frames"]]
    figures += [part["hits"]["precision"], part["hits"]["recall"]]
    return [name, part["fighter_frames"], *map(_figure, figures)]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
