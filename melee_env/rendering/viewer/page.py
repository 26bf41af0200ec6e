"""Puts the page together: template, style, scripts, tables and, on request, a recorded game."""

from __future__ import annotations

import base64
import gzip
import json
import os
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from melee_env.rendering.viewer.tables import viewer_tables
from melee_env.slp.reader import read_header

_SCRIPTS = ("slp.js", "scene.js", "player.js")


def write_viewer(path: str | os.PathLike[str], replay: str | os.PathLike[str] | None = None) -> Path:
    """Write the viewer; the file appears under its name only when it is complete.

    Args:
        path: the HTML file to write.
        replay: a ``.slp`` file that the page holds and shows at once; None writes a page that waits for a file.
            Any replay can be dropped on the page later.

    Returns:
        The path.

    Raises:
        ReplayError: the file is not a Slippi replay or cannot be read.
        OSError: the page cannot be written.
    """
    target = Path(path)
    name, recorded = "", b""
    if replay is not None:
        read_header(replay)
        name, recorded = Path(replay).name, Path(replay).read_bytes()
    pending = target.with_name(f".{target.stem}.{os.getpid()}.new{target.suffix}")
    try:
        pending.write_text(viewer_page(recorded, name), encoding="utf-8")
        os.replace(pending, target)
    finally:
        pending.unlink(missing_ok=True)
    return target


def viewer_page(replay: bytes = b"", name: str = "") -> str:
    """Return the page's text; ``replay`` are the bytes of a ``.slp`` file called ``name``."""
    here = files(__package__)
    text = here.joinpath("page.html").read_text(encoding="utf-8")
    parts = {
        "/* style */": here.joinpath("style.css").read_text(encoding="utf-8"),
        "/* scripts */": "\n".join(here.joinpath(one).read_text(encoding="utf-8") for one in _SCRIPTS),
        "TABLES": _packed_tables(),
        "REPLAY": _packed(replay) if replay else "",
        # The name stands in a script element of JSON, where only "<" could end it.
        "NAME": json.dumps(name).replace("<", "\\u003c"),
    }
    for mark, part in parts.items():
        before, found, after = text.partition(f"<!--{mark}-->" if mark.isupper() else mark)
        assert found, mark
        text = before + part + after
    return text


@lru_cache(maxsize=1)
def _packed_tables() -> str:
    return _packed(json.dumps(viewer_tables(), separators=(",", ":"), allow_nan=False).encode())


def _packed(data: bytes) -> str:
    """Return gzip in base64; without a time stamp, so that the same game gives the same page."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()
