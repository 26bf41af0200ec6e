"""K22: internal and external ids never mix, and every special case has its place."""

import importlib.util
from pathlib import Path

import pytest

from melee_env.errors import OptionError
from melee_env.ids import Character, Stage, character_from_external, character_from_internal, parse
from melee_env.slp import read_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


SELECTABLE = [character for character in Character if character is not Character.NANA]


def test_k22_tables_are_bijections():
    assert len({character.internal for character in Character}) == len(Character)
    assert sorted(character.external for character in SELECTABLE) == list(range(26))
    for character in SELECTABLE:
        assert character_from_internal(character.internal) is character
        assert character_from_external(character.external) is character


def test_k22_the_wrong_kind_is_refused():
    for value in (2, 1.0, None, True):
        with pytest.raises(OptionError, match="internal or external|must be a name"):
            parse(Character, value)
    with pytest.raises(OptionError, match="external id"):
        character_from_external(26)
    with pytest.raises(OptionError, match="internal id"):
        character_from_internal(40)
    assert Character.FOX != 2 and Character.FOX != 1


def test_k22_special_fighters():
    assert (Character.SHEIK.internal, Character.SHEIK.external) == (7, 19)
    assert (Character.ZELDA.internal, Character.ZELDA.external) == (19, 18)
    assert parse(Character, "ice climbers") is Character.POPO
    with pytest.raises(OptionError, match="POPO"):
        _ = Character.NANA.external
    assert parse(Stage, "fd") is Stage.FINAL_DESTINATION


@GAMES.needs_replays
@pytest.mark.parametrize(
    "name", ["v3.12.0_DL_popo-falco", "v2.2.0_FD_sheik-pikachu", "v3.12.0_BF_zelda-mario"]
)
def test_k22_start_and_frames_name_the_same_fighter(name):
    game = read_game(next(iter(GAMES.REPLAYS.glob(f"{name}*.slp"))))
    pair = {Character.ZELDA.internal, Character.SHEIK.internal}
    for seat, info in enumerate(game.info.seats):
        shown = set(game.frames["seats"]["leader"]["character"][:, seat].tolist())
        chosen = character_from_external(info.character).internal
        assert shown == {chosen} or (chosen in pair and shown <= pair)
        nana = game.frames["seats"]["nana"][:, seat]
        assert nana["present"].any() == (chosen == Character.POPO.internal)
        assert set(nana["character"][nana["present"] != 0].tolist()) <= {Character.NANA.internal}
