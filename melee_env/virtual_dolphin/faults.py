"""Faults on request, so that a client's handling of a broken emulator can be tested."""

from __future__ import annotations

from dataclasses import dataclass

NAMES = {
    "exit": "end at once with this exit code",
    "die": "kill the program when this many frames were played",
    "no-pipe": "never open a controller pipe",
    "no-server": "never shake hands on the spectator port",
    "stop-reading": "read no controller pipe after this many frames",
    "stop-sending": "send nothing after this many frames, but go on reading",
    "repeat-frame": "send this frame of a game twice",
    "stuck-menu": "menus ignore the controllers",
    "slow": "take this many milliseconds longer for each frame",
    "stderr-flood": "write this many kilobytes to stderr at the start",
    "ignore-sigterm": "do not end on SIGTERM",
}
NEEDS_NUMBER = {"exit", "die", "stop-reading", "stop-sending", "repeat-frame", "slow", "stderr-flood"}


@dataclass(frozen=True)
class Faults:
    """The chosen faults, ``(name, number)``."""

    chosen: tuple[tuple[str, int], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Faults:
        """Read ``NAME`` or ``NAME:NUMBER``, several with commas.

        Raises:
            ValueError: an unknown name, or a number that is missing.
        """
        chosen = []
        for part in filter(None, text.split(",")):
            name, _, number = part.partition(":")
            if name not in NAMES:
                raise ValueError(f"unknown fault {name!r}; known: {', '.join(NAMES)}")
            if not number.isdigit() and (number or name in NEEDS_NUMBER):
                raise ValueError(f"fault {name!r} needs a number, as in {name}:100")
            chosen.append((name, int(number or 0)))
        return cls(tuple(chosen))

    def number(self, name: str) -> int | None:
        """Return the number of a chosen fault, None if it was not chosen."""
        return dict(self.chosen).get(name)

    def due(self, name: str, frames: int) -> bool:
        """Tell whether a fault that waits for a number of frames has come."""
        number = self.number(name)
        return number is not None and frames >= number
