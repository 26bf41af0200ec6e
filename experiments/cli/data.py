"""``melee-env data``: recorded games; one bad file is reported and never ends a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import typer

from experiments.cli.console import JSON_OPTION, progress, save_json, say, table

app = typer.Typer(
    help="Recorded games: list, count, convert, encode, export, repair, fetch.", no_args_is_help=True
)
PATH = typer.Argument(exists=True, help="A .slp file or a folder of them.")
CHARACTER = typer.Option(None, help="Only players of this fighter.")
OPPONENT = typer.Option(None, help="Only against this fighter.")
STAGE = typer.Option(None, help="Only on this stage; repeatable.")
RANK = typer.Option(None, help="Only of this rank, by the recording's name; repeatable.")
HUMANS = typer.Option(False, "--humans", help="Only games without a CPU player.")
MIN_FRAMES = typer.Option(0, min=0, help="Fewest frames of a game.")
MIN_QUALITY = typer.Option(0, min=0, max=100, help="Fewest points of the quality score; 60 is usual.")
MIN_VERSION = typer.Option("0.0.0", help="Oldest Slippi version, e.g. 3.5.0.")


@app.command()
def scan(path: Path = PATH, json: Path = JSON_OPTION) -> None:
    """List the files with their version, stage and players, from their headers."""
    from demonstrations.headers import scan as scan_headers

    with progress("files") as update:
        headers = []
        for header in scan_headers(path):
            headers.append(header)
            update(len(headers), None)
    save_json(json, {"files": [header.as_json() for header in headers]})
    table([_header_row(header) for header in headers], ["file", "version", "stage", "players", "refused"])
    refused = sum(bool(header.reason) for header in headers)
    say(f"{len(headers)} files, {len(headers) - refused} two-player games")


@app.command()
def stats(
    path: Path = PATH,
    character: str = CHARACTER,
    port: int = typer.Option(None, min=1, max=4, help="Only the player of this port."),
    practice: bool = typer.Option(
        False, "--practice", help="Only a drill's part to learn from: GO to its final self-destruct."
    ),
    html: Path = typer.Option(None, metavar="FILE.html", help="Also write a page with charts."),
    json: Path = JSON_OPTION,
) -> None:
    """Count games, lengths, fighters, players, quality, action states and what the hands did."""
    from demonstrations.statistics import describe
    from experiments.report.data_page import state_rows, write_data_page

    with progress("games") as update:
        result = describe(
            path, character, port=port, practice=practice, on_game=lambda done: update(done, None)
        )
    save_json(json, result)
    if html is not None:
        write_data_page(html, result, title=f"Recorded games: {path.name}")
    for key, value in result.items():
        if isinstance(value, (int, float, str)):
            say(f"{key}: {value}")
        elif isinstance(value, dict) and value:
            shown = list(value.items())[:12]
            say(f"{key}: " + ", ".join(f"{k} {_short(v)}" for k, v in shown))
    table(state_rows(result["states"])[:12], ["state", "name", "share %"])


@app.command()
def encode(
    path: Path = PATH,
    out: Path = typer.Option(..., help="Folder of the tensors; a killed run goes on where it was."),
    observation: str = typer.Option("compact", help="Observation encoder."),
    action: str = typer.Option("multidiscrete", help="Action codec."),
    reward: str = typer.Option("", help="Reward to store with every step, e.g. damage+stock."),
    character: str = CHARACTER,
    opponent: str = OPPONENT,
    stage: list[str] = STAGE,
    rank: list[str] = RANK,
    humans: bool = HUMANS,
    min_frames: int = MIN_FRAMES,
    min_quality: float = MIN_QUALITY,
    min_version: str = MIN_VERSION,
    jobs: int = typer.Option(1, min=1, help="Processes, one per core."),
    part: str = typer.Option(
        "", metavar="K/N", help="Only the K-th of N parts, for N machines; finish with one run without this."
    ),
    json: Path = JSON_OPTION,
) -> None:
    """Encode recordings, a store or tensor shards into training tensors that load without a copy."""
    from demonstrations.encode import encode as encode_games
    from demonstrations.shards import TensorStore

    filters = _filters(character, opponent, stage, rank, humans, min_frames, min_quality, min_version)
    with progress("files") as update:
        outcomes = encode_games(
            path, out, observation, action, reward, filters, jobs, part=_part(part), progress=update
        )
    if part:
        save_json(json, {"files": [vars(o) for o in outcomes]})
        say(f"{len(outcomes)} files, part {part}, in {out}; run once without --part when all parts are there")
        return
    store = TensorStore(out)
    episodes = sum(len(part.episodes) for part in store.parts())
    counts = Counter("encoded" if o.stored else o.skipped or o.reason for o in outcomes)
    save_json(json, {"files": [vars(o) for o in outcomes], "rows": len(store), "episodes": episodes})
    say(f"{len(outcomes)} files: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    say(f"{episodes} episodes, {len(store):,} rows in {out}")


def _filters(
    character: str | None,
    opponent: str | None,
    stage: list[str] | None,
    rank: list[str] | None,
    humans: bool,
    min_frames: int,
    min_quality: float,
    min_version: str,
) -> Any:
    """Return the conditions on games that the options name; a wrong name is refused before the first file."""
    from demonstrations.filters import RANKS, GameFilter
    from melee_env.errors import OptionError
    from melee_env.ids import Character, Stage, parse

    numbers = min_version.split(".")
    if len(numbers) > 3 or not all(number.isdecimal() for number in numbers):
        raise OptionError(f"--min-version is a version like 3.5.0, not {min_version!r}")
    major, minor, patch = (*map(int, numbers), 0, 0)[:3]
    for name in rank or ():
        if name.lower() not in RANKS:
            raise OptionError(f"unknown rank {name!r}; known: {', '.join(RANKS)}")
    return GameFilter(
        characters=tuple(parse(Character, name).name for name in [character] if name),
        opponents=tuple(parse(Character, name).name for name in [opponent] if name),
        stages=tuple(parse(Stage, name).name for name in stage or ()),
        min_version=(major, minor, patch),
        min_frames=min_frames,
        humans_only=humans,
        min_quality=min_quality,
        ranks=tuple(name.lower() for name in rank or ()),
    )


def _part(text: str) -> tuple[int, int] | None:
    """Read ``K/N``."""
    from melee_env.errors import OptionError

    if not text:
        return None
    k, _, n = text.partition("/")
    if not (k.isdecimal() and n.isdecimal()):
        raise OptionError(f"--part is K/N, e.g. 1/4, not {text!r}")
    return int(k), int(n)


@app.command()
def minari(
    path: Path = PATH,
    out: Path = typer.Option(..., help="Folder of Minari data sets (MINARI_DATASETS_PATH)."),
    name: str = typer.Option(..., "--id", help="Id of the data set, e.g. melee/fox-v0."),
    character: str = CHARACTER,
    observation: str = typer.Option("compact", help="Observation encoder."),
    action: str = typer.Option("multidiscrete", help="Action codec."),
    reward: str = typer.Option("damage+stock", help="Reward of every step."),
    author: str = typer.Option("", help="Who made the data set."),
    author_email: str = typer.Option("", help="How to reach the author."),
    code_permalink: str = typer.Option("", help="Versioned code that made it."),
    json: Path = JSON_OPTION,
) -> None:
    """Export trajectories as a Minari data set."""
    from demonstrations import load_trajectories
    from demonstrations.filters import GameFilter
    from demonstrations.games import iterate_games
    from demonstrations.minari_export import Description, export

    filters = GameFilter(characters=(character,) if character else ())

    def trajectories() -> Iterator[Any]:
        with progress("games") as update:
            for number, game in enumerate(iterate_games(path, filters)):
                yield from load_trajectories(game, character, observation, action, reward)
                update(number + 1, None)

    about = Description(
        observation=observation,
        action=action,
        author=author,
        author_email=author_email,
        code_permalink=code_permalink,
    )
    result = export(trajectories(), name, out, about)
    save_json(json, result)
    say(f"{result['episodes']} episodes, {result['steps']:,} steps in {out / name}")


@app.command()
def fetch(
    name: str = typer.Argument(help="replays, mimic, mimic-subset, or owner/name on the Hugging Face hub."),
    out: Path = typer.Option(..., help="Folder; files that are there whole are kept, half ones continued."),
    revision: str = typer.Option("main", help="Branch, tag or commit."),
    files: list[str] = typer.Option(["*"], help="Which files, e.g. '*.json'; may be given again."),
    limit: int = typer.Option(0, min=0, help="Most files besides JSON ones, 0 for all."),
    endpoint: str = typer.Option(None, help="Another hub than the public one."),
    json: Path = JSON_OPTION,
) -> None:
    """Download a public set of recordings, by revision."""
    from demonstrations.hub import fetch as fetch_files

    result = fetch_files(name, out, revision, files, limit, endpoint)
    save_json(json, result)
    say(f"{len(result['files'])} files of {result['repository']} at {result['commit'][:12]} in {out}")


@app.command()
def convert(
    path: Path = PATH,
    out: Path = typer.Option(..., help="Folder of the store; a killed run goes on where it was."),
    character: str = CHARACTER,
    opponent: str = OPPONENT,
    stage: list[str] = STAGE,
    rank: list[str] = RANK,
    humans: bool = HUMANS,
    min_frames: int = MIN_FRAMES,
    min_quality: float = MIN_QUALITY,
    min_version: str = MIN_VERSION,
    reader: str = typer.Option("own", help="own or peppi."),
    rollback: Literal["last", "first"] = typer.Option(
        "last", help="What finally happened (last), or what the players were shown (first)."
    ),
    jobs: int = typer.Option(1, min=1, help="Processes, one per core."),
    json: Path = JSON_OPTION,
) -> None:
    """Read every file into a store and report the outcome of each."""
    from demonstrations.convert import convert as convert_games

    filters = _filters(character, opponent, stage, rank, humans, min_frames, min_quality, min_version)
    report = convert_games(path, out, filters, reader, rollback, jobs)
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

    if path.is_file():
        reading = repair_file(path, out)
        save_json(json, {"files": [_repaired(path.name, reading)]})
        say(
            f"{reading.status}: {reading.frames} frames in {out}"
            + (f" ({reading.reason})" if reading.reason else "")
        )
        return
    files: list[dict[str, Any]] = []
    found = find_files(path)
    with progress("files") as update:
        for file in found:
            files.append(_repair_one(file, file.relative_to(path), out))
            update(len(files), len(found))
    save_json(json, {"files": files})
    counts = Counter(str(file["status"]) for file in files)
    say(f"{len(files)} files: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))


def _repair_one(file: Path, name: Path, out: Path) -> dict[str, Any]:
    from demonstrations.repair import repair as repair_file
    from melee_env.errors import ReplayError

    (out / name).parent.mkdir(parents=True, exist_ok=True)
    try:
        return _repaired(str(name), repair_file(file, out / name))
    except ReplayError as error:
        return {"file": str(name), "status": "refused", "reason": error.reason, "frames": 0}


def _repaired(name: str, reading: Any) -> dict[str, Any]:
    return {"file": name, "status": reading.status, "reason": reading.reason, "frames": reading.frames}


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


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
