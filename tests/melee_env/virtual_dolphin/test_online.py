"""Direct online play: libmelee types the code, the partner answers, either side may be the first player."""

import json
from pathlib import Path

import numpy as np
import pytest

from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Button, make_controllers
from melee_env.engine.engine import warm_up
from melee_env.errors import OptionError
from melee_env.ids import Character, Stage
from melee_env.virtual_dolphin.name_entry import BOTTOM, DEAD_FRAMES, NameEntry
from melee_env.virtual_dolphin.online import SEARCH_FRAMES, OnlineSelect, read_account
from melee_env.virtual_dolphin.pads import Pad

A, B, START = (Pad(buttons=int(button)) for button in (Button.A, Button.B, Button.START))
UP, RIGHT, REST = Pad(y=80), Pad(x=80), Pad()


def push(entry: NameEntry, *pads: Pad) -> str | None:
    result = None
    for pad in pads:
        result = entry.advance(pad) or entry.advance(REST)
    return result


def test_keys_are_where_the_menu_helper_looks_for_them() -> None:
    entry = NameEntry()
    assert entry.selection == 45
    for _ in range(DEAD_FRAMES):
        entry.advance(RIGHT)
    assert entry.selection == 45
    push(entry, UP)
    assert entry.selection == BOTTOM
    push(entry, UP)
    assert entry.selection == 48  # 0
    push(entry, A, UP, A, RIGHT, A, B)
    assert entry.text == "0U" and entry.selection == 42  # V was typed and deleted
    assert push(entry, START) == "0U"


def test_nobody_is_found_at_another_code() -> None:
    for partner, connected in (("0", True), ("1", False)):
        select = OnlineSelect(partner, np.random.default_rng(0))
        hand = select.slots[0]
        hand.x, hand.y = -29.0, 4.5
        for pad in (A, START):
            select.advance({0: pad})
            select.advance({0: REST})
        assert select.state.name_entry and hand.coin
        for pad in (*[REST] * DEAD_FRAMES, UP, REST, UP, REST, A, START):
            select.advance({0: pad})
        for _ in range(SEARCH_FRAMES + 1):
            select.advance({0: REST})
        assert select.connected is connected
        assert (select.advance({0: START}) == "start") is connected


@pytest.fixture
def account(tmp_path: Path) -> Path:
    path = tmp_path / "Slippi" / "user.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"connectCode": "ME#7", "displayName": "Me"}))
    return path


def test_an_account_is_read_or_there_is_none(account: Path, tmp_path: Path) -> None:
    found = read_account(tmp_path)
    assert found is not None and (found.code, found.name) == ("ME#7", "Me")
    for text in ("", "[]", "{}"):
        account.write_text(text)
        assert read_account(tmp_path) is None


def test_online_needs_a_code_and_an_account(account: Path) -> None:
    for options in (
        {"player2": "QX#109"},
        {"player2": "QX#109", "account": account.with_name("missing")},
        {"player2": "qx#109", "account": account},
    ):
        with pytest.raises(OptionError, match="account|connect code"):
            make_backend("dolphin", dolphin="virtual", **options)


def test_the_second_player_of_an_online_game_sits_in_seat_0_too(account: Path) -> None:
    pytest.importorskip("melee")
    warm_up()
    backend = make_backend(
        "dolphin",
        dolphin="virtual",
        player2="QX#109",
        account=account,
        budgets={"start": 300, "menus": 300, "frame": 60},
        restarts=0,
        environment={
            "VIRTUAL_DOLPHIN_PARTNER": "QX#109",
            "VIRTUAL_DOLPHIN_SIDE": "2",
            "VIRTUAL_DOLPHIN_SEED": "3",
        },
    )
    try:
        options = MatchOptions(characters=(Character.SHEIK, Character.FOX), stage=Stage.YOSHIS_STORY)
        seats = backend.reset(np.zeros(1, np.uint32), [options])["seats"]
        assert seats["port"][0].tolist() == [1, 0]
        assert seats["leader"]["character"][0].tolist() == [7, 1]
        assert seats["leader"]["x"][0, 0] == 42  # the second place of the stage
        for _ in range(3):
            frames = backend.step(make_controllers(stick_x=np.array([[1.0, 0.0]])))
        assert frames["seats"]["leader"]["controller"]["stick_x"][0].tolist() == [1, 0]
        again = MatchOptions(characters=options.characters, stage=Stage.BATTLEFIELD)
        assert backend.reset(np.zeros(1, np.uint32), [again])["stage"][0] == Stage.BATTLEFIELD.external
    finally:
        backend.close()
