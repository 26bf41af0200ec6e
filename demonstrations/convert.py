"""Turn a folder of recordings into a store: one outcome per file, whatever the files are.

The job can be killed and started again; it goes on where it was and ends with the same bytes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from demonstrations import mimic
from demonstrations.filters import GameFilter
from demonstrations.games import game_key
from demonstrations.processes import ordered_map
from demonstrations.readers import find_sources, read
from demonstrations.store import (
    Store,
    digest_of,
    game_path,
    load_outcome,
    save_game,
    write_atomically,
)
from melee_env.errors import OptionError, ReplayError
from melee_env.slp.rollback import Rollback


@dataclass(frozen=True)
class Outcome:
    """What became of one file."""

    file: str
    """path below the source folder"""
    status: str
    """``read``, ``repaired``, ``partial`` or ``refused``"""
    reason: str = ""
    """empty, or a stable code (see :class:`melee_env.slp.Reading` and :class:`ReplayError`)"""
    frames: int = 0
    """frames that were read"""
    stored: str = ""
    """digest of the stored game, empty if it is not stored"""
    skipped: str = ""
    """why a readable game is not stored: ``not_versus``, ``duplicate`` or the filter's code"""
    detail: str = ""
    """the reason in words"""


@dataclass(frozen=True)
class Report:
    """Outcomes of all files, by name."""

    files: tuple[Outcome, ...]
    """one per file"""

    def counts(self) -> dict[str, int]:
        """Return how many files have each status."""
        return dict(sorted(Counter(outcome.status for outcome in self.files).items()))

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values: ``files[]`` and ``counts``."""
        return {"counts": self.counts(), "files": [asdict(outcome) for outcome in self.files]}


def convert(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    filters: GameFilter | None = None,
    reader: str = "own",
    rollback: Rollback = "last",
    jobs: int = 1,
    progress: bool = True,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> Report:
    """Read every recording of a folder into a store, and write ``report.json`` beside the games.

    ``.pt`` shards are not converted, they are encoded as they are (see :mod:`demonstrations.encode`).

    Args:
        source: folder (or file).
        out: the store's folder.
        filters: which games to keep; all two-player games with normal ratios by default.
        reader: see :mod:`demonstrations.readers`.
        rollback: see :func:`melee_env.slp.read_game`.
        jobs: processes; their number changes no byte.
        progress: show a bar, if standard error is a terminal.
        on_outcome: called after each file.

    Raises:
        OptionError: nothing at ``source``; ``out`` was made from something else, or another run uses it.
        MissingExtra: pyarrow is not installed.
        OSError: ``out`` cannot be written.
    """
    filters = filters or GameFilter()
    sources = [entry for entry in find_sources(source) if entry[0].suffix != mimic.SUFFIX]
    settings = {
        "source": str(Path(source).resolve()),
        "reader": reader,
        "rollback": rollback,
        "filters": json.loads(json.dumps(asdict(filters), default=str)),
    }
    store = Store(out, settings)
    outcomes: list[Outcome] = []
    with _alone(store):
        store.start()
        work = [(file, name, store.root, settings, filters) for file, name in sources]
        recordings: set[str] = set()
        games: dict[str, str] = {}
        for digest, game, outcome in _with_progress(
            ordered_map(_convert_file, work, jobs), len(work), progress
        ):
            if outcome.stored and (digest in recordings or games.setdefault(game, digest) != digest):
                outcome = replace(outcome, stored="", skipped="duplicate")
            recordings.add(digest)
            outcomes.append(outcome)
            if on_outcome is not None:
                on_outcome(outcome)
        store.finish([(o.file, o.stored, o.frames) for o in outcomes if o.stored])
        report = Report(tuple(outcomes))
        write_atomically(store.root / "report.json", json.dumps(report.as_json(), indent=1).encode())
    return report


def _convert_file(work: tuple[Path, str, Path, dict[str, Any], GameFilter]) -> tuple[str, str, Outcome]:
    """Read one file into the store; return its digest, the game's key and the outcome."""
    file, name, root, settings, filters = work
    try:
        digest = digest_of(file)
    except OSError as error:
        return "", "", Outcome(name, "refused", "unreadable", detail=error.strerror or str(error))
    skipped = filters.refusal_of_name(name)
    if skipped:
        return digest, "", Outcome(name, "read", skipped=skipped)
    target = game_path(root, digest)
    if target.exists():
        with contextlib.suppress(ReplayError):  # a damaged game is made again
            known = load_outcome(target)
            return digest, known.pop("game"), Outcome(**{**known, "file": name, "stored": digest})
    try:
        reading = read(file, settings["reader"], settings["rollback"])
    except ReplayError as error:
        return digest, "", Outcome(name, "refused", error.reason, detail=error.detail)
    except Exception as error:  # one file never ends the job; this one deserves a bug report
        detail = f"{type(error).__name__}: {error}"
        return digest, "", Outcome(name, "refused", "internal_error", detail=detail)
    outcome = Outcome(name, reading.status, reading.reason, reading.frames, detail=reading.detail)
    if reading.game is None:
        return digest, "", replace(outcome, skipped="not_versus")
    refusal = filters.refusal_of(reading.game)
    if refusal:
        return digest, "", replace(outcome, skipped=refusal)
    key = game_key(reading.game)
    known = {field: value for field, value in asdict(outcome).items() if field not in ("file", "stored")}
    save_game(target, reading.game, {**known, "game": key})
    return digest, key, replace(outcome, stored=digest)


@contextlib.contextmanager
def _alone(store: Store) -> Iterator[None]:
    """Keep a second run out of the folder, and remove what a killed one left half written."""
    with open(store.root / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OptionError(f"another run is converting into {store.root}; wait for it") from error
        for leftover in (*store.root.glob(".*.part"), *(store.root / "games").glob(".*")):
            leftover.unlink()
        yield


def _with_progress(results: Iterator[Any], count: int, progress: bool) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if not progress or not console.is_terminal:
        yield from results
        return
    yield from track(results, description="Reading games", total=count, console=console, transient=True)
