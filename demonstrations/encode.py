"""Turn recordings into training tensors, one shard per group of files, one process per core.

A group is the unit of work: it is read, encoded and written as a whole, so a killed job goes on at the next
group, and any number of processes (or machines that share the folder) gives the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from demonstrations import mimic
from demonstrations.convert import Outcome
from demonstrations.filters import GameFilter
from demonstrations.processes import ordered_map
from demonstrations.readers import find_sources, read
from demonstrations.shards import FORMAT, MANIFEST, Shard, write_shard
from demonstrations.store import digest_of, write_atomically
from demonstrations.tensors import Rows, TensorEncoder
from melee_env.errors import MissingExtra, OptionError, ReplayError
from melee_env.frame import schema_hash

GROUP = 64
"""Files in a shard: about 280 MB of two-player games."""


def source_digests(source: str | os.PathLike[str]) -> dict[str, str]:
    """Return the digest of every file of a source, by its name below it."""
    return {name: digest_of(file) for file, name in find_sources(source)}


def encode(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    observation: str = "compact",
    action: str = "multidiscrete",
    reward: str = "",
    filters: GameFilter | None = None,
    jobs: int = 1,
    group: int = GROUP,
    part: tuple[int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Encode every game of ``source`` into the folder ``out``.

    Several machines that share both folders each take a ``part``; one call without ``part`` then checks every shard,
    makes those that are missing, and writes the manifest.

    Args:
        source: a file, a folder of them or a store; see :func:`demonstrations.readers.find_sources`.
        out: the folder; an unfinished one is gone on with.
        observation: name of the observation encoder.
        action: name of the action codec.
        reward: name of the reward, empty for none.
        filters: which games, and whose play, to keep.
        jobs: processes.
        group: files in a shard.
        part: ``(k, n)``, 1-based: only every ``n``-th shard, from the ``k``-th on, and no manifest; None for all.
        progress: called with files done and their number.

    Returns:
        One outcome per file, in the order of their names; it is also kept with the shards.

    Raises:
        OptionError: nothing at ``source``, an unknown name, an impossible part, or ``out`` was begun with other
            settings.
        MissingExtra: pyarrow is not installed.
    """
    filters = filters or GameFilter()
    if part is not None and not 1 <= part[0] <= part[1]:
        raise OptionError(f"part must be K/N with 1 <= K <= N, not {part[0]}/{part[1]}")
    files, root = find_sources(source), Path(out)
    encoder = TensorEncoder(observation, action, reward)
    settings = {
        "observation": observation,
        "action": action,
        "reward": reward,
        "filters": json.loads(json.dumps(asdict(filters), default=str)),
        "group": group,
    }
    head = {
        "format": FORMAT,
        "frame_schema": schema_hash(),
        "observation_schema": encoder.encoder.schema_hash,
        "settings": settings,
    }
    _claim(root, head)
    if part is None:
        for leftover in root.glob(".*.part"):
            leftover.unlink()
    work = [
        (part, root / f"{number:05d}.arrow", observation, action, reward, filters)
        for number, part in enumerate(_groups(files, group))
    ]
    if part is not None:
        work = work[part[0] - 1 :: part[1]]
        files = [entry for entries, *_ in work for entry in entries]
    outcomes: list[Outcome] = []
    for made in ordered_map(encode_group, work, jobs):
        outcomes += [Outcome(**outcome) for outcome in made]
        if progress is not None:
            progress(len(outcomes), len(files))
    if part is not None:
        return outcomes
    for stale in set(root.glob("*.arrow")) - {path for _, path, *_ in work}:
        stale.unlink()
    _finish(root, head, [path for _, path, *_ in work])
    return outcomes


def _groups(files: list[tuple[Path, str]], group: int) -> list[list[tuple[Path, str]]]:
    """Cut the list of files into groups; a file that holds many games is a group of its own."""
    single = [entry for entry in files if entry[0].suffix != mimic.SUFFIX]
    groups = [single[begin : begin + group] for begin in range(0, len(single), group)]
    return groups + [[entry] for entry in files if entry[0].suffix == mimic.SUFFIX]


def _claim(root: Path, head: dict[str, Any]) -> None:
    """Take an empty folder, or one that was begun with the same settings."""
    root.mkdir(parents=True, exist_ok=True)
    mark = root / "settings.json"
    if mark.exists() and json.loads(mark.read_text()) != head:
        raise OptionError(
            f"{root} was begun with other settings (see {mark.name}); encode into another folder"
        )
    write_atomically(mark, json.dumps(head, indent=1, sort_keys=True).encode())
    (root / MANIFEST).unlink(missing_ok=True)  # it is not finished until it is written again


def encode_group(work: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Make one shard, unless it is there and its files have not changed; return its files' outcomes.

    Args:
        work: the files with their names, the shard, names of observation, action and reward, and the filters.
    """
    files, path, observation, action, reward, filters = work
    sources = [{"file": name, "digest": _digest(file)} for file, name in files]
    if path.exists():
        try:
            head = Shard(path).head
        except OptionError:
            pass  # a damaged shard is made again
        else:
            if head["sources"] == sources:
                return head["outcomes"]
    encoder = TensorEncoder(observation, action, reward)
    outcomes: list[dict[str, Any]] = []

    def rows() -> Iterator[Rows]:
        yield encoder.nothing()
        for file, name in files:
            encode_one = _encode_shard if file.suffix == mimic.SUFFIX else _encode_file
            outcome = yield from encode_one(file, name, encoder, filters)
            outcomes.append(asdict(outcome))

    write_shard(path, rows(), lambda: {"sources": sources, "outcomes": outcomes})
    return outcomes


def _digest(file: Path) -> str:
    try:
        return digest_of(file)
    except OSError:
        return ""


def _encode_shard(
    file: Path, name: str, encoder: TensorEncoder, filters: GameFilter
) -> Generator[Rows, None, Outcome]:
    """Yield every game of a ``.pt`` shard, each as the player saw it whose view it is; return the outcome."""
    frames, taken = 0, 0
    try:
        for game_name, game in mimic.stream_shard(file):
            frames += len(game)
            if not filters.refusal_of(game) and 0 in filters.seats(game.info):
                yield encoder.encode(game, [0], f"{name}#{game_name.rpartition('#')[2]}")
                taken += 1
    except (ReplayError, OptionError) as error:
        reason = error.reason if isinstance(error, ReplayError) else "bad_shard"
        if not frames:
            return Outcome(name, "refused", reason, detail=str(error))
        return Outcome(name, "partial", reason, frames, name, detail=str(error))
    return Outcome(name, "read", "", frames, name if taken else "", "" if taken else "filter")


def _encode_file(
    file: Path, name: str, encoder: TensorEncoder, filters: GameFilter
) -> Generator[Rows, None, Outcome]:
    """Yield the game of a recording, if it is wanted; return the outcome."""
    skipped = filters.refusal_of_name(name)
    if skipped:
        return Outcome(name, "read", skipped=skipped)
    try:
        reading = read(file)
    except ReplayError as error:
        return Outcome(name, "refused", error.reason, detail=error.detail)
    except MissingExtra:
        raise
    except Exception as error:  # one file never ends the job; this one deserves a bug report
        return Outcome(name, "refused", "internal_error", detail=f"{type(error).__name__}: {error}")
    outcome = Outcome(name, reading.status, reading.reason, reading.frames, detail=reading.detail)
    if reading.game is None:
        return replace(outcome, skipped="not_versus")
    skipped = filters.refusal_of(reading.game)
    if skipped:
        return replace(outcome, skipped=skipped)
    rows = encoder.encode(reading.game, filters.seats(reading.info), name)
    yield rows
    return replace(outcome, stored=rows.episodes[0].game if rows.episodes else "")


def _finish(root: Path, head: dict[str, Any], paths: Sequence[Path]) -> None:
    """Write the manifest: every shard's size, and which of its files hold a game that an earlier file holds."""
    first: dict[str, str] = {}
    entries, total = [], 0
    for path in paths:
        shard = Shard(path)
        games = {episode.source: episode.game for part in shard.parts for episode in part.episodes}
        twice = [name for name, game in games.items() if first.setdefault(game, name) != name]
        entry = {"file": path.name, "rows": len(shard), "bytes": path.stat().st_size, "duplicates": twice}
        entries.append(entry)
        total += len(shard)
    manifest = {**head, "rows": total, "shards": entries}
    write_atomically(root / MANIFEST, json.dumps(manifest, indent=1).encode())
