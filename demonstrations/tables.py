"""Frames from tables with libmelee's columns, as slippi-frame-extractor and MIMIC write them.

Both name a column ``<self|opp>_<field>``, ``<self|opp>_nana_<field>`` or ``proj<k>_<field>``; characters, action
states and items are the game's own numbers, stages libmelee's. Sticks are 0..1 there and -1..1 in a frame.
Columns: erickfm/slippi-frame-extractor ``extract.py``, erickfm/MIMIC ``mimic/features.py``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Button, Controllers, fill_processed
from melee_env.errors import OptionError, ReplayError
from melee_env.frame import FIGHTER_FIELDS, Frames, empty_frames, seen_from
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import Stage, character_from_internal

Column = Callable[[str], NDArray[np.generic] | None]
"""Gives a column by its name, None if the table does not have it."""

PROJECTILES = 8
STAGES = {8: Stage.FOUNTAIN_OF_DREAMS, 6: Stage.YOSHIS_STORY, 18: Stage.POKEMON_STADIUM,
          24: Stage.BATTLEFIELD, 25: Stage.FINAL_DESTINATION, 26: Stage.DREAM_LAND}  # fmt: skip
"""Stages by libmelee's number (``melee/enums.py``)."""
FIELDS = {
    "character": "character",
    "action": "action",
    "action_frame": "action_frame",
    "pos_x": "x",
    "pos_y": "y",
    "percent": "percent",
    "stock": "stocks",
    "jumps_left": "jumps",
    "shield_strength": "shield",
    "hitlag_left": "hitlag",
    "hitstun_left": "hitstun",
    "speed_air_x_self": "vel_air_x",
    "speed_ground_x_self": "vel_ground_x",
    "speed_y_self": "vel_y",
    "speed_x_attack": "knockback_x",
    "speed_y_attack": "knockback_y",
    "invulnerable": "hurtbox",
}
"""Fields of a fighter that a column holds as it is."""
BUTTONS = {f"btn_BUTTON_{button.name}": button for button in Button if button.name is not None}
STICKS = {"main_x": "stick_x", "main_y": "stick_y", "c_x": "cstick_x", "c_y": "cstick_y"}
TRIGGERS = {"l_shldr": "trigger_l", "r_shldr": "trigger_r"}
PROJECTILE_FIELDS = {"type": "type", "owner": "owner", "pos_x": "x", "pos_y": "y",
                     "speed_x": "vel_x", "speed_y": "vel_y"}  # fmt: skip
_HELD = {*FIELDS.values(), "present", "facing", "airborne", "controller"}
ABSENT = frozenset(field.name for field in FIGHTER_FIELDS) - _HELD
"""Fields of a fighter that no such table holds."""


def game_from_columns(column: Column, length: int, path: object, started_at: str = "") -> Game:
    """Build a game from a table in which ``self`` is the first seat.

    Args:
        column: gives a column ``[length]``.
        length: frames.
        path: for error messages.
        started_at: ISO time of the start.

    Raises:
        ReplayError: ``no_frames``, ``bad_table`` (a column that every table has is missing) or ``not_versus``
            (another stage, or no playable fighter).
    """
    if not length:
        raise ReplayError("no_frames", path)
    frames = empty_frames(length)
    frames["frame"] = _needed(column, "frame", path)
    number = int(np.asarray(_needed(column, "stage", path))[0])
    if number not in STAGES:
        raise ReplayError("not_versus", path, None, f"stage {number} of libmelee is not one of the six")
    frames["stage"] = STAGES[number].external
    seats = []
    for seat, who in enumerate(("self", "opp")):
        leader = frames["seats"]["leader"][:, seat]
        _fill_fighter(leader, column, f"{who}_", path)
        leader["present"] = 1
        nana = frames["seats"]["nana"][:, seat]
        kind = column(f"{who}_nana_character")
        if kind is not None and (kind == 11).any():
            _fill_fighter(nana, column, f"{who}_nana_", path)
            nana["present"] = kind == 11
            nana[kind != 11] = 0
        try:
            character = character_from_internal(int(leader["character"][0])).external
        except OptionError as error:
            raise ReplayError("not_versus", path, None, str(error)) from error
        port = column(f"{who}_port")
        number = seat if port is None else int(np.asarray(port)[0]) - 1
        seats.append(SeatInfo(port=number if 0 <= number < 4 else seat, character=character))
    if seats[0].port == seats[1].port:
        seats[1] = SeatInfo(port=(seats[0].port + 1) % 4, character=seats[1].character)
    if seats[0].port > seats[1].port:  # seats are in the order of their ports, whoever "self" is
        frames, seats = seen_from(frames, 1), seats[::-1]
    for seat, player in enumerate(seats):
        frames["seats"]["port"][:, seat] = player.port
    _fill_items(frames, column)
    info = GameInfo(
        frames["stage"][0].item(),
        tuple(seats),
        (0, 0, 0),
        absent=ABSENT,
        started_at=started_at,
        played_on="table",
    )
    return Game(info, frames)


def _needed(column: Column, name: str, path: object) -> NDArray[np.generic]:
    values = column(name)
    if values is None:
        raise ReplayError("bad_table", path, None, f"there is no column {name}")
    return values


def _fill_fighter(fighter: NDArray[np.void], column: Column, prefix: str, path: object) -> None:
    for name, field in FIELDS.items():
        values = _needed(column, prefix + name, path)
        kind = fighter.dtype[field]
        if kind.kind == "u":
            values = np.clip(np.nan_to_num(values.astype(np.float64)), 0, np.iinfo(kind).max)
        fighter[field] = np.nan_to_num(values)
    fighter["facing"] = np.where(_needed(column, f"{prefix}facing", path), 1, -1)
    fighter["airborne"] = _needed(column, f"{prefix}on_ground", path) == 0
    fill_controllers(fighter["controller"], column, prefix)


def fill_controllers(pads: Controllers, column: Column, prefix: str) -> None:
    """Fill controllers from columns ``<prefix>main_x`` and so on; missing ones stay neutral."""
    for table, scale, shift in ((STICKS, 2.0, -1.0), (TRIGGERS, 1.0, 0.0)):
        for name, field in table.items():
            values = column(prefix + name)
            if values is not None:
                pads[field] = np.nan_to_num(values.astype(np.float32) * scale + shift)
    buttons = np.zeros(len(pads), pads.dtype["buttons"])
    for name, button in BUTTONS.items():
        values = column(prefix + name)
        if values is not None:
            buttons |= np.where(values.astype(bool), int(button), 0).astype(buttons.dtype)
    pads["buttons"] = buttons
    fill_processed(pads)


def _fill_items(frames: Frames, column: Column) -> None:
    for k in range(PROJECTILES):
        kind = column(f"proj{k}_type")
        if kind is None:
            continue
        item = frames["items"][:, k]
        exists = kind.astype(np.int64) >= 0
        for name, field in PROJECTILE_FIELDS.items():
            values = column(f"proj{k}_{name}")
            if values is not None:
                item[field][exists] = np.nan_to_num(values[exists].astype(np.float64))
        # libmelee counts ports from 1, a frame from 0; both say -1 for none.
        item["owner"][exists] = np.where(item["owner"][exists] > 0, item["owner"][exists] - 1, -1)
        item["exists"] = exists
