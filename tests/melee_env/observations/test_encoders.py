"""Encoders by name, and the tables that they are made of."""

import re

import numpy as np
import pytest

from melee_env.errors import OptionError
from melee_env.frame import empty_frames
from melee_env.observations import encoder_names, make_encoder
from melee_env.observations.features import (
    ACTION_GROUP,
    ACTION_GROUP_NAMES,
    EDGE_X,
    FIRST_OWN_STATE,
    STAGE_ORDER,
)


@pytest.mark.parametrize(("name", "near"), [("compct", "compact"), ("ful", "full"), (7, "compact, full")])
def test_an_unknown_name_lists_what_is_known(name: object, near: str) -> None:
    with pytest.raises(OptionError, match=near):
        make_encoder(name)


@pytest.mark.parametrize("name", encoder_names())
def test_an_encoder_says_what_it_is(name: str) -> None:
    encoder = make_encoder(name)
    assert (
        repr(encoder) == f"ObservationEncoder({name!r}, {encoder.size} numbers, schema {encoder.schema_hash})"
    )


@pytest.mark.parametrize("name", encoder_names())
def test_no_frames_give_no_observations(name: str) -> None:
    encoder = make_encoder(name)
    assert encoder.encode(empty_frames(0)).shape == (0, encoder.size)


@pytest.mark.parametrize("name", encoder_names())
def test_each_number_reacts_to_some_frame(name: str) -> None:
    """No number is dead: over random frames every one takes more than one value."""
    encoder = make_encoder(name)
    rng = np.random.default_rng(0)
    frames = empty_frames(4000)
    frames = np.frombuffer(rng.bytes(frames.nbytes), frames.dtype).copy()
    frames["stage"] = rng.choice([*STAGE_ORDER, 4], len(frames))
    for part in ("leader", "nana"):
        fighters = frames["seats"][part]
        fighters["character"] = rng.integers(0, 33, fighters.shape)
        fighters["action"] = rng.integers(0, 400, fighters.shape)
        for field in ("x", "y", "facing", "percent", "shield", "action_frame", "hitstun", "hitlag"):
            fighters[field] = rng.normal(0, 1, fighters.shape)
    frames["frame"] = rng.integers(0, 20_000, len(frames))
    frames["items"]["exists"] = rng.random(frames["items"]["exists"].shape) < 0.3
    frames["items"]["owner"] = rng.integers(0, 2, frames["items"]["owner"].shape)
    frames["seats"]["port"] = [0, 1]
    spread = np.ptp(encoder.encode(frames, delays=rng.integers(0, 25, len(frames))), axis=0)
    dead = [encoder.names[k] for k in np.flatnonzero(spread == 0)]
    if name == "exphil":  # the layout has constants: the name, the partner's last three numbers, the padding
        constant = r"name\.\d+|padding\.0|\w+\.nana\.(hitstun|action_frame|invulnerable)"
        dead = [label for label in dead if not re.fullmatch(constant, label)]
    assert dead == []


def test_every_action_state_has_a_group() -> None:
    assert ACTION_GROUP.min() == 0 and ACTION_GROUP.max() == len(ACTION_GROUP_NAMES) - 1
    assert set(ACTION_GROUP.tolist()) == set(range(len(ACTION_GROUP_NAMES)))


def test_a_group_holds_the_states_that_it_is_named_after() -> None:
    for group, name in enumerate(ACTION_GROUP_NAMES[1:], start=1):
        first, _, last = name.partition("-")
        middle = (int(first) + int(last or first)) // 2
        assert group in (ACTION_GROUP[int(first)], ACTION_GROUP[middle], ACTION_GROUP[int(last or first)])


def test_specials_have_groups_of_their_own() -> None:
    groups = ACTION_GROUP[FIRST_OWN_STATE : FIRST_OWN_STATE + 35]
    assert len(set(groups.tolist())) == 35


def test_every_stage_has_an_edge() -> None:
    assert set(EDGE_X) == set(STAGE_ORDER)


@pytest.mark.parametrize(
    ("switch", "gone"),
    [
        ("velocities=off", "own.vel_y"),
        ("action_frame=off", "own.action_frame"),
        ("stocks=off", "opponent.stocks"),
        ("stun=off", "own.hitlag"),
        ("stage=off", "stage.2"),
        ("ledge=off", "own.edge"),
        ("nana=off", "own.nana.x"),
        ("items=0", "item0.exists"),
        ("controllers=off", "own.stick_x"),
    ],
)
def test_a_switch_takes_its_numbers_away(switch: str, gone: str) -> None:
    full, less = make_encoder("full"), make_encoder(f"full:{switch}")
    assert gone in full.names and gone not in less.names
    kept = [full.names.index(name) for name in less.names]
    frames = empty_frames(3)
    frames["seats"]["leader"]["x"] = [[1, 2], [3, 4], [5, 6]]
    np.testing.assert_array_equal(less.encode(frames), full.encode(frames)[:, kept])


@pytest.mark.parametrize(
    "name", ["compact:itmes=0", "compact:items=16", "compact:delay=maybe", "compact:nana=both"]
)
def test_an_impossible_switch_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="switch"):
        make_encoder(name)


def test_a_name_says_what_differs_from_its_preset() -> None:
    assert make_encoder("compact:delay=on,items=2").name == "compact:delay=on"
    assert make_encoder("compact:items=2").name == "compact"


def test_integer_ids_are_whole_and_last() -> None:
    encoder, frames = make_encoder("compact:ids=integer"), empty_frames(1)
    frames["seats"]["leader"]["action"], frames["seats"]["leader"]["character"] = [[360, 14]], [[1, 22]]
    assert encoder.encode(frames)[0, list(encoder.id_columns)].tolist() == [360, 1, 14, 22]
    assert encoder.id_columns == tuple(range(encoder.size - 4, encoder.size))
