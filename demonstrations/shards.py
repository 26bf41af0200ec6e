"""Training tensors on disk: Arrow files that are mapped into memory, and a manifest that says what they are.

``manifest.json`` names the schema, the encoder, the codec, every shard with its rows and bytes, and every
source file with its digest. A folder that is short, damaged or made from something else is refused.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demonstrations.arrow import import_arrow
from demonstrations.columns import Columns
from demonstrations.tensors import ARRAYS, Episode, Rows, concatenate
from melee_env.errors import OptionError
from melee_env.frame import schema_hash
from melee_env.observations import make_encoder

FORMAT = 2
MANIFEST = "manifest.json"
EPISODES, HEAD = b"episodes", b"head"
"""Keys of the JSON texts beside every batch, and beside an empty last one"""
BATCH_ROWS = 1_000_000
"""Rows of a batch, about 250 MB of compact observations."""
RESIDENT_BYTES = 128 << 20
"""Mapped bytes that are touched before their pages are given back (they stay in the file cache)."""


def write_shard(path: Path, parts: Iterable[Rows], make_head: Callable[[], Mapping[str, Any]]) -> None:
    """Write rows as one Arrow file, whole or not at all; no more than one batch of them is in memory at a time.

    Args:
        path: the file.
        parts: what to write.
        make_head: gives JSON values to keep with the rows, asked when all parts have been taken.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    pa = import_arrow()
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    writer = None
    try:
        with pa.OSFile(str(beside), "wb") as sink:
            for rows in _batches(parts):
                batch = _to_batch(pa, rows)
                if writer is None:
                    writer = pa.ipc.new_file(sink, batch.schema)
                text = json.dumps([asdict(episode) for episode in rows.episodes], sort_keys=True)
                writer.write_batch(batch, custom_metadata={EPISODES: text})
            if writer is None:
                raise ValueError("a shard needs rows, even if there are none of them")
            text = json.dumps(make_head(), sort_keys=True)
            writer.write_batch(batch.slice(0, 0), custom_metadata={HEAD: text})
            writer.close()
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _batches(parts: Iterable[Rows]) -> Iterator[Rows]:
    """Lay parts end to end until they are long enough."""
    held: list[Rows] = []
    for part in parts:
        held.append(part)
        if sum(map(len, held)) >= BATCH_ROWS:
            yield concatenate(held)
            held = []
    if held:
        yield concatenate(held)


def _to_batch(pa: Any, rows: Rows) -> Any:
    columns, fields = [], []
    for name in ARRAYS:
        array = np.ascontiguousarray(getattr(rows, name))
        column = pa.array(array.reshape(-1))
        if array.ndim > 1:
            column = pa.FixedSizeListArray.from_arrays(column, int(np.prod(array.shape[1:])))
        columns.append(column)
        fields.append(pa.field(name, column.type, nullable=False))
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


class Shard:
    """One mapped file.

    Args:
        path: the file.

    Raises:
        OptionError: it is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        pa = import_arrow()
        self.parts: list[Rows] = []
        """its rows, as they were written"""
        try:
            with open(path, "rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            table = pa.ipc.open_file(pa.py_buffer(self._map))
            for number in range(table.num_record_batches - 1):
                batch, words = table.get_batch_with_custom_metadata(number)
                arrays = {name: _numpy(batch.column(name)) for name in ARRAYS}
                episodes = tuple(Episode(**episode) for episode in json.loads(words[EPISODES]))
                self.parts.append(Rows(**arrays, episodes=episodes))
            words = table.get_batch_with_custom_metadata(table.num_record_batches - 1).custom_metadata
            self.head: dict[str, Any] = json.loads(words[HEAD])
        except (OSError, ValueError, KeyError, IndexError, TypeError, pa.ArrowException) as error:
            detail = str(error).split("\n")[0]
            raise OptionError(f"{path} is damaged ({detail}); remove it and encode again") from error

    def __len__(self) -> int:
        """Number of rows."""
        return sum(map(len, self.parts))

    def release(self) -> None:
        """Give the mapped pages back; they are read again from the file cache when needed."""
        self._map.madvise(mmap.MADV_DONTNEED)


class TensorStore:
    """A folder of shards.

    Args:
        root: the folder that :func:`demonstrations.encode.encode` made.
        expected: settings that it must have been made with, e.g. ``{"observation": "compact"}``.

    Raises:
        OptionError: not such a folder, an unfinished or damaged one, or one made with other settings, another
            frame schema or another encoder.
        MissingExtra: pyarrow is not installed.
    """

    def __init__(self, root: str | os.PathLike[str], expected: Mapping[str, Any] | None = None) -> None:
        self.root = Path(root)
        self.manifest = read_manifest(self.root)
        self.settings: dict[str, Any] = self.manifest["settings"]
        encoder = make_encoder(self.settings["observation"])
        wanted = {"format": FORMAT, "frame_schema": schema_hash(), "observation_schema": encoder.schema_hash}
        found = {**self.manifest, **self.settings}
        for key, value in {**wanted, **(expected or {})}.items():
            if found.get(key) != value:
                raise OptionError(
                    f"{self.root} was made with {key} {found.get(key)!r}, not {value!r}; encode into another folder"
                )
        self.columns = Columns(encoder.size, encoder.one_hot)
        self.names: list[str] = encoder.names
        self.previous, self.shows_delay = encoder.previous, encoder.shows_delay
        self.shards: list[Shard] = []
        for entry in self.manifest["shards"]:
            path = self.root / entry["file"]
            size = path.stat().st_size if path.exists() else 0
            if size != entry["bytes"]:
                raise OptionError(f"{path} has {size} bytes, {entry['bytes']} expected; encode again")
            shard = Shard(path)
            if len(shard) != entry["rows"]:
                raise OptionError(f"{path} has {len(shard)} rows, {entry['rows']} expected; encode again")
            self.shards.append(shard)

    def check_source(self, digests: Mapping[str, str]) -> None:
        """Compare with the source as it is now.

        Args:
            digests: digest by file name below the source (see :func:`demonstrations.encode.source_digests`).

        Raises:
            OptionError: a file is new, gone or changed.
        """
        known = {item["file"]: item["digest"] for shard in self.shards for item in shard.head["sources"]}
        if known != dict(digests):
            changed = sorted(name for name in {*known, *digests} if known.get(name) != digests.get(name))
            raise OptionError(
                f"{self.root} is older than its source ({len(changed)} files differ, e.g. {changed[0]}); encode again"
            )

    def parts(self) -> list[Rows]:
        """Return every shard's rows; episodes of games that occur twice are listed once."""
        parts = []
        for shard, entry in zip(self.shards, self.manifest["shards"], strict=True):
            twice = set(entry["duplicates"])
            for rows in shard.parts:
                own = tuple(episode for episode in rows.episodes if episode.source not in twice)
                parts.append(replace(rows, episodes=own))
        return parts

    def __len__(self) -> int:
        """Number of rows."""
        return sum(map(len, self.shards))

    def release(self) -> None:
        """Give all mapped pages back."""
        for shard in self.shards:
            shard.release()


def read_manifest(root: Path) -> dict[str, Any]:
    """Return a folder's manifest.

    Raises:
        OptionError: there is none, or it is damaged.
    """
    try:
        return json.loads((root / MANIFEST).read_text())
    except FileNotFoundError:
        raise OptionError(
            f"{root} holds no finished tensors (no {MANIFEST}); make them with 'data encode'"
        ) from None
    except ValueError as error:
        raise OptionError(
            f"{root / MANIFEST} is damaged ({error}); remove the folder and encode again"
        ) from error


def _numpy(column: Any) -> NDArray[Any]:
    """View an Arrow column as an array without a copy."""
    if hasattr(column, "flatten") and hasattr(column.type, "list_size"):
        flat = column.flatten().to_numpy(zero_copy_only=True)
        return flat.reshape(len(column), column.type.list_size)
    return column.to_numpy(zero_copy_only=True)
