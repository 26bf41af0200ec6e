"""The observation layout of ExPhil's networks, 288 numbers wide by default, for models and data made for it.

Source: blasphemetheus/exphil, ``lib/exphil/embeddings/{game,player}.ex``. Where that layout has a constant (the
partner's last three numbers, the player's name) it is zero here. Ids stand in the last columns before the padding.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.actions.multidiscrete import BUTTONS
from melee_env.controller import CONTROLLER_DTYPE
from melee_env.errors import OptionError
from melee_env.frame import FRAME_DTYPE, Frames
from melee_env.observations.encoder import ObservationEncoder

LEDGE = 85.0
"""half the width that the ledge distance is measured by, on every stage"""
CATEGORY_ENDS = (
    *(0x0A, 0x0D, 0x14, 0x18, 0x1E, 0x22, 0x2C, 0x36, 0x3C, 0x42, 0x54, 0x60),
    *(0x6B, 0x7F, 0x93, 0xA7, 0xBB, 0xC7, 0xD3, 0xDF, 0xED, 0xFF, 0x130, 0x160),
)
"""last action state of every category but the last"""
ATTACKING, GRABBING, CAN_ACT = (10, 11, 12), (17,), (2, 3, 4, 9)
"""categories behind the partner's flags"""
STAGES = (2, 3, 8, 28, 31, 32)
NAMES, DELAYS, PROJECTILES = 112, 9, 5
MAX_ACTION, MAX_CHARACTER = 398, 32
FAR = 100.0
"""limit of what the layout does not clamp, far outside of what a game reaches"""
ALIGNMENT = 8
"""the width is padded to a multiple of this"""
PLAYER = (
    *("percent", "facing", "x", "y", "invulnerable", "jumps", "shield", "on_ground"),
    *("vel_air_x", "vel_ground_x", "vel_y", "knockback_x", "knockback_y", "hitstun", "action_frame", "stock"),
    "ledge",
)
PARTNER = (
    "exists",
    "x",
    "y",
    "facing",
    "on_ground",
    "percent",
    "stock",
    "hitstun",
    "action_frame",
    "invulnerable",
)
FLAGS = ("attacking", "grabbing", "can_act", "synced")
ITEM = ("exists", "owner", "x", "y", "type", "vel_x", "vel_y")

Values = NDArray[np.float32]


class ExphilEncoder(ObservationEncoder):
    """``exphil``, with the switches ``previous`` (queue depth, 1 by default) and ``delay`` (one-hot of nine)."""

    def __init__(self, name: str = "exphil") -> None:
        """Build the encoder from its name.

        Raises:
            OptionError: another switch, or an impossible value.
        """
        switches = name.partition(":")[2]
        found = re.fullmatch(r"(?:previous=([1-9]|1\d|2[0-5]))?,?(delay=(?:on|off))?", switches)
        if found is None:
            raise OptionError(f"observation {name!r}: exphil knows previous=1..25 and delay=on or off")
        self.name = name
        self.previous = int(found[1] or 1)
        self.shows_delay = found[2] == "delay=on"
        self.names = _names(self.previous, self.shows_delay)
        self.one_hot = [
            (self.names.index(first), self.names.index(last) + 1)
            for first, last in (
                ("own.nana.category.0", f"own.nana.category.{len(CATEGORY_ENDS)}"),
                ("opponent.nana.category.0", f"opponent.nana.category.{len(CATEGORY_ENDS)}"),
                (f"stage.{STAGES[0]}", "stage.other"),
                ("name.0", f"name.{NAMES - 1}"),
            )
        ]
        self.id_columns = tuple(k for k, label in enumerate(self.names) if label.endswith("_id"))
        high = np.full(len(self.names), FAR, np.float32)
        high[list(self.id_columns)] = MAX_ACTION
        self.space = spaces.Box(-high, high, dtype=np.float32)

    def _identity(self) -> tuple[Any, ...]:
        return (self.names, CATEGORY_ENDS, ATTACKING, GRABBING, CAN_ACT, STAGES, LEDGE, FAR)

    def encode_bytes(
        self,
        data: NDArray[np.uint8],
        out: NDArray[np.float32],
        seat: int = 0,
        *,
        committed: NDArray[np.uint8] | None = None,
        delays: NDArray[np.int64] | None = None,
    ) -> None:
        """Encode frames given as bytes ``[N, itemsize]``, seen from ``seat``, into ``out [N, F]``."""
        frames = np.ascontiguousarray(data).view(FRAME_DTYPE)[:, 0]
        fighters, partners = (frames["seats"][part][:, [seat, 1 - seat]] for part in ("leader", "nana"))
        own, other = fighters[:, 0], fighters[:, 1]
        committed = self._newest(data, seat) if committed is None else committed
        delays = np.zeros(len(frames), np.int64) if delays is None else delays
        blocks = []
        for place in range(2):
            blocks += [*_player(fighters[:, place]), *_partner(partners[:, place], fighters[:, place])]
        stage = frames["stage"][:, None] == np.array(STAGES)
        blocks += [stage, ~stage.any(1)]
        pads = np.ascontiguousarray(committed).view(CONTROLLER_DTYPE)[..., 0]
        for k in range(self.previous):
            blocks += _controller(pads[:, k])
        if self.shows_delay:
            blocks.append(np.minimum(delays, DELAYS - 1)[:, None] == np.arange(DELAYS))
        blocks.append(np.zeros((len(frames), NAMES), np.float32))
        dx, dy = _sane(other["x"]) - _sane(own["x"]), _sane(other["y"]) - _sane(own["y"])
        blocks += [np.clip(np.hypot(dx, dy) / np.float32(200), 0, 1.5), dx / np.float32(200)]
        blocks += [dy / np.float32(100), np.clip(frames["frame"] / np.float32(28_800), 0, 1)]
        blocks.append(_projectiles(frames["items"]))
        blocks += [np.minimum(fighter["action"], MAX_ACTION) for fighter in (own, other)]
        blocks += [np.minimum(fighter["character"], MAX_CHARACTER) for fighter in (own, other)]
        out[...] = 0
        at = 0
        for block in blocks:
            wide = block[:, None] if block.ndim == 1 else block
            out[:, at : at + wide.shape[1]] = wide
            at += wide.shape[1]
        np.clip(out, self.space.low, self.space.high, out=out)  # type: ignore[attr-defined]


def _names(previous: int, delay: bool) -> list[str]:
    names = []
    for label in ("own", "opponent"):
        names += [f"{label}.{part}" for part in PLAYER]
        names += [f"{label}.nana.{part}" for part in PARTNER]
        names += [f"{label}.nana.category.{k}" for k in range(len(CATEGORY_ENDS) + 1)]
        names += [f"{label}.nana.{flag}" for flag in FLAGS]
    names += [f"stage.{stage}" for stage in (*STAGES, "other")]
    for k in range(previous):
        names += [f"previous{k}.{button.name}" for button in BUTTONS]
        names += [f"previous{k}.{part}" for part in ("stick_x", "stick_y", "cstick_x", "cstick_y", "trigger")]
    names += [f"delay.{k}" for k in range(DELAYS)] if delay else []
    names += [f"name.{k}" for k in range(NAMES)]
    names += ["distance", "dx", "dy", "clock"]
    names += [f"item{k}.{part}" for k in range(PROJECTILES) for part in ITEM]
    names += ["own.action_id", "opponent.action_id", "own.character_id", "opponent.character_id"]
    return names + [f"padding.{k}" for k in range(-len(names) % ALIGNMENT)]


def _sane(values: Values) -> Values:
    return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)


def _scaled(values: Values, scale: float, low: float = -FAR, high: float = FAR) -> Values:
    with np.errstate(over="ignore"):
        return np.clip(_sane(values) * np.float32(scale), low, high)


def _player(f: Frames) -> list[NDArray[Any]]:
    """17 numbers."""
    present = f["present"] != 0
    return [
        _scaled(f["percent"], 0.01, 0, 5),
        np.where(present, np.sign(_sane(f["facing"])), 0),
        _scaled(f["x"], 0.05),
        _scaled(f["y"], 0.05),
        f["hurtbox"] != 0,
        np.minimum(f["jumps"] / np.float32(6), 1),
        _scaled(f["shield"], 0.01, 0, 1),
        f["airborne"] == 0,
        *(
            _scaled(f[name], 0.5)
            for name in ("vel_air_x", "vel_ground_x", "vel_y", "knockback_x", "knockback_y")
        ),
        _scaled(f["hitstun"], 1 / 120, 0, 1),
        _scaled(f["action_frame"], 1 / 60, 0, 2),
        np.minimum(f["stocks"] / np.float32(4), 1),
        (np.float32(LEDGE) - np.abs(_sane(f["x"]))) / np.float32(LEDGE),
    ]


def _category(f: Frames) -> NDArray[np.int64]:
    return np.searchsorted(CATEGORY_ENDS, f["action"])


def _partner(nana: Frames, popo: Frames) -> list[NDArray[Any]]:
    """39 numbers, all zero where there is no partner."""
    there = nana["present"] != 0
    category = _category(nana)
    numbers = [
        there,
        _scaled(nana["x"], 0.05),
        _scaled(nana["y"], 0.05),
        np.sign(_sane(nana["facing"])),
        nana["airborne"] == 0,
        _scaled(nana["percent"], 0.01, 0, 5),
        np.minimum(nana["stocks"] / np.float32(4), 1),
        *[np.zeros(len(nana), np.float32)] * 3,
        category[:, None] == np.arange(len(CATEGORY_ENDS) + 1),
        np.isin(category, ATTACKING),
        np.isin(category, GRABBING),
        np.isin(category, CAN_ACT),
        category == _category(popo),
    ]
    return [np.where(there[:, None] if part.ndim == 2 else there, part, 0) for part in numbers]


def _controller(pad: Frames) -> list[NDArray[Any]]:
    """13 numbers."""
    buttons = [pad["buttons"] & int(button) != 0 for button in BUTTONS]
    sticks = [_scaled(pad[name], 1, -1, 1) for name in ("stick_x", "stick_y", "cstick_x", "cstick_y")]
    return [*buttons, *sticks, _scaled(pad["trigger_l"], 1, 0, 1)]


def _projectiles(items: Frames) -> Values:
    """35 numbers ``[N, 35]``: the live items, first slots first."""
    order = np.argsort(items["exists"] == 0, axis=1, kind="stable")[:, :PROJECTILES]
    first = np.take_along_axis(items, order, axis=1)
    there = first["exists"] != 0
    parts = [
        there,
        (first["owner"] + np.float32(1)) * np.float32(0.5),
        _scaled(first["x"], 0.05),
        _scaled(first["y"], 0.05),
        first["type"] * np.float32(0.01),
        _scaled(first["vel_x"], 0.5),
        _scaled(first["vel_y"], 0.5),
    ]
    shown = np.stack([np.where(there, part, 0) for part in parts], axis=-1)
    return shown.reshape(len(items), PROJECTILES * len(ITEM)).astype(np.float32)
