"""Payload sizes of every Slippi version from 3.0 on: an older event is the newest one, cut shorter.

Source: project-slippi's format notes (which field came with which version), compared with recordings.
"""

from __future__ import annotations

from melee_env.slp import events

Version = tuple[int, int, int]
OLDEST: Version = (3, 0, 0)
"""First version whose stream closes every frame (libmelee refuses older ones)."""

_SIZES: dict[int, tuple[tuple[Version, int], ...]] = {
    events.START: (
        ((3, 0, 0), 418), ((3, 7, 0), 420), ((3, 9, 0), 584), ((3, 11, 0), 700), ((3, 12, 0), 701), ((3, 14, 0), 760),
    ),
    events.PRE: (((3, 0, 0), 63), ((3, 15, 0), 64), ((3, 17, 0), 66)),
    events.POST: (((3, 0, 0), 52), ((3, 5, 0), 72), ((3, 8, 0), 76), ((3, 11, 0), 80), ((3, 16, 0), 84)),
    events.END: (((3, 0, 0), 2), ((3, 13, 0), 6)),
    events.FRAME_START: (((3, 0, 0), 8), ((3, 10, 0), 12)),
    events.ITEM: (((3, 0, 0), 37), ((3, 2, 0), 41), ((3, 6, 0), 42), ((3, 16, 0), 44)),
    events.BOOKEND: (((3, 0, 0), 4), ((3, 7, 0), 8)),
    events.FOD_PLATFORM: (((3, 18, 0), 9),),
    events.WHISPY: (((3, 18, 0), 5),),
    events.STADIUM: (((3, 18, 0), 8),),
    events.GECKO: (((3, 3, 0), 512),),
    events.SPLIT: (((3, 3, 0), 516),),
}  # fmt: skip


def payload_sizes(version: Version = events.WRITTEN_VERSION) -> dict[int, int]:
    """Return the payload size of every event that ``version`` knows, by command.

    Raises:
        ValueError: a version before 3.0 or after the written one.
    """
    if not OLDEST <= version <= events.WRITTEN_VERSION:
        newest = ".".join(map(str, events.WRITTEN_VERSION))
        raise ValueError(f"Slippi version must be 3.0.0 to {newest}, not {'.'.join(map(str, version))}")
    sizes = {}
    for command, steps in _SIZES.items():
        known = [size for since, size in steps if since <= version]
        if known:
            sizes[command] = known[-1]
    return sizes
