"""ExPhil's layout, number by number, against the table that describes it."""

import numpy as np
import pytest

from melee_env.controller import Button, make_controllers
from melee_env.errors import OptionError
from melee_env.frame import Frames, empty_frames
from melee_env.observations import make_encoder


def scene() -> Frames:
    """One frame in which everything has its own value."""
    frames = empty_frames(1)
    frames["stage"], frames["frame"] = 31, 14_400
    own, other = frames["seats"]["leader"][0]
    for field, value in {
        "present": 1, "character": 1, "action": 360, "x": 34.0, "y": -20.0, "facing": -1.0, "percent": 42.0,
        "shield": 60.0, "stocks": 3, "action_frame": 30.0, "hitstun": 12.0, "airborne": 1, "jumps": 1, "hurtbox": 2,
        "vel_air_x": 1.0, "vel_ground_x": 2.0, "vel_y": -3.0, "knockback_x": 4.0, "knockback_y": 5.0,
    }.items():  # fmt: skip
        own[field] = value
    other["present"], other["x"], other["y"], other["action"], other["character"] = 1, -26.0, 60.0, 14, 22
    nana = frames["seats"]["nana"][0, 1]
    nana["present"], nana["x"], nana["action"], nana["facing"], nana["stocks"] = 1, -10.0, 14, 1.0, 4
    item = frames["items"][0, 2]
    item["exists"], item["owner"], item["x"], item["y"], item["type"], item["vel_x"] = (
        1,
        1,
        20.0,
        10.0,
        54,
        7.0,
    )
    own["controller"] = make_controllers(
        stick_x=-1.0, cstick_y=0.5, trigger=0.75, buttons=int(Button.B | Button.Z)
    )
    return frames


EXPECTED = {
    0: 0.42, 1: -1, 2: 1.7, 3: -1, 4: 1, 5: 1 / 6, 6: 0.6, 7: 0, 8: 0.5, 9: 1, 10: -1.5, 11: 2, 12: 2.5,
    13: 0.1, 14: 0.5, 15: 0.75, 16: 0.6, 17: 0,
    56 + 2: -1.3, 56 + 3: 3, 56 + 16: 59 / 85, 56 + 17: 1, 56 + 18: -0.5, 56 + 20: 1, 56 + 23: 1,
    56 + 27 + 2: 1, 56 + 52: 0, 56 + 54: 1, 56 + 55: 1,
    116: 1, 118: 0, 119: 0, 120: 1, 123: 1, 127: -1, 128: 0, 129: 0, 130: 0.5, 131: 0.75,
    244: 0.5, 245: -0.3, 246: 0.8, 247: 0.5,
    248: 1, 249: 1, 250: 1, 251: 0.5, 252: 0.54, 253: 3.5, 254: 0, 255: 0,
    283: 360, 284: 14, 285: 1, 286: 22, 287: 0,
}  # fmt: skip
"""index → value, by the layout's own table"""


def test_every_number_has_its_place() -> None:
    encoder = make_encoder("exphil")
    row = encoder.encode(scene())[0]
    assert row.shape == (288,)
    for index, value in EXPECTED.items():
        assert row[index] == pytest.approx(value, abs=1e-6), (index, encoder.names[index])
    assert encoder.id_columns == (283, 284, 285, 286)


def test_the_partner_is_all_zero_when_there_is_none() -> None:
    row = make_encoder("exphil").encode(scene())[0]
    assert not row[17:56].any() and row[73:112].any()


def test_a_permuted_id_changes_only_its_column() -> None:
    encoder, frames = make_encoder("exphil"), scene()
    before = encoder.encode(frames)[0]
    frames["seats"]["leader"]["action"][0, 1] = 24
    changed = np.flatnonzero(before != encoder.encode(frames)[0])
    assert [encoder.names[k] for k in changed] == ["opponent.nana.synced", "opponent.action_id"]


def test_deeper_queues_and_the_delay_widen_it() -> None:
    encoder = make_encoder("exphil:previous=4,delay=on")
    assert encoder.size == 336
    pads = make_controllers(stick_x=[[0.3, 0.4, 0.5, 0.6]])
    row = encoder.encode(scene(), committed=pads, delays=2)[0]
    np.testing.assert_allclose(row[[127, 140, 153, 166]], [0.3, 0.4, 0.5, 0.6], atol=1e-6)
    assert row[171:180].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    with pytest.raises(OptionError, match="exphil"):
        make_encoder("exphil:items=0")
