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
from melee_env.virtual_dolphin.online import Account, OnlineSelect
from melee_env.virtual_dolphin.pads import NEUTRAL, Pad
from melee_env.virtual_dolphin.settings import Settings
from melee_env.virtual_dolphin.stage_select import StageSelect

PARTNER = Character.FOX
"""Fighter of the partner in an online game."""
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
    seed, stage = _draw(settings, stages, number)
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


def set_up_online(
    settings: Settings, select: OnlineSelect, stages: StageSelect, account: Account, number: int
) -> MatchSetup:
    """Describe the next game of direct online play.

    Args:
        settings: for its seed, the partner and the own side.
        select: who plays here.
        stages: where.
        account: the own name and code.
        number: games before this one.
    """
    seed, stage = _draw(settings, stages, number)
    own, other = settings.side - 1, 2 - settings.side
    seats = {
        own: SeatInfo(
            port=own,
            character=select.character.external,
            costume=select.costume,
            name=account.name,
            code=account.code,
        ),
        other: SeatInfo(port=other, character=PARTNER.external, name="Partner", code=settings.partner),
    }
    characters = {own: select.character, other: PARTNER}
    players = {own: None, other: make_opponent(settings.human)}
    return MatchSetup(
        options=MatchOptions(characters=(characters[0], characters[1]), stage=stage),
        seats=(seats[0], seats[1]),
        players=(players[0], players[1]),
        seed=seed,
        frozen=stages.frozen,
        version=settings.slippi,
        rollback=settings.rollback,
        online=True,
    )


def _draw(settings: Settings, stages: StageSelect, number: int) -> tuple[int, Stage]:
    """Return the seed of game ``number`` and its stage, drawn where none was chosen."""
    rng = np.random.default_rng(None if settings.seed is None else settings.seed + number)
    seed = int(rng.integers(2**32)) if settings.seed is None else settings.seed + number
    return seed, stages.stage if stages.stage is not None else list(Stage)[int(rng.integers(len(Stage)))]


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
