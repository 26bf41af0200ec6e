"""Result files that are either complete or not there."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Give a path to write to; it takes the name ``path`` when the block ends without an error.

    An earlier file of that name stays untouched until then.
    """
    target = Path(path)
    pending = target.with_name(f".{target.stem}.{os.getpid()}.new{target.suffix}")
    try:
        yield pending
        os.replace(pending, target)
    finally:
        pending.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file at once."""
    with whole_file(path) as pending:
        pending.write_text(text, encoding="utf-8")


def write_json(path: str | Path, value: Any) -> None:
    """Write JSON at once; arrays become lists, NaN and infinity null."""
    write_text(path, json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def plain(value: Any) -> Any:
    """Return ``value`` in JSON's own types."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
