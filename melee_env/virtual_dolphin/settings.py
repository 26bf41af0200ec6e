"""What a virtual Dolphin can be told beyond Dolphin's own arguments: by flag, or by ``VIRTUAL_DOLPHIN_*``.

libmelee starts the program itself, so the environment is the way to reach it from a bot.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from melee_env.virtual_dolphin.faults import Faults

OLDEST, NEWEST = (3, 0, 0), (3, 19, 0)
"""Slippi versions whose events can be written."""
BUILDS = ("mainline-exiai", "mainline", "ishiiruka-exiai", "ishiiruka")


class SettingError(Exception):
    """A flag or variable has an impossible value."""


@dataclass(frozen=True)
class Settings:
    """One run of the program."""

    user: Path
    """Dolphin's user directory"""
    iso: str = ""
    """path of the disc image; never opened"""
    platform: str = ""
    """``headless`` or empty; there is no picture either way"""
    build: str = BUILDS[0]
    """which build ``--version`` claims"""
    slippi: tuple[int, int, int] = (3, 19, 0)
    """Slippi version of the stream and the replays"""
    seed: int | None = None
    """seed of the first game, one more for each further game; None draws one"""
    human: str = "scripted:idle"
    """who sits at a port with an adapter"""
    rollback: tuple[int, int] = (0, 0)
    """every so many frames, so many frames are sent again with other inputs of the second player; 0 never"""
    partner: str = ""
    """connect code at which ``human`` answers in direct online play, empty for nobody"""
    side: int = 1
    """port of the local player in an online game, 1 or 2"""
    faults: Faults = Faults()
    """what goes wrong"""


FLAGS = {
    "build": "build that --version claims: " + ", ".join(BUILDS),
    "slippi": "Slippi version of the stream, 3.0.0 to 3.19.0",
    "seed": "seed of the first game",
    "human": "who sits at a port with an adapter, or online at the other side, such as scripted:fighter-3",
    "partner": "connect code at which that player answers in direct online play",
    "side": "port of the local player in an online game, 1 or 2",
    "rollback": "EVERY,FRAMES: send FRAMES frames again every EVERY frames",
    "fault": "what goes wrong, NAME or NAME:NUMBER, several with commas",
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="virtual-dolphin",
        description="Looks like Slippi Dolphin to libmelee and needs no game. Each of the long options below "
        "can also be given as a variable VIRTUAL_DOLPHIN_NAME.",
    )
    parser.add_argument("-v", "--version", action="store_true", help="print the version as the build does")
    parser.add_argument("-e", "--exec", dest="iso", default="", help="disc image; never opened")
    parser.add_argument("-u", "--user", type=Path, help="user directory")
    parser.add_argument("-b", "--batch", action="store_true", help="accepted, changes nothing")
    parser.add_argument("-p", "--platform", default="", help="accepted, changes nothing")
    for name, text in FLAGS.items():
        parser.add_argument(f"--{name}", help=text)
    return parser


def parse(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> tuple[Settings, bool]:
    """Return the settings, and whether only the version is wanted.

    Raises:
        SettingError: an impossible value.
    """
    given = build_parser().parse_args(arguments)
    text = {
        name: getattr(given, name) or environment.get(f"VIRTUAL_DOLPHIN_{name.upper()}", "") for name in FLAGS
    }
    if given.user is None and not given.version:
        raise SettingError(
            "-u DIRECTORY is missing: libmelee gives it, and the ini files are read from there"
        )
    build = text["build"] or BUILDS[0]
    if build not in BUILDS:
        raise SettingError(f"build must be one of {', '.join(BUILDS)}, not {build!r}")
    try:
        return (
            Settings(
                user=given.user or Path(),
                iso=given.iso,
                platform=given.platform,
                build=build,
                slippi=_version(text["slippi"]) if text["slippi"] else Settings.slippi,
                seed=int(text["seed"]) if text["seed"] else None,
                human=text["human"] or Settings.human,
                partner=text["partner"],
                side=_side(text["side"]) if text["side"] else Settings.side,
                rollback=_pair(text["rollback"]) if text["rollback"] else Settings.rollback,
                faults=Faults.parse(text["fault"]),
            ),
            given.version,
        )
    except ValueError as error:
        raise SettingError(str(error)) from error


def _version(text: str) -> tuple[int, int, int]:
    parts = [int(part) for part in text.split(".")]
    if len(parts) != 3 or not OLDEST <= tuple(parts) <= NEWEST:
        raise ValueError(f"slippi must be a version from 3.0.0 to 3.19.0, not {text!r}")
    return parts[0], parts[1], parts[2]


def _side(text: str) -> int:
    if text not in ("1", "2"):
        raise ValueError(f"side must be 1 or 2, not {text!r}")
    return int(text)


def _pair(text: str) -> tuple[int, int]:
    every, _, frames = text.partition(",")
    if not (every.isdigit() and frames.isdigit() and int(every) > int(frames) > 0):
        raise ValueError(f"rollback must be EVERY,FRAMES with EVERY > FRAMES > 0, not {text!r}")
    return int(every), int(frames)
