"""``melee-env data``: recorded games; one bad file is reported and never ends a job."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, save_json, say, table

app = typer.Typer(help="Recorded games: list, count, convert, repair.", no_args_is_help=True)
PATH = typer.Argument(exists=True, help="A .slp file or a folder of them.")
CHARACTER = typer.Option(None, help="Only players of this fighter.")


@app.command()
def scan(path: Path = PATH, json: Path = JSON_OPTION) -> None:
    """List the files with their version, stage and players, from their headers."""
    from demonstrations.headers import scan as scan_headers

    headers = list(scan_headers(path))
    save_json(json, {"files": [header.as_json() for header in headers]})
    table([_header_row(header) for header in headers], ["file", "version", "stage", "players", "refused"])
    refused = sum(bool(header.reason) for header in headers)
    say(f"{len(headers)} files, {len(headers) - refused} two-player games")


@app.command()
def stats(path: Path = PATH, character: str = CHARACTER, json: Path = JSON_OPTION) -> None:
    """Count games, lengths, fighters, action states and what the hands did."""
    from demonstrations.statistics import describe

    result = describe(path, character=character)
    save_json(json, result)
    for key, value in result.items():
        if isinstance(value, (int, float, str)):
            say(f"{key}: {value}")
        elif (
            isinstance(value, dict) and value and not any(isinstance(v, (list, dict)) for v in value.values())
        ):
            shown = list(value.items())[:12]
            say(
                f"{key}: "
                + ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in shown)
            )


@app.command()
def convert(
    path: Path = PATH,
    out: Path = typer.Option(..., help="Folder of the store; a killed run goes on where it was."),
    character: str = CHARACTER,
    reader: str = typer.Option("own", help="own or peppi."),
    json: Path = JSON_OPTION,
) -> None:
    """Read every file into a store and report the outcome of each."""
    from demonstrations.convert import convert as convert_games
    from demonstrations.filters import GameFilter

    filters = GameFilter(characters=(character,)) if character else None
    report = convert_games(path, out, filters, reader)
    save_json(json, report.as_json())
    for outcome in report.files:
        if outcome.reason or outcome.skipped:
            say(
                f"{outcome.status:9}{outcome.file}: {outcome.reason or outcome.skipped} {outcome.detail}".rstrip()
            )
    counts = ", ".join(f"{count} {status}" for status, count in report.counts().items())
    say(f"{len(report.files)} files: {counts}; {sum(bool(o.stored) for o in report.files)} games in {out}")


@app.command()
def repair(
    path: Path = PATH,
    out: Path = typer.Option(..., help="Repaired file, or folder of them if PATH is a folder."),
    json: Path = JSON_OPTION,
) -> None:
    """Write what can be read of damaged recordings as proper ones."""
    from demonstrations.headers import find_files
    from demonstrations.repair import repair as repair_file
    from melee_env.errors import ReplayError

    if path.is_file():
        reading = repair_file(path, out)
        save_json(json, {"files": [_repaired(path.name, reading)]})
        say(
            f"{reading.status}: {reading.frames} frames in {out}"
            + (f" ({reading.reason})" if reading.reason else "")
        )
        return
    files: list[dict[str, Any]] = []
    for file in find_files(path):
        name = file.relative_to(path)
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            files.append(_repaired(str(name), repair_file(file, out / name)))
        except ReplayError as error:
            files.append({"file": str(name), "status": "refused", "reason": error.reason, "frames": 0})
    save_json(json, {"files": files})
    counts = Counter(str(file["status"]) for file in files)
    say(f"{len(files)} files: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))


def _repaired(name: str, reading: Any) -> dict[str, Any]:
    return {"file": name, "status": reading.status, "reason": reading.reason, "frames": reading.frames}


def _header_row(header: Any) -> list[str]:
    if header.info is None:
        return [header.path.name, "", "", "", header.reason]
    from melee_env.errors import OptionError
    from melee_env.ids import character_from_external, stage_from_external

    def name(of: Any, number: int) -> str:
        try:
            return str(of(number).name)
        except OptionError:
            return str(number)

    players = " ".join(name(character_from_external, seat.character) for seat in header.info.seats)
    version = ".".join(map(str, header.info.version))
    return [header.path.name, version, name(stage_from_external, header.info.stage), players, header.reason]
