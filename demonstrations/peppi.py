"""Read ``.slp`` files with peppi-py, into the same frames as the project's own reader.

peppi-py's public classes drop items, seeds and stage events, so the arrow table behind them is read.
Its parser panics on some files and prints a backtrace: both are turned into :class:`ReplayError`.
"""

from __future__ import annotations

import base64
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import MissingExtra, ReplayError
from melee_env.frame import FIGHTER_DTYPE, NUM_ITEMS, Frames, empty_frames
from melee_env.game import Game, GameInfo
from melee_env.ids import Character, Stage
from melee_env.slp import events
from melee_env.slp.randall import randall_position
from melee_env.slp.reader import read_header
from melee_env.slp.rollback import Rollback, choose
from melee_env.slp.start import check_versus

_PRE = {
    "pre_action": "state",
    "pre_x": "position.x",
    "pre_y": "position.y",
    "pre_facing": "direction",
    "pre_percent": "percent",
}
_CONTROLLER = {
    "stick_x": "joystick.x",
    "stick_y": "joystick.y",
    "cstick_x": "cstick.x",
    "cstick_y": "cstick.y",
    "trigger": "triggers",
    "trigger_l": "triggers_physical.l",
    "trigger_r": "triggers_physical.r",
    "processed_buttons": "buttons",
    "buttons": "buttons_physical",
    "raw_x": "raw_analog_x",
    "raw_y": "raw_analog_y",
    "raw_cx": "raw_analog_cstick_x",
    "raw_cy": "raw_analog_cstick_y",
}
_POST = {
    "character": "character",
    "action": "state",
    "x": "position.x",
    "y": "position.y",
    "facing": "direction",
    "percent": "percent",
    "shield": "shield",
    "last_attack": "last_attack_landed",
    "combo": "combo_count",
    "last_hit_by": "last_hit_by",
    "stocks": "stocks",
    "action_frame": "state_age",
    "hitstun": "misc_as",
    "airborne": "airborne",
    "ground": "ground",
    "jumps": "jumps",
    "l_cancel": "l_cancel",
    "hurtbox": "hurtbox_state",
    "vel_air_x": "velocities.self_x_air",
    "vel_y": "velocities.self_y",
    "knockback_x": "velocities.knockback_x",
    "knockback_y": "velocities.knockback_y",
    "vel_ground_x": "velocities.self_x_ground",
    "hitlag": "hitlag",
    "animation": "animation_index",
    "hit_by_instance": "last_hit_by_instance",
    "instance": "instance_id",
}
_ITEM = {
    "type": "type",
    "state": "state",
    "facing": "direction",
    "vel_x": "velocity.x",
    "vel_y": "velocity.y",
    "x": "position.x",
    "y": "position.y",
    "damage": "damage",
    "timer": "timer",
    "spawn_id": "id",
    "owner": "owner",
    "instance": "instance_id",
}


def read_game(path: str | os.PathLike[str], rollback: Rollback = "last") -> Game:
    """Read a two-player game through peppi-py; same result as :func:`melee_env.slp.read_game`.

    Raises:
        MissingExtra: peppi-py is not installed.
        ReplayError: ``peppi`` when peppi-py refuses the file or panics, else the reasons of
            :func:`melee_env.slp.read_header` and ``not_versus``.
    """
    info = read_header(path)
    check_versus(info, path)
    if info.version < (2, 2, 0) and any(seat.character == Character.POPO.external for seat in info.seats):
        raise ReplayError("peppi", path, None, "peppi-py misplaces Nana in files without frame starts")
    parsed = _parse(path)
    table = parsed.frames
    if table is None or not len(table):
        raise ReplayError("no_frames", path)
    if parsed.end:
        info = replace(info, end_method=base64.b64decode(parsed.end["bytes"])[0])
    numbers = _values(table, "id")
    chosen = choose(numbers, np.ones(len(numbers), np.bool_), rollback)
    return Game(info, _frames(table, info, numbers, chosen))


def _parse(path: str | os.PathLike[str]) -> Any:
    try:
        from peppi_py import _peppi
    except ImportError as error:
        raise MissingExtra("peppi-py", "replays") from error
    try:
        with quiet_stderr():
            return _peppi.read_slippi(os.fspath(path), False)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # its panics are not Exceptions
        raise ReplayError("peppi", path, None, f"{type(error).__name__}: {error}".split("\n")[0]) from None


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Keep what native code writes to file descriptor 2 off the terminal."""
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as sink:
        try:
            os.dup2(sink.fileno(), 2)
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def _field(array: Any, path: str) -> Any:
    """Return a nested arrow array, or None if the recording does not have it."""
    for name in path.split("."):
        index = array.type.get_field_index(name)
        if index < 0:
            return None
        array = array.field(index)
    return array


def _values(array: Any, path: str) -> Any:
    """Return a nested array as NumPy (missing values are 0), or None if the recording does not have it."""
    part = _field(array, path)
    if part is None:
        return None
    return (part.fill_null(0) if part.null_count else part).to_numpy(zero_copy_only=False)


def _frames(table: Any, info: GameInfo, numbers: NDArray[np.int32], chosen: NDArray[np.int64]) -> Frames:
    frames = empty_frames(len(chosen))
    frames["frame"], frames["stage"] = numbers[chosen], info.stage
    frames["end_method"][-1] = info.end_method
    for seat, seat_info in enumerate(info.seats):
        frames["seats"]["port"][:, seat] = seat_info.port
        frames["seats"]["kind"][:, seat] = seat_info.kind
        port = _field(table, f"ports.P{seat_info.port + 1}")
        for name, part in (("leader", "leader"), ("nana", "follower")):
            fighter = None if port is None else _field(port, part)
            if fighter is not None:
                frames["seats"][name][:, seat] = _fighters(fighter, chosen)
    _fill_start(frames, table, info, chosen)
    _fill_items(frames, table, chosen)
    _fill_stage(frames, table, info, chosen)
    return frames


def _fighters(array: Any, chosen: NDArray[np.int64]) -> NDArray[np.void]:
    fighters = np.zeros(len(chosen), FIGHTER_DTYPE)
    pre, post = array.field("pre"), array.field("post")
    for target, source, names in (
        (fighters, pre, _PRE),
        (fighters["controller"], pre, _CONTROLLER),
        (fighters, post, _POST),
    ):
        for name, path in names.items():
            values = _values(source, path)
            if values is not None:
                target[name] = values[chosen]
    for bit in range(5):
        values = _values(post, f"state_flags.{bit}")
        if values is not None:
            fighters["flags"][:, bit] = values[chosen]
    fighters["hitstun"][fighters["flags"][:, 3] & events.FLAG_HITSTUN == 0] = 0
    present = np.asarray(array.is_valid())[chosen]
    fighters[~present] = 0
    fighters["present"] = present
    return fighters


def _fill_start(frames: Frames, table: Any, info: GameInfo, chosen: NDArray[np.int64]) -> None:
    seeds = _values(table, "start.random_seed")
    if seeds is None:
        for seat in info.seats[::-1]:
            seeds = _values(table, f"ports.P{seat.port + 1}.leader.pre.random_seed")
    if seeds is not None:
        frames["seed"] = seeds[chosen]
    counters = _values(table, "start.scene_frame_counter")
    if counters is not None:
        frames["scene_frame"] = counters[chosen]


def _lists(array: Any, chosen: NDArray[np.int64]) -> tuple[Any, NDArray, NDArray, NDArray]:
    """Flatten a list column: its values, and for each kept value its index, row and slot."""
    offsets = array.offsets.to_numpy()
    first, count = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
    row = np.repeat(np.arange(len(chosen)), count)
    slot = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    return array.values, np.repeat(first, count) + slot, row, slot


def _fill_items(frames: Frames, table: Any, chosen: NDArray[np.int64]) -> None:
    column = _field(table, "item")
    if column is None:
        return
    items, index, row, slot = _lists(column, chosen)
    kept = slot < NUM_ITEMS
    index, row, slot = index[kept], row[kept], slot[kept]
    frames["items"]["exists"][row, slot] = 1
    for name, path in _ITEM.items():
        values = _values(items, path)
        if values is not None:
            frames["items"][name][row, slot] = values[index]
    for byte in range(4):
        values = _values(items, f"misc.{byte}")
        if values is not None:
            frames["items"]["misc"][row, slot, byte] = values[index]


def _fill_stage(frames: Frames, table: Any, info: GameInfo, chosen: NDArray[np.int64]) -> None:
    def follow(column: str, field: str, name: str, first: float, platform: int | None = None) -> None:
        array = _field(table, column)
        frames[name] = first
        if array is None:
            return
        values, index, row, _ = _lists(array, chosen)
        if platform is not None:
            kept = _values(values, "platform")[index] == platform
            index, row = index[kept], row[kept]
        changes = _values(values, field)[index]
        latest = np.full(len(frames), -1)
        latest[row] = np.arange(len(row))
        latest = np.maximum.accumulate(latest)
        frames[name][latest >= 0] = changes[latest[latest >= 0]]

    if info.stage == Stage.FOUNTAIN_OF_DREAMS.external:
        left, right = events.FOD_FIRST_HEIGHTS
        follow("fod_platform", "height", "fod_left", left, events.FOD_LEFT)
        follow("fod_platform", "height", "fod_right", right, events.FOD_RIGHT)
    elif info.stage == Stage.DREAM_LAND.external:
        follow("dreamland_whispy", "direction", "whispy", 0)
    elif info.stage == Stage.POKEMON_STADIUM.external:
        follow("stadium_transformation", "event", "stadium_event", 0)
        follow("stadium_transformation", "type", "stadium_type", 0)
    elif info.stage == Stage.YOSHIS_STORY.external:
        frames["randall_x"], frames["randall_y"] = randall_position(frames["frame"])
