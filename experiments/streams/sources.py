"""What can be compared: replays, traces of ``melee-env play``, and replays as libmelee shows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.dolphin.trace import SUFFIX, read_trace
from melee_env.errors import MissingExtra, OptionError
from melee_env.frame import Frames, frame_field_table

LIBMELEE = "libmelee:"
LIBMELEE_FIGHTER = {
    "percent": "percent",
    "shield_strength": "shield",
    "stock": "stocks",
    "jumps_left": "jumps",
    "action_frame": "action_frame",
    "hitlag_left": "hitlag",
    "hitstun_frames_left": "hitstun",
    "speed_air_x_self": "vel_air_x",
    "speed_ground_x_self": "vel_ground_x",
    "speed_y_self": "vel_y",
    "speed_x_attack": "knockback_x",
    "speed_y_attack": "knockback_y",
}
"""Fields of libmelee's player (0.47.6, ``gamestate.py``) and ours."""
LIBMELEE_OTHER = ("character", "action", "x", "y", "facing", "airborne")


@dataclass(frozen=True)
class Stream:
    """Frames ``[T]`` with strictly increasing numbers, and the fields (dotted paths) that they hold."""

    frames: Frames
    fields: frozenset[str]


def load_stream(name: str) -> Stream:
    """Read a stream.

    Args:
        name: a ``.slp`` file, a trace (``.npz``), or ``libmelee:FILE.slp`` for what libmelee shows of a file.

    Raises:
        OptionError: no such file, or another kind.
        ReplayError: it cannot be read.
        MissingExtra: libmelee is wanted and not installed.
    """
    path = Path(name.removeprefix(LIBMELEE))
    if not path.is_file():
        raise OptionError(f"{path}: no such file; give a .slp replay or a trace (.npz)")
    if path.suffix == SUFFIX and not name.startswith(LIBMELEE):
        return Stream(read_trace(path), _all_fields())
    if path.suffix != ".slp":
        raise OptionError(f"{name}: streams are .slp replays, traces (.npz) and libmelee:FILE.slp")
    from melee_env.slp import read_game

    game = read_game(path)
    if name.startswith(LIBMELEE):
        return _seen_by_libmelee(path, game.frames)
    absent = game.info.absent
    present = {
        field
        for field in _all_fields()
        if field.rpartition(".")[2] not in absent and field.removeprefix("seats.") not in absent
    }
    return Stream(game.frames, frozenset(present))


def _all_fields() -> frozenset[str]:
    return frozenset(path for path, _ in frame_field_table())


def _seen_by_libmelee(path: Path, frames: Frames) -> Stream:
    """Put what libmelee says of every frame over what the file says."""
    try:
        import melee
    except ImportError as error:
        raise MissingExtra("melee", "dolphin") from error
    console = melee.Console(is_dolphin=False, path=str(path), allow_old_version=True)
    console.connect()
    shown = frames.copy()
    seen = np.zeros(len(frames), bool)
    row_of = {int(number): row for row, number in enumerate(frames["frame"])}
    while (state := console.step()) is not None:
        row = row_of.get(int(state.frame))
        if row is None:
            continue
        seen[row] = True
        for seat, port in enumerate(shown["seats"]["port"][row].tolist()):
            player = state.players[port + 1]
            for name, one in (("leader", player), ("nana", player.nana)):
                if one is None:
                    continue
                fighter = shown["seats"][name]
                for theirs, ours in LIBMELEE_FIGHTER.items():
                    fighter[ours][row, seat] = getattr(one, theirs)
                fighter["character"][row, seat] = one.character.value
                fighter["action"][row, seat] = one.action.value
                fighter["x"][row, seat], fighter["y"][row, seat] = one.position.x, one.position.y
                fighter["facing"][row, seat] = 1 if one.facing else -1
                fighter["airborne"][row, seat] = not one.on_ground
    names = (*LIBMELEE_FIGHTER.values(), *LIBMELEE_OTHER)
    fields = {f"seats.{fighter}.{name}" for fighter in ("leader", "nana") for name in names}
    return Stream(shown[seen], frozenset({"frame", *fields}))
