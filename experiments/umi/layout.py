"""UMI's frames and controller rows, converted to and from ours."""

from __future__ import annotations

import numpy as np
import umi.frame as layout
from numpy.typing import NDArray

from melee_env.controller import (
    STICK_STEPS,
    TRIGGER_STEPS,
    Button,
    Controllers,
    make_controllers,
)
from melee_env.frame import Frames, empty_frames
from melee_env.ids import Character, Stage
from melee_env.slp.events import FLAG_HITSTUN

_RENAMED = {
    "CAPTAIN_FALCON": "CPTFALCON",
    "DONKEY_KONG": "DK",
    "YOUNG_LINK": "YLINK",
    "DR_MARIO": "DOC",
    "GAME_AND_WATCH": "GAMEANDWATCH",
    "DREAM_LAND": "DREAMLAND",
}
"""Names that UMI spells differently."""
_BUTTONS = tuple(Button[name] for name in layout.BUTTONS)
_STAGES = {layout.STAGES[_RENAMED.get(stage.name, stage.name)]: stage.external for stage in Stage}
"""Our stage id by UMI's."""
_SAME = {
    "character": "character",
    "stocks": "stocks",
    "hurtbox_state": "hurtbox",
    "jumps_left": "jumps",
    "action": "action",
    "action_frame": "action_frame",
    "percent": "percent",
    "hitlag_left": "hitlag",
    "hitstun_left": "hitstun",
    "x": "x",
    "y": "y",
    "shield_strength": "shield",
    "speed_air_x_self": "vel_air_x",
    "speed_ground_x_self": "vel_ground_x",
    "speed_y_self": "vel_y",
    "speed_x_attack": "knockback_x",
    "speed_y_attack": "knockback_y",
}
"""Our fighter field by UMI's."""
_SAME_ITEM = {
    "exists": "exists",
    "type": "type",
    "state": "state",
    "x": "x",
    "y": "y",
    "vx": "vel_x",
    "vy": "vel_y",
    "spawn_id": "spawn_id",
    "timer": "timer",
    "damage": "damage",
}


def umi_name(one: Character | Stage) -> str:
    """Return what UMI calls a fighter or a stage."""
    return _RENAMED.get(one.name, one.name)


def to_umi(frames: Frames) -> NDArray[np.void]:
    """Turn our frames ``[N]`` into UMI's ``Frame [N]``, the viewer first in both."""
    out = np.zeros(len(frames), layout.FRAME)
    theirs = {ours: number for number, ours in _STAGES.items()}
    out["frame"] = frames["frame"]
    out["stage"] = [theirs[int(stage)] for stage in frames["stage"]]
    for name in ("randall_x", "randall_y", "fod_left", "fod_right"):
        out[name] = frames[name]
    for part, name in (("players", "leader"), ("nana", "nana")):
        _fighter_to_umi(frames["seats"][name], out[part])
    _input_to_umi(frames["seats"]["leader"]["controller"], out["players"]["controller"])
    items = frames["items"]
    for name, ours in _SAME_ITEM.items():
        out["items"][name] = items[ours]
    # An owner is a port with us, a side there.
    port = frames["seats"]["port"][:, :1]
    out["items"]["owner"] = np.where(items["owner"] < 0, -1, items["owner"] != port)
    return out


def _fighter_to_umi(ours: Frames, out: NDArray[np.void]) -> None:
    out["exists"] = ours["present"]
    for name, field in _SAME.items():
        kind = out.dtype.fields[name][0]  # type: ignore[index]
        value = np.nan_to_num(ours[field]) if kind.kind == "f" else np.floor(ours[field]).astype(kind)
        out[name] = value
    out["facing"] = ours["facing"] > 0
    out["on_ground"] = ours["airborne"] == 0
    out["invulnerable"] = ours["hurtbox"] != 0


def _input_to_umi(ours: Controllers, out: NDArray[np.void]) -> None:
    # What the hand does, dead zone not yet applied, as UMI's own frames have it.
    for name, field in (("main_x", "raw_x"), ("main_y", "raw_y"), ("c_x", "raw_cx"), ("c_y", "raw_cy")):
        out[name] = (ours[field] / STICK_STEPS + 1) / 2
    out["shoulder"] = np.maximum(ours["trigger_l"], ours["trigger_r"])
    out["buttons"] = layout.pack_buttons(np.stack([ours["buttons"] & b != 0 for b in _BUTTONS], -1))


def from_umi(frames: NDArray[np.void], ports: NDArray[np.integer]) -> Frames:
    """Turn UMI's ``Frame [N]`` into ours; what it does not hold stays zero.

    Args:
        frames: UMI's frames, the viewer first.
        ports: ``[N]`` 0-based port of the viewer.
    """
    out = empty_frames(len(frames))
    out["frame"] = frames["frame"]
    out["stage"] = [_STAGES.get(int(stage), 0) for stage in frames["stage"]]
    for name in ("randall_x", "randall_y", "fod_left", "fod_right"):
        out[name] = frames[name]
    out["seats"]["port"] = np.stack([ports, 1 - np.minimum(ports, 1)], -1)
    for part, name in (("players", "leader"), ("nana", "nana")):
        _fighter_from_umi(frames[part], out["seats"][name])
    rows = np.stack([frames["players"]["controller"][name] for name in layout.CTRL_FIELDS[:5]], -1)
    pressed = layout.unpack_buttons(frames["players"]["controller"]["buttons"])
    out["seats"]["leader"]["controller"] = from_rows(np.concatenate([rows, pressed], -1))
    for name, ours in _SAME_ITEM.items():
        out["items"][ours] = frames["items"][name]
    owner = frames["items"]["owner"].astype(np.int64)
    both = out["seats"]["port"].astype(np.int64)
    out["items"]["owner"] = np.where(owner < 0, -1, np.where(owner == 0, both[:, :1], both[:, 1:]))
    return out


def _fighter_from_umi(theirs: NDArray[np.void], out: Frames) -> None:
    out["present"] = theirs["exists"]
    for name, field in _SAME.items():
        out[field] = theirs[name]
    out["facing"] = np.where(theirs["facing"] != 0, 1, -1)
    out["airborne"] = theirs["on_ground"] == 0
    out["flags"][..., 3] = np.where(theirs["hitstun_left"] > 0, FLAG_HITSTUN, 0)


def to_rows(controllers: Controllers) -> NDArray[np.float32]:
    """Turn controllers ``[N]`` into UMI's rows ``[N, 13] float32`` in 0..1."""
    sticks = [(controllers[name] / STICK_STEPS + 1) / 2 for name in ("raw_x", "raw_y", "raw_cx", "raw_cy")]
    shoulder = np.maximum(controllers["trigger_l"], controllers["trigger_r"])
    pressed = [controllers["buttons"] & button != 0 for button in _BUTTONS]
    return np.stack([*sticks, shoulder, *pressed], -1).astype(np.float32)


def from_rows(rows: NDArray[np.floating]) -> Controllers:
    """Turn UMI's rows ``[..., 13]`` into controllers; values that are not in 0..1 count as neutral."""
    neutral = np.broadcast_to(layout.NEUTRAL_CTRL, rows.shape)
    clean = np.where((rows >= 0) & (rows <= 1), rows, neutral)
    buttons = np.zeros(rows.shape[:-1], np.int64)
    for k, button in enumerate(_BUTTONS):
        buttons |= np.where(clean[..., 5 + k] > 0.5, int(button), 0)
    x, y, cx, cy = (2 * clean[..., k] - 1 for k in range(4))
    # To the trigger's grid, so that a row and the controller that it came from are the same.
    trigger = np.round(clean[..., 4] * TRIGGER_STEPS) / TRIGGER_STEPS
    return make_controllers(x, y, cx, cy, trigger, buttons)
