"""Games between two agents, many at once, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation.intervals import Interval, mean_interval, wilson_interval
from experiments.evaluation.players import one_thread, require_fighter
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import Button, Controllers, neutral
from melee_env.errors import OptionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, FIRST_FRAME, Frames, seen_from
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import Character, Stage, parse
from melee_env.observations.features import EDGE_X

if TYPE_CHECKING:
    from agents import Agent

FRAMES_PER_MINUTE = 3600
STICK_CELLS = 17
"""cells per axis of the counts of stick positions"""
COUNTED_BUTTONS = ("A", "B", "X", "Y", "Z", "L", "R", "D_UP")
HIGHEST_START, MOST_DAMAGE = 60.0, 120
"""game units above the main floor and percent at a perturbed start"""
FIRST_INPUT_FRAME = FIRST_FRAME + 1
"""evaluated games are shown from their first frame, entrance included, as the console records them"""


@dataclass
class GameResults:
    """One entry per game, seen from the agent."""

    agent: str
    opponent: str
    seed: int
    options: dict[str, Any]
    outcomes: NDArray[np.float64]
    """1 won, 0.5 drawn, 0 lost"""
    net_stocks: NDArray[np.int64]
    """stocks taken minus stocks lost"""
    damage_dealt: NDArray[np.float64]
    """percent"""
    damage_taken: NDArray[np.float64]
    """percent"""
    frames: NDArray[np.int64]
    """length of the game from GO"""
    seats: NDArray[np.int64]
    """the agent's seat"""
    stick_counts: NDArray[np.int64]
    """frames per position of the agent's main stick ``[17, 17]`` (x, y), all games together"""
    press_rates: dict[str, float]
    """share of frames on which the agent held a button, by the button's name"""
    recordings: dict[int, Game] = field(default_factory=dict)
    """recorded games by number"""

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def win_rate(self) -> Interval:
        """Share of games won, a draw counting one half."""
        return wilson_interval(float(self.outcomes.sum()), len(self))

    @property
    def mean_net_stocks(self) -> Interval:
        """Net stocks per game."""
        return mean_interval(self.net_stocks, self.seed)

    @property
    def net_damage_per_min(self) -> Interval:
        """Percent dealt minus percent taken, per minute, mean over games."""
        minutes = np.maximum(self.frames, 1) / FRAMES_PER_MINUTE
        return mean_interval((self.damage_dealt - self.damage_taken) / minutes, self.seed)

    def summary(self) -> dict[str, Any]:
        """Return what ``melee-env eval --json`` writes."""
        return {
            "agent": self.agent,
            "opponent": self.opponent,
            "games": len(self),
            "seed": self.seed,
            "options": self.options,
            "win_rate": self.win_rate.to_json(),
            "net_stocks": self.mean_net_stocks.to_json(),
            "net_damage_per_min": self.net_damage_per_min.to_json(),
            "frames": int(self.frames.sum()),
            "rows": [
                {
                    "game": n,
                    "seat": int(self.seats[n]),
                    "outcome": float(self.outcomes[n]),
                    "net_stocks": int(self.net_stocks[n]),
                    "damage_dealt": float(self.damage_dealt[n]),
                    "damage_taken": float(self.damage_taken[n]),
                    "frames": int(self.frames[n]),
                }
                for n in range(len(self))
            ],
        }


def play_games(
    agent: Agent,
    opponent: Agent,
    games: int,
    seed: int,
    *,
    character: str | Character = Character.FOX,
    opponent_character: str | Character = Character.FOX,
    stage: str | Stage = Stage.FINAL_DESTINATION,
    stocks: int = 4,
    time_limit: int = 28_800,
    backend: str = "embedded",
    record: tuple[int, ...] = (),
    perturbed: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> GameResults:
    """Play ``games`` games at once; the agent sits in seat 0 of every even game and in seat 1 of every odd one.

    Args:
        agent: whose results they are.
        opponent: the other side.
        games: how many.
        seed: fixes everything that is drawn, together with the agents.
        character: the agent's fighter.
        opponent_character: the other fighter.
        stage: the stage.
        stocks: stocks of both at the start.
        time_limit: frames from GO until time is up; more stocks, then less damage wins.
        backend: name of the backend.
        record: numbers of the games whose frames are kept.
        perturbed: start in places and with damage that are drawn from ``seed``, without the entrance; see
            :func:`perturb`.
        progress: called with (games over, games).

    Returns:
        One entry per game.

    Raises:
        OptionError: no games, an unknown name, or a fighter that an agent does not play.
    """
    if games < 1:
        raise OptionError(f"games must be at least 1, got {games}")
    ours, theirs = parse(Character, character), parse(Character, opponent_character)
    place = parse(Stage, stage)
    require_fighter(agent, ours)
    require_fighter(opponent, theirs)
    seats = np.arange(games) % 2
    options = [
        MatchOptions(
            characters=(ours, theirs) if seats[n] == 0 else (theirs, ours),
            stage=place,
            stocks=(stocks, stocks),
            time_limit=time_limit,
            start_frame=FIRST_INPUT_FRAME,
        )
        for n in range(games)
    ]
    if perturbed:
        options = [perturb(one, np.random.default_rng([seed, n])) for n, one in enumerate(options)]
    seeds = np.random.SeedSequence(seed).generate_state(games + 2).astype(np.uint32)
    engine = make_backend(backend, games)
    try:
        with one_thread():
            totals, kept = _play(engine, agent, opponent, seats, seeds, options, record, progress)
    finally:
        engine.close()
    results = GameResults(
        agent=agent.name,
        opponent=opponent.name,
        seed=seed,
        options={
            "character": ours.name,
            "opponent_character": theirs.name,
            "stage": place.name,
            "stocks": stocks,
            "time_limit": time_limit,
            "backend": backend,
            "perturbed": perturbed,
        },
        seats=seats,
        **totals.results(seats, stocks),
    )
    for n in record:
        results.recordings[n] = _as_game(kept.pop(n), options[n], int(seeds[n]), backend)
    return results


def perturb(options: MatchOptions, rng: np.random.Generator) -> MatchOptions:
    """Return the same game from a start that play rarely sees.

    Either fighter stands on the stage or, as often, falls from up to 60 units above it, up to 10 units from the
    edges, and has 0 to 120 % damage; control is there at once.
    """
    reach = EDGE_X[options.stage.external] - 10.0

    def place() -> tuple[float, float]:
        x, y = rng.uniform(-reach, reach), rng.uniform(0.0, HIGHEST_START)
        return float(x), float(y) if rng.random() < 0.5 else 0.0001

    damage = rng.integers(0, MOST_DAMAGE + 1, 2)
    return replace(
        options,
        positions=(place(), place()),
        percents=(float(damage[0]), float(damage[1])),
        start_frame=FIRST_CONTROLLABLE_FRAME,
    )


class _Totals:
    """Damage and length of every game, added up frame by frame."""

    def __init__(self, frames: Frames) -> None:
        leaders = frames["seats"]["leader"]
        self.percents = leaders["percent"].copy()
        self.taken = np.zeros(leaders["percent"].shape)
        self.last = frames.copy()
        self.inputs: list[Controllers] = []
        """the agent's controllers of the running games, frame by frame"""

    def add(self, frames: Frames) -> None:
        """Add the damage of one frame."""
        percents = frames["seats"]["leader"]["percent"]
        # A fall of the percentage is a new stock, not healing.
        self.taken += np.maximum(percents.astype(np.float64) - self.percents, 0.0)
        self.percents = percents.copy()
        self.last[:] = frames

    def results(self, seats: NDArray[np.int64], stocks: int) -> dict[str, Any]:
        """Return the fields of :class:`GameResults` that the games decide."""
        rows = np.arange(len(seats))
        leaders = self.last["seats"]["leader"]
        left = leaders["stocks"].astype(np.int64)
        mine, other = left[rows, seats], left[rows, 1 - seats]
        my_percent, other_percent = leaders["percent"][rows, seats], leaders["percent"][rows, 1 - seats]
        inputs = np.concatenate(self.inputs)
        ahead = np.sign(mine - other)
        ahead = np.where(ahead == 0, np.sign(np.sign(other_percent - my_percent)), ahead)
        return {
            "outcomes": 0.5 + 0.5 * ahead,
            "net_stocks": (stocks - other) - (stocks - mine),
            "damage_dealt": self.taken[rows, 1 - seats],
            "damage_taken": self.taken[rows, seats],
            "frames": np.maximum(self.last["frame"], 0).astype(np.int64),
            "stick_counts": count_stick(inputs),
            "press_rates": {
                name: float((inputs["buttons"] & Button[name] != 0).mean()) for name in COUNTED_BUTTONS
            },
        }


def count_stick(controllers: Controllers) -> NDArray[np.int64]:
    """Return how often each cell of the main stick's range occurs, ``[17, 17]`` (x, y)."""
    edges = np.linspace(-1.0, 1.0, STICK_CELLS + 1)
    x, y = controllers["stick_x"].ravel(), controllers["stick_y"].ravel()
    return np.histogram2d(x, y, bins=(edges, edges))[0].astype(np.int64)


def _play(
    engine: Any,
    agent: Agent,
    opponent: Agent,
    seats: NDArray[np.int64],
    seeds: NDArray[np.uint32],
    options: list[MatchOptions],
    record: tuple[int, ...],
    progress: Callable[[int, int], None] | None,
) -> tuple[_Totals, dict[int, list[Frames]]]:
    games = len(seats)
    frames = engine.reset(seeds[:games], options)
    agent.reset(games, int(seeds[games]))
    opponent.reset(games, int(seeds[games + 1]))
    totals = _Totals(frames)
    kept: dict[int, list[Frames]] = {n: [frames[n].copy()] for n in record}
    controllers = neutral(games, 2)
    rows = np.arange(games)
    start = np.ones(games, bool)
    over = frames["end_method"] != 0
    while not over.all():
        views = frames.copy()
        views[seats == 1] = seen_from(frames[seats == 1], 1)
        controllers[rows, seats] = agent.act(views, start)
        controllers[rows, 1 - seats] = opponent.act(seen_from(views, 1), start)
        start = np.zeros(games, bool)
        running = ~over
        totals.inputs.append(controllers[rows, seats][running])
        frames = engine.step(controllers)
        totals.add(frames)
        for n in record:
            if running[n]:
                kept[n].append(frames[n].copy())
        ended = frames["end_method"] != 0
        if progress is not None and ended.sum() != over.sum():
            progress(int(ended.sum()), games)
        over = ended
    return totals, kept


def _as_game(frames: list[Frames], options: MatchOptions, seed: int, backend: str) -> Game:
    whole = np.array(frames)
    info = GameInfo(
        stage=options.stage.external,
        seats=tuple(
            SeatInfo(port=seat, character=options.characters[seat].external, stocks=options.stocks[seat])
            for seat in range(2)
        ),
        timer=options.time_limit // 60,
        seed=seed,
        end_method=int(whole["end_method"][-1]),
        played_on=f"melee_env {backend}",
    )
    return Game(info, whole)
