"""One row per action state: what its animation's end, interrupts, physics and collision are.

Rows come from ``data/states.csv`` (the states that all fighters share) and ``data/states_<module>.csv``
(a fighter's own, from 341 on). The words in those tables are the enumerations below; code exists per
word, never per state.
"""

from __future__ import annotations

import csv
import enum
from pathlib import Path

import numpy as np

from melee_env.errors import MeleeEnvError

NUM_CHARACTERS = 27
NUM_STATES = 544
FIRST_OWN_STATE = 341

CHARACTER_NAMES = (
    "Mario Fox Falcon DK Kirby Bowser Link Sheik Ness Peach Popo Nana Pikachu Samus Yoshi Jigglypuff Mewtwo "
    "Luigi Marth Zelda YLink DrMario Falco Pichu GnW Ganon Roy"
).split()
"""Names in the tables, by internal id."""

Anim = enum.IntEnum(
    "Anim",
    "NONE NEXT LOOP DEAD DEAD_STAR DEAD_FALL REBIRTH REBIRTH_WAIT ENTRY WALK TURN TURN_RUN RUN RUN_BRAKE "
    "KNEE_BEND SMASH RAPID_JAB DAMAGE DAMAGE_FLY GUARD_ON GUARD GUARD_OFF GUARD_SET_OFF GUARD_REFLECT "
    "DOWN_BOUND DOWN_WAIT DOWN_DAMAGE PASSIVE_WALL DIZZY CATCH_PULL CATCH_WAIT THROW CAPTURE THROWN "
    "REBOUND_STOP CLIFF_WAIT CLIFF_OPTION CLIFF_JUMP "
    "BLASTER ILLUSION FIREFOX FIREFOX_MOVE SHINE SHINE_END "
    "HELPLESS FALCON_DIVE_CATCH FALCON_DIVE_THROW FALCON_KICK FALCON_AIR_KICK "
    "MARTH_CHARGE SHEIK_NEEDLES SHEIK_THROW SHEIK_CHAIN SHEIK_VANISH SHEIK_TRAVEL PEACH_FLOAT "
    "PEACH_FLOAT_ATTACK PEACH_BOMBER MULTI_JUMP SAMUS_START HOLD_CHARGE ROLLOUT TRANSFORM",
    start=0,
)
Interrupts = enum.IntEnum(
    "Interrupts",
    "NONE WAIT WALK TURN TURN_RUN DASH RUN RUN_BRAKE KNEE_BEND JUMP FALL FALL_LATE DAMAGE_FALL SQUAT "
    "SQUAT_WAIT SQUAT_RV LANDING JAB ATTACK ATTACK_DASH AERIAL DAMAGE DAMAGE_FLY GUARD GUARD_OFF DOWN_WAIT "
    "CATCH_WAIT OTTOTTO CLIFF_WAIT REBIRTH_WAIT BLASTER ILLUSION SHINE SHINE_START "
    "FALCON_PUNCH FALCON_DIVE MARTH_CHARGE MARTH_DANCE MARTH_DOLPHIN SHEIK_NEEDLES SHEIK_CHAIN "
    "PEACH_FLOAT PEACH_FLOAT_ATTACK GNW_FIRE PEACH_PARASOL PEACH_PARASOL_FALL PEACH_HELPLESS HOLD_CHARGE ROLLOUT",
    start=0,
)
Physics = enum.IntEnum(
    "Physics",
    "NONE FRICTION WALK DASH RUN RUN_BRAKE TURN_RUN ROOT AIR JUMP FALL_SPECIAL ESCAPE_AIR DAMAGE CLIFF "
    "CLIFF_OPTION PASSIVE_WALL REBIRTH ENTRY AUTO "
    "ILLUSION_START ILLUSION ILLUSION_END FIREFOX_HOLD FIREFOX_MOVE SHINE_AIR "
    "COAST OWN_FRICTION OWN_DRIFT ROOT_AIR FALCON_PUNCH FALCON_RAPTOR FALCON_DIVE FALCON_DIVE_THROW "
    "FALCON_KICK FALCON_KICK_END FALCON_KICK_LANDING MARTH_DANCE_AIR MARTH_DOLPHIN SHEIK_TRAVEL SHEIK_REAPPEAR "
    "JUMP_PATH PEACH_FLOAT PEACH_FLOAT_ATTACK GNW_FIRE STEER STEER_FAST STEER_STOP HOVER_COAST GLIDE "
    "DONKEY_SPIN PEACH_PARASOL PEACH_TOAD SAMUS_SCREW POUND ROLLOUT",
    start=0,
)
Collision = enum.IntEnum(
    "Collision",
    "NONE SLIDE TEETER STOP SHIELD AIR AIR_ATTACK AIR_SPECIAL AIR_TUMBLE DAMAGE SHIELD_BREAK OTTOTTO "
    "CLIFF_OPTION AUTO BLASTER_GROUND BLASTER_AIR ILLUSION_GROUND ILLUSION_AIR ILLUSION_AIR_END FIREFOX_HOLD "
    "FIREFOX_HOLD_AIR FIREFOX_GROUND FIREFOX_AIR FIREFOX_FALL SHINE_GROUND SHINE_AIR "
    "PAIR PAIR_STOP LAND_LAG FALCON_RAPTOR FALCON_DIVE FALCON_DIVE_CATCH FALCON_KICK FALCON_KICK_AIR "
    "MARTH_DOLPHIN GNW_FIRE GNW_AERIAL LAND_FALLING ROLLOUT SHEIK_CHAIN",
    start=0,
)

ADVANCE = 1
"""entering advances the animation at once: the first recorded age is 1"""
ROOT = 2
"""the animation carries movement; leaving it clamps the ground speed to run_max"""
KEEP_FAST_FALL = 4
"""entering keeps a running fast fall"""
PLATFORM_PASS = 8
"""a held-down stick lets platforms through"""
LEDGE = 16
"""can catch a ledge"""
LEDGE_HELD = 32
"""occupies a ledge"""
DEAD = 64
"""not in play"""
SAFE = 128
"""cannot be hit and ignores blast zones"""
GUARD = 256
"""the shield is up"""
DOWN = 512
"""lying on the floor"""
CAPTURED = 1024
"""held by the opponent; position follows it"""
GAP = 2048
"""not modelled: plays its length and ends"""
LEDGE_BACK = 4096
"""catches ledges behind, too"""
UNPUSHED = 8192
"""pushes other bodies but is not pushed (doldecomp/melee ft/chara/ftCommon/ftCo_Escape.c and ftCo_Cliff*.c)"""

FLAG_BITS = {
    "ADVANCE": ADVANCE,
    "ROOT": ROOT,
    "KEEP_FAST_FALL": KEEP_FAST_FALL,
    "PLATFORM_PASS": PLATFORM_PASS,
    "LEDGE": LEDGE,
    "LEDGE_HELD": LEDGE_HELD,
    "DEAD": DEAD,
    "SAFE": SAFE,
    "GUARD": GUARD,
    "DOWN": DOWN,
    "CAPTURED": CAPTURED,
    "GAP": GAP,
    "LEDGE_BACK": LEDGE_BACK,
    "UNPUSHED": UNPUSHED,
}

STATE_ROW = np.dtype(
    [
        ("anim", "i2"),
        ("next", "i2"),  # state after the animation; -1: Wait or Fall
        ("interrupts", "i2"),
        ("physics", "i2"),
        ("collision", "i2"),
        ("attack", "i2"),  # attack id for staling, 0 for none
        ("intangible_from", "i2"),  # ages with hurtbox state 2; empty when from > to
        ("intangible_to", "i2"),
        ("flags", "i4"),
    ]
)

OWN_ROW = np.dtype(
    [
        ("partner", "i2"),  # the same state on the ground or in the air, 0 for none
        ("lag", "f4"),  # landing lag, also of the helpless fall that follows; 0: the common one
        ("mobility", "f4"),  # share of the drift speed in the helpless fall that follows
        ("gravity", "f4"),  # the move's own fall
        ("terminal", "f4"),
        ("friction", "f4"),  # the move's own friction
        ("from_age", "f4"),  # the age from which the move's own rule holds
        ("until_age", "f4"),  # and until which
        ("accel", "f4"),  # the move's own steering: acceleration per unit of stick
        ("drift", "f4"),  # and the speed that a full stick steers to
    ]
)
"""Figures of a fighter's own state, each with the meaning that the words of the state give it."""

MODULES: dict[str, tuple[int, ...]] = {
    "fox": (1, 22),
    "falcon": (2, 25),
    "marth": (18, 26),
    "sheik": (7,),
    "peach": (9,),
    "mewtwo": (16,),
    "gnw": (24,),
    "multi_jump": (15, 4),
    "kirby": (4,),
    "jigglypuff": (15,),
    "donkey": (3,),
    "samus": (13,),
    "zelda": (19,),
    "popo": (10, 11),
}
"""State tables by fighter module: file suffix → internal ids of the fighters that use it, in the order of
figures that differ between them."""


class TableError(MeleeEnvError):
    """A table of the engine is malformed."""


def load_rows(path: Path) -> list[dict[str, str]]:
    """Read one state table, checking every word.

    Raises:
        TableError: names the file, the state and the unknown word.
    """
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for column, words in _WORDS.items():
            if (row[column] or "NONE") not in words.__members__:
                raise TableError(f"{path.name}: state {row['id']}: unknown {column} {row[column]!r}")
        for flag in row["flags"].split():
            if flag not in FLAG_BITS:
                raise TableError(f"{path.name}: state {row['id']}: unknown flag {flag!r}")
    return rows


_WORDS = {"anim": Anim, "interrupts": Interrupts, "physics": Physics, "collision": Collision}
_DATA = Path(__file__).parent / "data"


def _pack(row: dict[str, str], target: np.ndarray) -> None:
    for column, words in _WORDS.items():
        target[column] = words[row[column] or "NONE"]
    target["next"] = int(row["next"] or -1)
    target["attack"] = int(row["attack"] or 0)
    target["intangible_from"] = int(row["intangible_from"] or 1)
    target["intangible_to"] = int(row["intangible_to"] or 0)
    target["flags"] = sum(FLAG_BITS[flag] for flag in row["flags"].split())


def _pack_own(row: dict[str, str], seat: int, target: np.ndarray) -> None:
    for column in OWN_ROW.names or ():
        figures = (row.get(column) or "0").split()
        target[column] = float(figures[min(seat, len(figures) - 1)])


def _build() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    table = np.zeros((NUM_CHARACTERS, NUM_STATES), STATE_ROW)
    names = np.zeros((NUM_CHARACTERS, NUM_STATES), "U24")
    own = np.zeros((NUM_CHARACTERS, NUM_STATES - FIRST_OWN_STATE), OWN_ROW)
    version = np.tile(np.arange(NUM_STATES, dtype=np.int16), (NUM_CHARACTERS, 1))
    table["anim"] = Anim.NEXT
    table["next"] = -1
    table["physics"] = Physics.AUTO
    table["collision"] = Collision.AUTO
    table["intangible_from"] = 1
    table["flags"] = GAP
    for row in load_rows(_DATA / "states.csv"):
        _pack(row, table[0, int(row["id"])])
        names[:, int(row["id"])] = row["name"]
    table[:, :FIRST_OWN_STATE] = table[0, :FIRST_OWN_STATE]
    for module, characters in MODULES.items():
        for row in load_rows(_DATA / f"states_{module}.csv"):
            state = int(row["id"])
            for seat, character in enumerate(characters):
                _pack(row, table[character, state])
                if state >= FIRST_OWN_STATE:
                    _pack_own(row, seat, own[character, state - FIRST_OWN_STATE])
                names[character, state] = row["name"]
                if row.get("replaces"):
                    version[character, int(row["replaces"])] = state
    with (_DATA / "intangible.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            target = table[CHARACTER_NAMES.index(row["character"]), int(row["state"])]
            target["intangible_from"], target["intangible_to"] = int(row["from"]), int(row["to"])
    return table, names, own, version


STATES, STATE_NAMES, OWN, OWN_VERSION = _build()
"""Rows and names ``[27 characters, 544 states]``; figures ``[27 characters, 544 - 341 own states]``; the state that a
fighter has in place of a common one ``[27 characters, 544 states]``."""
