"""Stream games from ``.pt`` shards of the ``mimic-melee`` data sets, one game in memory at a time.

A shard holds ``states`` and ``targets`` (tensors of all its games laid end to end), ``offsets`` (where each game
begins, and the end) and ``n_games``. Values are standardised with ``norm_stats.json``, categories are numbered as
libmelee's enumerations list them (others as ``cat_maps.json`` says), sticks in older shards are clusters of
``stick_clusters.json``; the three files lie beside the shards. The own controller is not among the states: it
comes from the targets. Format: erickfm/MIMIC ``tools/slp_to_shards.py``, ``mimic/features.py``.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demonstrations.tables import game_from_columns
from melee_env.errors import MissingExtra, OptionError, ReplayError
from melee_env.game import Game

SUFFIX = ".pt"
BUTTONS = tuple(f"BUTTON_{name}" for name in
                ("A", "B", "X", "Y", "Z", "L", "R", "START", "D_UP", "D_DOWN", "D_LEFT", "D_RIGHT"))  # fmt: skip
PLAYER_NUMBERS = (
    "pos_x", "pos_y", "percent", "stock", "jumps_left", "speed_air_x_self", "speed_ground_x_self",
    "speed_x_attack", "speed_y_attack", "speed_y_self", "hitlag_left", "hitstun_left", "invuln_left",
    "shield_strength",
    "ecb_bottom_x", "ecb_bottom_y", "ecb_left_x", "ecb_left_y", "ecb_right_x", "ecb_right_y", "ecb_top_x", "ecb_top_y",
)  # fmt: skip
SHORT_PLAYER_NUMBERS = tuple(n for n in PLAYER_NUMBERS if n != "invuln_left" and not n.startswith("ecb"))
"""Shards written since April 2026 leave these out."""
NANA_REPEATS = ("stock", "jumps_left", "hitlag_left", "hitstun_left", "invuln_left")
FLAGS = ("on_ground", "off_stage", "facing", "invulnerable", "moonwalkwarning")
ANALOG = ("main_x", "main_y", "l_shldr", "r_shldr")
PROJECTILE_NUMBERS = ("pos_x", "pos_y", "speed_x", "speed_y", "frame")
C_STICK = np.array([(0.5, 0.5), (0.5, 1.0), (0.5, 0.0), (0.0, 0.5), (1.0, 0.5)], np.float32)
"""Position of the C-stick by direction: none, up, down, left, right."""


RESIDENT_FRAMES = 300_000
"""Frames after which a shard is mapped anew, about 0.4 GB."""


@dataclass(frozen=True)
class ShardTables:
    """What the files beside the shards say."""

    scale: dict[str, tuple[float, float]]
    """mean and standard deviation by column"""
    categories: dict[str, dict[int, int]]
    """raw value by number, for columns that no enumeration lists"""
    sticks: NDArray[np.float32]
    """``[clusters, 2]`` positions 0..1, empty if not there"""
    triggers: NDArray[np.float32]
    """``[bins]`` pulls 0..1, empty if not there"""


def read_tables(folder: str | os.PathLike[str]) -> ShardTables:
    """Read ``norm_stats.json``, ``cat_maps.json`` and ``stick_clusters.json`` of a folder of shards.

    Raises:
        OptionError: ``norm_stats.json`` is missing, or a file is no JSON.
    """
    root = Path(folder)

    def load(name: str) -> dict[str, Any]:
        try:
            return json.loads((root / name).read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise OptionError(f"{root / name} is damaged ({error}); fetch it again") from error

    scale = load("norm_stats.json")
    if not scale:
        raise OptionError(f"{root} has no norm_stats.json; fetch the data set's JSON files beside its shards")
    categories = {
        column: {int(number): int(raw) for raw, number in entries.items()}
        for column, entries in load("cat_maps.json").items()
    }
    clusters = load("stick_clusters.json")
    return ShardTables(
        {column: (float(mean), float(std)) for column, (mean, std) in scale.items()},
        categories,
        np.array(clusters.get("stick_centers", []), np.float32).reshape(-1, 2),
        np.array(clusters.get("shoulder_centers", []), np.float32),
    )


def stream(
    folder: str | os.PathLike[str], pattern: str = "*.pt", targets_lead: int = 1
) -> Iterator[tuple[str, Game]]:
    """Yield ``(shard#game, game)`` of every shard, in the order of their names.

    A shard is mapped, not loaded; what is resident is one game and the pages of the shard that were touched,
    which are dropped with it.

    Args:
        folder: where the shards and their JSON files are.
        pattern: which shards.
        targets_lead: how many frames later than its state a target acts; 1 as the sets are written now, 0 for
            shards from before that change.

    Raises:
        OptionError: no shard there, or a JSON file is missing.
        ReplayError: ``unreadable`` or ``bad_shard`` for a shard; the games before it have been yielded.
        MissingExtra: torch or libmelee is not installed.
    """
    paths = sorted(Path(folder).glob(pattern))
    if not paths:
        raise OptionError(f"no {pattern} in {folder}; fetch shards with 'data fetch'")
    for path in paths:
        yield from stream_shard(path, targets_lead)


def stream_shard(path: Path, targets_lead: int = 1) -> Iterator[tuple[str, Game]]:
    """Yield ``(shard#game, game)`` of one shard; see :func:`stream`. The player whose view it is has the first seat."""
    tables, shard = read_tables(path.parent), _load(path)
    try:
        offsets = np.asarray(shard["offsets"]).tolist()
        count = int(shard["n_games"])
        if len(offsets) == count:  # the end is not listed
            offsets.append(len(next(iter(shard["targets"].values()))))
        opened = 0
        for number in range(count):
            span = slice(offsets[number], offsets[number + 1])
            if span.start - opened > RESIDENT_FRAMES:  # a new mapping gives the pages of the old one back
                shard, opened = _load(path), span.start
            yield f"{path.name}#{number}", _game(shard, span, tables, path, targets_lead)
    except (KeyError, IndexError, TypeError, ValueError, StopIteration) as error:
        raise ReplayError("bad_shard", path, None, f"{type(error).__name__}: {error}") from error


def _load(path: Path) -> dict[str, Any]:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "train") from error
    try:
        # weights_only: a shard is data, it must not be able to run anything.
        shard = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except OSError as error:
        raise ReplayError("unreadable", path, None, error.strerror or str(error)) from error
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError, KeyError) as error:
        raise ReplayError("bad_shard", path, None, str(error).split("\n")[0]) from error
    if not isinstance(shard, dict) or not {"states", "targets", "offsets", "n_games"} <= set(shard):
        raise ReplayError("bad_shard", path, None, "it does not hold states, targets, offsets and n_games")
    return shard


def _game(shard: dict[str, Any], span: slice, tables: ShardTables, path: Path, lead: int) -> Game:
    states, targets = shard["states"], shard["targets"]
    length = span.stop - span.start
    pads = _pads(targets, span, tables, lead)

    def column(name: str) -> NDArray[np.generic] | None:
        if name in pads:
            return pads[name]
        if name in states:
            return _raw_category(name, states[name][span].numpy(), tables)
        stick, _, axis = name.rpartition("_")
        if axis in ("x", "y") and f"{stick}_dir" in states:  # the C-stick of the others
            return C_STICK[states[f"{stick}_dir"][span].numpy(), ("x", "y").index(axis)]
        place = _place(name, states)
        if place is None:
            return None
        tensor, index = place
        values = tensor[span].numpy() if index is None else tensor[span][:, index].numpy()
        mean, std = tables.scale.get(name, (0.0, 1.0))
        return np.round(values * std + mean, 4) if (mean, std) != (0.0, 1.0) else values

    game = game_from_columns(column, length, path)
    # Frame numbers come back from a standardised float; they are whole and without gaps.
    game.frames["frame"] = np.round(column("frame")[0]) + np.arange(length)  # type: ignore[index]
    return game


def _pads(
    targets: dict[str, Any], span: slice, tables: ShardTables, lead: int
) -> dict[str, NDArray[np.generic]]:
    """Return the own controller's columns, each value on the frame whose input it is."""
    raw: dict[str, NDArray[np.generic]] = {}
    if "main_x" in targets:
        raw |= {f"self_{name}": targets[name][span].numpy() for name in ANALOG}
    else:
        sticks = tables.sticks[targets["main_cluster"][span].numpy()]
        raw |= {"self_main_x": sticks[:, 0], "self_main_y": sticks[:, 1]}
        for name in ("l", "r"):
            raw[f"self_{name}_shldr"] = tables.triggers[targets[f"{name}_bin"][span].numpy()]
    direction = C_STICK[targets["c_dir"][span].numpy().argmax(-1)]
    raw |= {"self_c_x": direction[:, 0], "self_c_y": direction[:, 1]}
    buttons = targets["btns"][span].numpy()
    raw |= {f"self_btn_{name}": buttons[:, k] > 0.5 for k, name in enumerate(BUTTONS)}
    shifted = {}
    for name, values in raw.items():
        late = np.roll(values, lead, 0)
        late[:lead] = 0.5 if name.endswith(("_x", "_y")) else 0
        shifted[name] = late
    return shifted


def _place(name: str, states: dict[str, Any]) -> tuple[Any, int | None] | None:
    """Return the tensor that holds a column, and where in its last axis; None if no tensor does."""
    for who in ("self_nana", "opp_nana", "self", "opp"):
        if not name.startswith(f"{who}_"):
            continue
        field = name.removeprefix(f"{who}_")
        if field == "action_frame" and f"{who}_action_elapsed" in states:
            return states[f"{who}_action_elapsed"], None
        layouts = (
            ("numeric", _number_layout(states.get(f"{who}_numeric"), who.endswith("nana"))),
            ("flags", FLAGS),
            ("analog", ANALOG),
            ("buttons", tuple(f"btn_{button}" for button in BUTTONS)),
        )
        for kind, layout in layouts:
            if field in layout and f"{who}_{kind}" in states:
                return states[f"{who}_{kind}"], layout.index(field)
        return None
    if name.startswith("proj"):
        field = name.partition("_")[2]
        key = f"{name[4:5]}_numeric"  # the writer names the group by the slot's number alone
        if field in PROJECTILE_NUMBERS and key in states:
            return states[key], PROJECTILE_NUMBERS.index(field)
        return None
    if name in ("distance", "frame") and "numeric" in states:
        return states["numeric"], ("distance", "frame").index(name)
    return None


def _number_layout(tensor: Any, nana: bool) -> tuple[str, ...]:
    if tensor is None:
        return ()
    short = tensor.shape[-1] < len(PLAYER_NUMBERS)
    return (SHORT_PLAYER_NUMBERS if short else PLAYER_NUMBERS) + (NANA_REPEATS if nana else ())


def _raw_category(name: str, numbers: NDArray[np.int64], tables: ShardTables) -> NDArray[np.int64]:
    """Return the game's own values of a column of category numbers."""
    try:
        from melee import enums
    except ImportError as error:
        raise MissingExtra("melee", "dolphin") from error
    kinds = {"stage": enums.Stage, "_character": enums.Character, "_action": enums.Action,
             "_type": enums.ProjectileType}  # fmt: skip
    for suffix, kind in kinds.items():
        if name.endswith(suffix):
            values = np.array([member.value for member in kind], np.int64)
            raw = values[np.clip(numbers, 0, len(values) - 1)]
            # Categories count from 0 for "none" too: a projectile that is not there has type 0 like the first.
            return np.where(numbers == 0, -1, raw) if suffix == "_type" else raw
    known = tables.categories.get(name)
    if known:
        table = np.full(max(known) + 1, -1, np.int64)
        table[list(known)] = list(known.values())
        return table[np.clip(numbers, 0, len(table) - 1)]
    return numbers
