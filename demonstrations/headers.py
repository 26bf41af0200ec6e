"""List what a folder of recordings holds, from the first and last kilobytes of each file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from melee_env.errors import OptionError, ReplayError
from melee_env.game import GameInfo
from melee_env.slp.reader import read_header
from melee_env.slp.start import check_versus


@dataclass(frozen=True)
class Header:
    """One file of a folder."""

    path: Path
    """the file"""
    info: GameInfo | None
    """who played what where; None if the file is refused"""
    reason: str = ""
    """why it is refused or no two-player game (``not_versus``), else empty"""

    def as_json(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        info = None if self.info is None else info_to_json(self.info)
        return {"file": str(self.path), "reason": self.reason, "info": info}


def find_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the ``.slp`` files of a folder and the folders in it, by name; a file gives itself.

    Raises:
        OptionError: nothing is there.
    """
    root = Path(path)
    if root.is_dir():
        return sorted(file for file in root.rglob("*.slp") if file.is_file())
    if root.exists():
        return [root]
    raise OptionError(f"{root} does not exist; give a .slp file, a folder of them or a store")


def scan(path: str | os.PathLike[str]) -> Iterator[Header]:
    """List the files of a folder with their headers; a bad file is listed, never fatal.

    Raises:
        OptionError: nothing is there.
    """
    for file in find_files(path):
        try:
            info = read_header(file)
        except ReplayError as error:
            yield Header(file, None, error.reason)
            continue
        try:
            check_versus(info, file)
        except ReplayError as error:
            yield Header(file, info, error.reason)
        else:
            yield Header(file, info)


def info_to_json(info: GameInfo) -> dict[str, Any]:
    """Return a game's description as plain JSON values."""
    return {**asdict(info), "version": list(info.version), "absent": sorted(info.absent)}
