"""Several opponents: a pool to draw from at episode starts, and the line-up that plays the lanes of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers, neutral
from melee_env.errors import OptionError, StateVersionError
from melee_env.frame import Frames, empty_frames, swap_seats
from melee_env.opponents.base import Opponent
from melee_env.opponents.registry import make_opponent


class OpponentPool:
    """Opponents to draw from: every episode gets one, and keeps it to its end.

    Give it as ``opponent=`` to any environment; :meth:`add` works while episodes run.

    >>> pool = OpponentPool(["scripted:walk", "scripted:fighter-3"], weights=[1, 3])
    >>> sorted({pool.choose(draw) for draw in range(0, 2**31, 2**26)})
    ['scripted:fighter-3', 'scripted:walk']
    """

    def __init__(
        self, opponents: Sequence[str | Opponent] = (), weights: Sequence[float] | None = None
    ) -> None:
        """Fill the pool; without weights all are equally likely.

        Raises:
            OptionError: an unknown opponent, or weights that do not fit.
        """
        if weights is not None and len(weights) != len(opponents):
            raise OptionError(f"the pool has {len(opponents)} opponents and {len(weights)} weights")
        self._opponents: list[str | Opponent] = []
        self._weights: list[float] = []
        for opponent, weight in zip(opponents, weights or [1.0] * len(opponents), strict=True):
            self.add(opponent, weight)

    def __len__(self) -> int:
        return len(self._opponents)

    def add(self, opponent: str | Opponent, weight: float = 1.0) -> None:
        """Add one opponent; episodes that start from now on may get it.

        Raises:
            OptionError: an unknown name, or a weight that is not positive.
        """
        if not weight > 0:
            raise OptionError(f"the weight of {opponent!r} must be above 0, got {weight!r}")
        if isinstance(opponent, str):
            make_opponent(opponent)
        elif not isinstance(opponent, Opponent):
            raise OptionError(f"an opponent must be a name or have reset and act, got {opponent!r}")
        self._opponents.append(opponent)
        self._weights.append(float(weight))

    def choose(self, draw: int) -> str | Opponent:
        """Return the opponent that a draw of ``0..2**31 - 1`` picks."""
        if not self._opponents:
            raise OptionError("the opponent pool is empty: add an opponent to it")
        shares = np.cumsum(self._weights) / sum(self._weights)
        return self._opponents[int(np.searchsorted(shares, draw / 2**31, side="right"))]

    def __repr__(self) -> str:
        return f"OpponentPool({self._opponents!r}, weights={self._weights!r})"


class LineUp:
    """The opponents of ``num_games`` games, each game with its own; equal names share one object."""

    def __init__(self, num_games: int) -> None:
        """Start with nobody: every game must be :meth:`assign`-ed before it is played."""
        self._num_games = num_games
        self._players: list[Opponent] = []
        self._keys: list[str | Opponent] = []
        self._playing = np.zeros(num_games, np.int64)
        self._used: list[int] = []
        self._turned: Frames = empty_frames(num_games)

    def assign(self, game: int, opponent: str | Opponent, seed: int) -> None:
        """Let an opponent play a game from its start; ``seed`` fixes what it draws there."""
        number = self._number(opponent)
        self._playing[game] = number
        self._used = np.unique(self._playing).tolist()
        player: Any = self._players[number]
        if hasattr(player, "seed_games"):
            mask = np.zeros(self._num_games, np.bool_)
            mask[game] = True
            player.seed_games(np.full(self._num_games, seed, np.int64), mask)

    def _number(self, opponent: str | Opponent) -> int:
        for number, key in enumerate(self._keys):
            if key is opponent or (isinstance(key, str) and key == opponent):
                return number
        player = make_opponent(opponent) if isinstance(opponent, str) else opponent
        player.reset(self._num_games, seed=0)
        self._players.append(player)
        self._keys.append(opponent)
        return len(self._players) - 1

    def act(self, frames: Frames, episode_start: NDArray[np.bool_]) -> Controllers:
        """Return the controllers ``[N]`` of all games, each from its own opponent, who sits in seat 1 of ``frames``."""
        if len(self._used) == 1:
            return self._act(self._used[0], frames, episode_start)
        out = neutral(self._num_games)
        for number in self._used:
            mask = self._playing == number
            chosen = np.ascontiguousarray(self._act(number, frames, episode_start))
            _bytes(out)[mask] = _bytes(chosen)[mask]
        return out

    def _act(self, number: int, frames: Frames, episode_start: NDArray[np.bool_]) -> Controllers:
        player: Any = self._players[number]
        if hasattr(player, "act_from"):
            return player.act_from(frames, 1, episode_start)
        swap_seats(_bytes(frames), _bytes(self._turned))
        return player.act(self._turned, episode_start)

    def get_state(self, game: int) -> dict[str, Any]:
        """Return who plays a game and what that player remembers of it."""
        number = int(self._playing[game])
        player: Any = self._players[number]
        key = self._keys[number]
        memory = player.get_state(game) if hasattr(player, "get_state") else None
        return {"name": key if isinstance(key, str) else None, "number": number, "memory": memory}

    def set_state(self, game: int, state: dict[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`.

        Raises:
            StateVersionError: the state's opponent is an object that this line-up never had.
        """
        if state["name"] is not None:
            number = self._number(state["name"])
        elif state["number"] < len(self._players):
            number = state["number"]
        else:
            raise StateVersionError("this state was saved with an opponent object that is not here")
        self._playing[game] = number
        self._used = np.unique(self._playing).tolist()
        player: Any = self._players[number]
        if state["memory"] is not None:
            player.set_state(game, state["memory"])


def _bytes(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """View records ``[N]`` as bytes ``[N, bytes of a record]``."""
    return records.view(np.uint8).reshape(len(records), -1)
