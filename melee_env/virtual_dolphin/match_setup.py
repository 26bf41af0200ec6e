"""From the choices on the select screens to a game."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from melee_env.backends.base import MatchOptions
from melee_env.controller import Button
from melee_env.game import SeatInfo
from melee_env.ids import Character, Stage
from melee_env.opponents import Opponent, make_opponent
from melee_env.virtual_dolphin.character_select import CharacterSelect
from melee_env.virtual_dolphin.match import MatchSetup
from melee_env.virtual_dolphin.menu_event import Slot, Status
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad
from melee_env.virtual_dolphin.settings import Settings
from melee_env.virtual_dolphin.stage_select import StageSelect

ENDLESS_FRAMES, ENDLESS_STOCKS = 10_000_000, 99


def set_up(
    settings: Settings,
    select: CharacterSelect,
    stages: StageSelect,
    pads: Mapping[int, Pad],
    people: Collection[int],
    *,
    endless: bool,
    number: int,
) -> MatchSetup:
    """Describe the next game.

    Args:
        settings: for its seed and what is simulated.
        select: who plays.
        stages: where.
        pads: what is held now; A turns Zelda into Sheik.
        people: ports with an adapter.
        endless: no clock, and more stocks than anybody loses.
        number: games before this one.
    """
    rng = np.random.default_rng(None if settings.seed is None else settings.seed + number)
    seed = int(rng.integers(2**32)) if settings.seed is None else settings.seed + number
    stage = stages.stage if stages.stage is not None else list(Stage)[int(rng.integers(len(Stage)))]
    first, second = select.active
    slots = select.slots
    characters = (_character(select, first, pads), _character(select, second, pads))
    stocks = ENDLESS_STOCKS if endless else MatchOptions.stocks[0]
    return MatchSetup(
        options=MatchOptions(
            characters=characters,
            stage=stage,
            stocks=(stocks, stocks),
            costumes=(slots[first].costume, slots[second].costume),
            time_limit=ENDLESS_FRAMES if endless else MatchOptions.time_limit,
        ),
        seats=(
            _seat(first, slots[first], characters[0], stocks),
            _seat(second, slots[second], characters[1], stocks),
        ),
        players=(
            _player(first, slots[first], people, settings),
            _player(second, slots[second], people, settings),
        ),
        seed=seed,
        frozen=stages.frozen,
        version=settings.slippi,
        rollback=settings.rollback,
    )


def _character(select: CharacterSelect, port: int, pads: Mapping[int, Pad]) -> Character:
    character = select.character(port)
    sheik = character is Character.ZELDA and pads.get(port, NEUTRAL).pressed(Button.A)
    return Character.SHEIK if sheik else character


def _seat(port: int, slot: Slot, character: Character, stocks: int) -> SeatInfo:
    cpu = slot.status == Status.CPU
    return SeatInfo(
        port=port,
        character=character.external,
        kind=int(cpu),
        stocks=stocks,
        costume=slot.costume,
        cpu_level=slot.level if cpu else 0,
    )


def _player(port: int, slot: Slot, people: Collection[int], settings: Settings) -> Opponent | None:
    """Return who plays a seat that no pipe drives."""
    if slot.status == Status.CPU:
        return make_opponent(f"scripted:fighter-{slot.level}")
    return make_opponent(settings.human) if port in people else None
