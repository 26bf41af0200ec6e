"""The tables: checked joins, sane spans, and small enough to be compiled in."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from melee_env.engine import tables
from melee_env.engine.states import OWN_VERSION, STATES, Physics, TableError, load_rows
from melee_env.ids import Character

FOX, MARTH = Character.FOX.internal, Character.MARTH.internal
LARGEST_CONSTANT = 1_000_000
"""bytes from which Numba stops caching code that uses an array"""


@pytest.mark.parametrize(
    ("character", "state", "first", "last"),
    [
        (FOX, 44, 2, 3),
        (FOX, 63, 7, 17),
        (FOX, 64, 6, 10),
        (FOX, 65, 4, 31),
        (FOX, 67, 4, 19),
        (FOX, 360, 1, 1),
        (MARTH, 60, 10, 13),
        (MARTH, 66, 4, 7),
    ],
)
def test_moves_are_active_on_their_known_frames(character, state, first, last):
    start, count = tables.HITBOX_SPAN[character, state]
    boxes = tables.HITBOXES[tables.HITBOX_ROWS[start : start + count]]
    active = np.flatnonzero(boxes["active"].any(axis=1))
    assert (active[0], active[-1]) == (first, last)


def test_the_shine_is_a_set_knockback_of_eighty():
    start, _ = tables.HITBOX_SPAN[FOX, 360]
    box = tables.HITBOXES[tables.HITBOX_ROWS[start + 1], 0]
    assert (box["damage"], box["angle"], box["set_kb"], box["element"]) == (5, 0, 80, tables.ELECTRIC)


@pytest.mark.parametrize("throw", [(FOX, 2, 2, 90, 75, 110), (MARTH, 0, 4, 50, 70, 45)])
def test_throws_are_the_corrected_ones(throw):
    character, which, damage, angle, bkb, kbg = throw
    row = tables.THROWS[character, which]
    assert tuple(row[["damage", "angle", "bkb", "kbg"]]) == (damage, angle, bkb, kbg)


@pytest.mark.parametrize("character", [c for c in Character if c != Character.DR_MARIO])
def test_a_roll_forward_goes_on_after_it_turned(character):
    fighter = character.internal
    first, count = tables.ROOT_SPAN[fighter, 233]
    turn = int(tables.TURN_AGE[fighter, 233])
    steps = tables.ROOT_DX[first : first + count]
    assert steps[:turn].sum() > 4
    assert steps[turn:].sum() <= 0
    assert steps[turn] <= 0


@pytest.mark.parametrize(
    ("character", "state", "way"),
    [
        (FOX, 45, 6.72),
        (Character.FALCO.internal, 45, 7.7),
        (FOX, 219, 12.48),
        (Character.CAPTAIN_FALCON.internal, 46, 7.2),
    ],
)
def test_second_jabs_and_a_throw_walk_forward(character, state, way):
    first, count = tables.ROOT_SPAN[character, state]
    assert tables.ROOT_DX[first : first + count].sum() == pytest.approx(way, abs=0.01)
    assert STATES[character, state]["physics"] == Physics.ROOT


@pytest.mark.parametrize(
    ("state", "age", "half"),
    [(27, 3, 2.418), (27, 20, 3.279), (66, 2, 2.677), (374, 25, 4.026), (374, 33, 3.874)],
)
def test_game_and_watch_touches_walls_as_wide_as_his_picture(state, age, half):
    first, count = tables.ECB_SPAN[Character.GAME_AND_WATCH.internal, state]
    assert count > age
    assert tables.ECB[first + age]["half_width"] == np.float32(half)


@pytest.mark.parametrize(
    ("character", "state", "age", "half"),
    [
        (FOX, 352, 5, 3.438),
        (FOX, 354, 5, 2),
        (FOX, 356, 24, 3.405),
        (Character.FALCO.internal, 352, 15, 4.039),
        (Character.CAPTAIN_FALCON.internal, 27, 7, 4.303),
    ],
)
def test_moves_touch_walls_as_wide_as_recorded(character, state, age, half):
    first, count = tables.ECB_SPAN[character, state]
    assert count > age
    assert tables.ECB[first + age]["half_width"] == np.float32(half)


def bottoms(character, state):
    first, count = tables.ECB_SPAN[character, state]
    return tables.ECB[first : first + count]["bottom"]


@pytest.mark.parametrize(
    ("fighter", "twin", "state"),
    [(Character.GANONDORF, Character.CAPTAIN_FALCON, 67), (Character.ROY, Character.MARTH, 236)],
)
def test_twins_share_the_diamond_but_for_their_size(fighter, twin, state):
    size = tables.ATTRIBUTES["model_scale"]
    ratio = size[fighter.internal] / size[twin.internal]
    assert bottoms(fighter.internal, state) == pytest.approx(bottoms(twin.internal, state) * ratio, abs=0.01)


def test_a_flinch_without_figures_has_the_diamond_of_the_middle_one():
    falcon = Character.CAPTAIN_FALCON.internal
    assert np.array_equal(bottoms(falcon, 83), bottoms(falcon, 79))
    assert not np.array_equal(bottoms(falcon, 83), bottoms(falcon, 29))


def test_spans_stay_inside_their_tables():
    for span, size in (
        (tables.HITBOX_SPAN, len(tables.HITBOX_ROWS)),
        (tables.HURT_SPAN, len(tables.HURT_ROWS)),
        (tables.ROOT_SPAN, len(tables.ROOT_DX)),
        (tables.ECB_SPAN, len(tables.ECB)),
    ):
        assert (span.sum(axis=-1) <= size).all()
    assert (tables.HITBOX_ROWS < len(tables.HITBOXES)).all()
    assert (tables.HURT_ROWS < len(tables.HURT_POSES)).all()


def test_no_table_is_too_large_for_the_compile_cache():
    large = [
        name for name, table in vars(tables).items() if isinstance(table, np.ndarray) and table.nbytes > 10**6
    ]
    assert large == []


def test_fox_has_a_length_for_every_state_that_ends_by_itself():
    ending = STATES[FOX]["anim"] == 1
    modelled = STATES[FOX]["flags"] & 2048 == 0
    missing = np.flatnonzero(ending & modelled & (tables.LENGTH[FOX] <= 0))
    assert missing.tolist() == []


def test_every_table_is_small_enough_to_be_cached():
    for name, value in vars(tables).items():
        if isinstance(value, np.ndarray):
            assert value.nbytes < LARGEST_CONSTANT, name


def test_every_file_names_its_source():
    sources = (tables.DATA / "SOURCES.md").read_text()
    for path in tables.DATA.glob("*.csv"):
        assert f"`{path.name}`" in sources


def test_every_fighter_has_every_basic_attack_and_its_length():
    for state in (44, 50, 53, 56, 57, 60, *range(63, 70), 187, 195, 212, 214, 256, 257):
        spans = tables.HITBOX_SPAN[np.arange(len(OWN_VERSION)), OWN_VERSION[:, state], 1]
        lacking = [tables.CHARACTER_NAMES[i] for i in np.flatnonzero(spans == 0)]
        assert lacking == [], state
        assert (tables.LENGTH[np.arange(len(OWN_VERSION)), OWN_VERSION[:, state]] > 0).all(), state


@pytest.mark.parametrize(
    ("state", "length"), [(12, 60), (84, 12), (85, 24), (183, 26), (199, 26), (200, 40), (236, 50), (252, 8)]
)
def test_states_of_one_length_for_all(state, length):
    assert (tables.LENGTH[:, state] == length).all()


def test_an_aerial_still_lags_on_the_age_before_its_late_auto_cancel():
    before, after = tables.AUTOCANCEL[FOX, 2]
    assert (before, after) == (4, 23)


def test_a_later_window_gives_each_box_its_own_effect():
    start, _ = tables.HITBOX_SPAN[Character.MARIO.internal, 64]
    boxes = tables.HITBOXES[tables.HITBOX_ROWS[start + 14]]
    assert boxes["damage"][:2].tolist() == [10, 12]
    assert boxes["window"][:2].tolist() == [1, 1]


def test_engine_constants_are_those_of_the_common_table():
    known = {}
    for _, row in tables.read_table("common.csv"):
        known[row["offset"].removeprefix("0x")] = abs(float(row["value"]))
    derived = {"1A8", "2E0", "2E8"}  # radians, differences of two constants
    pattern = re.compile(r"^[A-Z_]+ = (?:np\.float32\()?(-?[\d.]+)\)?  # x([0-9A-F]{3})\b", re.MULTILINE)
    compared = 0
    for path in (tables.DATA.parent).glob("*.py"):
        for value, offset in pattern.findall(path.read_text()):
            if offset in known and offset not in derived:
                assert abs(float(value)) == pytest.approx(known[offset]), (path.name, offset)
                compared += 1
    assert compared > 50


@pytest.mark.parametrize(
    "text",
    [
        "character,state,length\nFux,24,3\n",
        "character,state,length\nFox,999,3\n",
        "character,state,length\nFox,24\n",
        "character,state,length\nFox,24,x\n",
    ],
)
def test_a_malformed_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str):
    (tmp_path / "lengths.csv").write_text(text)
    monkeypatch.setattr(tables, "DATA", tmp_path)
    with pytest.raises(TableError, match="lengths.csv, line 2"):
        list(tables.read_table("lengths.csv"))


def test_an_unknown_word_in_a_state_row_is_refused(tmp_path: Path):
    path = tmp_path / "states.csv"
    path.write_text(
        "id,name,family,anim,next,interrupts,physics,collision,flags,attack,intangible_from,intangible_to\n"
        "14,Wait,stand,LOOPS,,WAIT,FRICTION,TEETER,,0,,\n"
    )
    with pytest.raises(TableError, match="unknown anim 'LOOPS'"):
        load_rows(path)
