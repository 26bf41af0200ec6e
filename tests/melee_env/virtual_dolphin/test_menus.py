"""Menus react to pads; no process, no network."""

from melee_env.controller import Button
from melee_env.ids import Character, Stage
from melee_env.virtual_dolphin.character_select import CharacterSelect, icon, icon_of
from melee_env.virtual_dolphin.main_menu import MainMenu
from melee_env.virtual_dolphin.menu_event import Status
from melee_env.virtual_dolphin.pads import Pad
from melee_env.virtual_dolphin.stage_select import CLOSING_FRAMES, DEAD_FRAMES, StageSelect

A, B, X, Z, START = (Pad(buttons=int(b)) for b in (Button.A, Button.B, Button.X, Button.Z, Button.START))
REST, DOWN = Pad(), Pad(y=-80)


def press(screen, pad: Pad, port: int = 0):
    """Press and let go; returns what the press did."""
    screen.state.frame += 1
    result = screen.advance({port: pad})
    screen.state.frame += 1
    return result or screen.advance({port: REST})


def test_main_menu_leads_to_versus_and_to_direct() -> None:
    menu = MainMenu()
    press(menu, DOWN)
    press(menu, A)
    assert press(menu, A) == "versus"
    menu = MainMenu()
    for pad in (A, DOWN, DOWN, A, DOWN, DOWN):
        press(menu, pad)
    assert menu.state.submenu == 8 and press(menu, A) == "direct"


def test_a_held_stick_moves_one_entry_only() -> None:
    menu = MainMenu()
    for _ in range(10):
        menu.advance({0: DOWN})
    assert menu.state.selection == 1


def ready_screen() -> CharacterSelect:
    screen = CharacterSelect(frozenset({0, 1}))
    for port, character in enumerate((Character.FOX, Character.MARTH)):
        screen.choose(port, character)
    screen.advance({})
    return screen


def test_coin_costume_and_start() -> None:
    screen = ready_screen()
    assert screen.state.ready and screen.character(1) is Character.MARTH
    press(screen, X)
    assert screen.slots[0].costume == 1
    press(screen, B)
    assert not screen.state.ready and press(screen, START) is None
    press(screen, A)
    assert screen.state.ready and press(screen, START) == "start"


def test_every_icon_is_where_its_hand_finds_it() -> None:
    for character in Character:
        if character is Character.NANA:
            continue
        screen = CharacterSelect(frozenset({0}))
        screen.slots[0].x, screen.slots[0].y = icon(icon_of(character))
        press(screen, A)
        expected = Character.ZELDA if character is Character.SHEIK else character
        assert screen.character(0) is expected


def test_type_box_and_level_slider() -> None:
    screen = ready_screen()
    hand = screen.slots[1]
    hand.x, hand.y = -16.4, -2.2
    press(screen, A, port=1)
    assert hand.status is Status.CPU and hand.coin
    hand.x, hand.y = -15.5, -15.1
    press(screen, A, port=1)
    assert hand.holding
    for _ in range(100):
        screen.state.frame += 1
        screen.advance({1: Pad(x=24)})
    assert hand.level == 9
    press(screen, A, port=1)
    assert not hand.holding and screen.state.encode()[0x42] == 9


def test_three_players_never_get_ready() -> None:
    screen = CharacterSelect(frozenset({0, 1, 2}))
    for port in range(3):
        screen.choose(port, Character.FOX)
    screen.advance({})
    assert not screen.state.ready


def test_b_held_leaves_the_screen() -> None:
    screen = ready_screen()
    assert [screen.advance({0: B}) for _ in range(41)][-1] == "back"


def test_stage_screen_is_dead_first_and_then_takes_the_stage_under_the_cursor() -> None:
    screen = StageSelect(CharacterSelect(frozenset()).slots)
    screen.state.cursor = (6.7, -9.0)
    assert press(screen, A) is None and screen.stage is None
    screen.state.frame = DEAD_FRAMES
    press(screen, Z)
    assert screen.frozen
    assert press(screen, A) is None and screen.stage is Stage.FINAL_DESTINATION
    screen.state.frame += CLOSING_FRAMES
    assert screen.advance({0: REST}) == "start"
