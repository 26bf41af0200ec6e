"""How long each wait for the emulator may take."""

from __future__ import annotations

from dataclasses import dataclass, fields

from melee_env.errors import OptionError


@dataclass(frozen=True)
class Budgets:
    """Seconds, each with the error that ends the wait."""

    version: float = 20.0
    """answer to ``--version`` (DolphinExited)"""
    start: float = 60.0
    """from the start of the program to its first answer (DolphinExited, PipeTimeout, NoProgress)"""
    menus: float = 60.0
    """from one game to the next (MenuStuck)"""
    frame: float = 10.0
    """one frame (NoProgress)"""
    stop: float = 5.0
    """end of the program (it is killed, so this is for the operating system)"""

    def __post_init__(self) -> None:
        """Refuse what is no number of seconds.

        Raises:
            OptionError: a value of 0 or less.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise OptionError(f"budget {field.name!r} must be a number of seconds above 0, got {value!r}")
