"""What to run, and how it is set up."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import melee

from melee_env.backends.dolphin.budgets import Budgets
from melee_env.errors import OptionError

VIRTUAL = "virtual"
CONNECT_CODE = re.compile(r"[A-Z]{1,4}#[0-9]{1,3}")
PLAYERS = ("agent", "human", *(f"cpu-{level}" for level in range(1, 10)))
EXI_AI = "ExiAI"
"""Word in the version text of builds that read inputs without polling and can fast-forward."""


@dataclass(frozen=True)
class Launch:
    """Options of the backend, checked."""

    program: str
    """the executable"""
    iso: str
    """the disc image, empty for the virtual Dolphin"""
    player2: str = "agent"
    """who plays the second seat: the environment's opponent, ``human`` at port 2, ``cpu-1`` to ``cpu-9``, or a connect
    code (``ABCD#123``) for direct online play"""
    account: Path | None = None
    """your ``user.json``, for online play"""
    speed: float = 0.0
    """1 is 60 frames a second, 0 as fast as it can"""
    blocking: bool = True
    """every frame waits for the inputs of all pipes; else the game goes on by itself"""
    headless: bool = True
    """no picture and no sound where the build allows"""
    replays: Path | None = None
    """folder for the emulator's own replays, None for none"""
    environment: Mapping[str, str] = field(default_factory=dict)
    """variables for the program"""
    budgets: Budgets = Budgets()
    """limits of every wait"""

    @property
    def online(self) -> bool:
        """The partner is found by a connect code."""
        return CONNECT_CODE.fullmatch(self.player2) is not None

    def own_code(self) -> str:
        """Return the connect code of the account, empty where it has none.

        Raises:
            OptionError: the account cannot be read.
        """
        if self.account is None:
            return ""
        try:
            return str(json.loads(self.account.read_text(encoding="utf-8")).get("connectCode", ""))
        except (OSError, ValueError, AttributeError) as error:
            raise OptionError(f"option 'account': {self.account} is no user.json ({error})") from None


def find_program(dolphin: str | os.PathLike[str] | None) -> str:
    """Return the executable behind the option ``dolphin``.

    Args:
        dolphin: the executable, a directory of an installation, or ``virtual``.

    Raises:
        OptionError: there is none.
    """
    if dolphin is None:
        raise OptionError(
            "option 'dolphin' is missing: the path of Slippi Dolphin, or 'virtual' for the one that needs no game"
        )
    if str(dolphin) == VIRTUAL:
        beside = Path(sys.executable).with_name("virtual-dolphin")
        found = str(beside) if beside.is_file() else shutil.which("virtual-dolphin")
        if found is None:
            raise OptionError("virtual-dolphin is not on PATH: install the package melee-env-suite again")
        return found
    try:
        return str(melee.console.get_exe_path(os.fspath(dolphin)))
    except (FileNotFoundError, ValueError, NotImplementedError):
        raise OptionError(
            f"option 'dolphin': no Slippi Dolphin at {os.fspath(dolphin)!r}; give the executable itself"
        ) from None


def check_iso(iso: str | os.PathLike[str] | None, virtual: bool) -> str:
    """Return the path of the disc image.

    Raises:
        OptionError: the emulator needs one and there is none.
    """
    if iso is None:
        if virtual:
            return ""
        raise OptionError("option 'iso' is missing: the path of your Melee disc image (NTSC 1.02)")
    if not virtual and not Path(iso).is_file():
        raise OptionError(f"option 'iso': no file {os.fspath(iso)!r}")
    return os.fspath(iso)


def make_launch(
    dolphin: str | os.PathLike[str] | None, iso: str | os.PathLike[str] | None, **options: Any
) -> Launch:
    """Check the backend's options.

    Raises:
        OptionError: names the option and what it may be.
    """
    virtual = str(dolphin) == VIRTUAL
    launch = Launch(find_program(dolphin), check_iso(iso, virtual), **options)
    if launch.player2 not in PLAYERS and not launch.online:
        raise OptionError(
            f"option 'player2' must be one of {', '.join(PLAYERS)} or a connect code such as ABCD#123, not "
            f"{launch.player2!r}"
        )
    if launch.online and (launch.account is None or not launch.account.is_file()):
        raise OptionError(
            "option 'account' must be your user.json for online play: Slippi Launcher keeps it where you logged in"
        )
    if launch.speed < 0:
        raise OptionError(f"option 'speed' must be 0 (as fast as it can) or above, not {launch.speed!r}")
    return launch
