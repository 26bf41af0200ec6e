"""The ini files that libmelee writes, read as Dolphin would."""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 51441
STANDARD, ADAPTER = 6, 12
"""SIDevice numbers of a plugged controller: one that a pipe drives, a real one."""


@dataclass(frozen=True)
class DolphinConfig:
    """What the configuration says."""

    spectator_port: int
    """UDP port of the spectator server"""
    blocking: bool
    """every frame waits for one FLUSH of every pipe"""
    speed: float
    """1 is 60 frames a second, 0 is unlimited"""
    devices: tuple[int, int, int, int]
    """SIDevice numbers of the four ports"""
    replays: Path | None
    """folder for replays, None for none"""
    monthly: bool
    """one folder of replays per month"""
    codes: frozenset[str]
    """enabled optional gecko codes"""


def read_config(user: Path, mainline: bool) -> DolphinConfig:
    """Read the files below the user directory; what is missing has Dolphin's default.

    Raises:
        ValueError: a value of the wrong type.
    """
    ini = configparser.ConfigParser(strict=False, interpolation=None)
    ini.read(user / "Config" / "Dolphin.ini")

    def slippi(name: str, fallback: str) -> str:
        section, key = ("Slippi", name) if mainline else ("Core", f"Slippi{name}")
        return ini.get(section, key, fallback=fallback)

    blocking = ini.get("Slippi" if mainline else "Core", "BlockingPipes", fallback="False")
    folder = slippi("ReplayDir", "")
    saving = slippi("SaveReplays", "True") == "True"
    devices = [ini.getint("Core", f"SIDevice{port}", fallback=0) for port in range(4)]
    return DolphinConfig(
        spectator_port=int(slippi("SpectatorLocalPort", str(DEFAULT_PORT))),
        blocking=blocking == "True",
        speed=ini.getfloat("Core", "EmulationSpeed", fallback=1.0),
        devices=(devices[0], devices[1], devices[2], devices[3]),
        # The real program falls back to a folder in the home directory; this one stays in its own.
        replays=(Path(folder) if folder else user / "Slippi" / "Replays") if saving else None,
        monthly=slippi("ReplayMonthlyFolders", "False") == "True",
        codes=_read_codes(user / "GameSettings" / "GALE01r2.ini"),
    )


def _read_codes(path: Path) -> frozenset[str]:
    """Return the names listed under ``[Gecko_Enabled]``, without ``$Optional: ``."""
    if not path.is_file():
        return frozenset()
    codes, inside = set(), False
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("["):
            inside = line.strip() == "[Gecko_Enabled]"
        elif inside and line.startswith("$"):
            codes.add(line[1:].strip().removeprefix("Optional: "))
    return frozenset(codes)
