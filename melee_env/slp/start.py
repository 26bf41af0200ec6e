"""The game start event: who plays what where, read into and written from :class:`GameInfo`."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from melee_env.controller import CONTROLLER_DTYPE
from melee_env.errors import ReplayError
from melee_env.frame import FIGHTER_DTYPE, ITEM_DTYPE
from melee_env.game import GameInfo, SeatInfo
from melee_env.slp import events

FIGHTER_NAMES = frozenset(FIGHTER_DTYPE.names or ())
CONTROLLER_NAMES = frozenset(CONTROLLER_DTYPE.names or ())
ITEM_NAMES = frozenset(ITEM_DTYPE.names or ())
MAX_EXTERNAL = 25
"""Largest external id of a playable fighter; above it are sandbag, wire frames and the like."""
MAX_VERSUS_STAGE = 32
"""Largest external id of a versus stage; above it are single-player stages."""


def read_start(row: np.void, sizes: dict[int, int], metadata: dict[str, Any] | None) -> GameInfo:
    """Turn a game start row into a description of the game.

    Args:
        row: one row of ``row_dtype(START, size)``.
        sizes: payload sizes by command, from the payload table.
        metadata: the file's metadata, if it has any.
    """
    names = row.dtype.names or ()
    metadata = metadata or {}
    seats = tuple(
        _read_seat(row, port, metadata)
        for port in range(6)
        if row["players"][port]["kind"] < events.NO_PLAYER
    )
    version = tuple(int(part) for part in row["version"][:3])
    return GameInfo(
        stage=int(row["stage"]),
        seats=seats,
        version=version,  # type: ignore[arg-type]
        timer=int(row["timer"]),
        seed=int(row["seed"]) if "seed" in names else 0,
        pal=bool("pal" in names and row["pal"]),
        frozen_stadium=bool("frozen_stadium" in names and row["frozen_stadium"]),
        absent=absent_fields(sizes),
        started_at=_text(metadata.get("startAt")),
        played_on=_text(metadata.get("playedOn")),
    )


def _read_seat(row: np.void, port: int, metadata: dict[str, Any]) -> SeatInfo:
    player = row["players"][port]
    name = code = ""
    held = row.dtype.names or ()
    ucf = True
    if port < 4:
        if "tags" in held:
            name = _shift_jis(row["tags"][port])
        if "names" in held:
            name = _shift_jis(row["names"][port]) or name
            code = _shift_jis(row["codes"][port])
        if "ucf" in held:
            ucf = bool(row["ucf"][port][0])
        name, code = (_netplay(metadata, port, "netplay") or name), (_netplay(metadata, port, "code") or code)
    return SeatInfo(
        port=port,
        character=int(player["character"]),
        kind=int(player["kind"]),
        stocks=int(player["stocks"]),
        costume=int(player["costume"]),
        cpu_level=int(player["cpu_level"]) if player["kind"] == 1 else 0,
        name=name,
        code=code,
        ratios=tuple(float(ratio) for ratio in player["ratios"]),  # type: ignore[arg-type]
        ucf=ucf,
    )


def _netplay(metadata: dict[str, Any], port: int, key: str) -> str:
    value: Any = metadata
    for step in ("players", str(port), "names", key):
        value = value.get(step) if isinstance(value, dict) else None
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _shift_jis(data: bytes) -> str:
    text = bytes(data).split(b"\0")[0].decode("shift_jis", "replace")
    return unicodedata.normalize("NFKC", text)


def absent_fields(sizes: dict[int, int]) -> frozenset[str]:
    """Return the fields that events of these sizes cannot hold.

    Fighter and controller fields by name, those of an item as ``items.name``, the rest by name.
    """
    fighter: set[str] = set()
    for command in (events.PRE, events.POST):
        if command in sizes:
            fighter |= set(events.row_dtype(command, sizes[command]).names or ())
    absent = {*FIGHTER_NAMES, *CONTROLLER_NAMES} - fighter - {"present", "controller"}
    recorded: set[str] = {"exists"}
    if events.ITEM in sizes:
        recorded |= set(events.row_dtype(events.ITEM, sizes[events.ITEM]).names or ())
    absent |= {f"items.{name}" for name in ITEM_NAMES - recorded}
    if sizes.get(events.FRAME_START, 0) < 12:
        absent.add("scene_frame")
    for command, names in (
        (events.FOD_PLATFORM, ("fod_left", "fod_right")),
        (events.WHISPY, ("whispy",)),
        (events.STADIUM, ("stadium_event", "stadium_type")),
    ):
        if command not in sizes:
            absent |= set(names)
    return frozenset(absent)


def check_versus(info: GameInfo, path: object = "") -> None:
    """Refuse what two seats cannot hold.

    Raises:
        ReplayError: ``not_versus`` unless exactly two ordinary fighters play on a versus stage.
    """
    if len(info.seats) != 2:
        raise ReplayError("not_versus", path, None, f"{len(info.seats)} players, two are needed")
    for seat in info.seats:
        if seat.character > MAX_EXTERNAL or seat.port > 3:
            raise ReplayError("not_versus", path, None, f"character {seat.character} in port {seat.port + 1}")
    if info.stage > MAX_VERSUS_STAGE:
        raise ReplayError("not_versus", path, None, f"stage {info.stage} belongs to a single-player mode")


def write_start(info: GameInfo) -> bytes:
    """Return the game start event of ``info`` in the written version, command byte included."""
    dtype = events.row_dtype(events.START, events.EVENTS[events.START].size)
    row = np.frombuffer(bytearray(dtype.itemsize), dtype)[0:1]
    start = row[0]
    row.view("u1")[0] = events.START
    start["version"] = (*events.WRITTEN_VERSION, 0)
    # What tournament games have: stocks and a clock, no items.
    start["match_flags"] = (0x32, 0x01, 0x86, 0x4C, 0xC3)
    start["item_spawn"] = start["self_destruct_score"] = -1
    start["unknown"] = 0x6E
    start["item_mask"] = 0xFF
    start["ratios"] = 1.0
    start["stage"], start["timer"], start["seed"] = info.stage, info.timer, info.seed
    start["ucf"] = 1
    start["pal"], start["frozen_stadium"] = info.pal, info.frozen_stadium
    start["scene"] = (2, 2)
    start["language"] = 1
    players = start["players"]
    players["character"], players["kind"] = 0x1A, events.NO_PLAYER
    players["stocks"], players["spawn"], players["handicap"] = 4, 0xFF, 9
    players["tag"], players["flags"], players["unknown"], players["cpu_level"] = 0x78, 0x40, 4, 1
    players["ratios"] = 1.0
    for seat in info.seats:
        player = players[seat.port]
        player["character"], player["kind"], player["stocks"] = seat.character, seat.kind, seat.stocks
        player["costume"], player["flags"], player["ratios"] = seat.costume, 0xC0, seat.ratios
        player["cpu_level"] = seat.cpu_level or 1
        start["ucf"][seat.port] = seat.ucf
        start["names"][seat.port] = seat.name.encode("shift_jis", "replace")[:30]
        start["codes"][seat.port] = seat.code.encode("shift_jis", "replace").replace(b"#", b"\x81\x94")[:9]
    return row.tobytes()
