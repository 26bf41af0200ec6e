"""From policy actions to the controllers that act: decoding, sticky actions, delay, and what was committed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.actions import ActionCodec, SwitchedCodec
from melee_env.controller import CONTROLLER_DTYPE, Controllers, neutral
from melee_env.envs.options import MAX_DELAY
from melee_env.errors import OptionError

_SIZE = CONTROLLER_DTYPE.itemsize
_MULTIPLIER, _INCREMENT = np.uint32(214013), np.uint32(2531011)


class Controls:
    """The controls of N lanes.

    Every frame one controller per lane is committed; with a delay of ``d`` frames the one that acts was
    committed ``d`` frames before. The last ones are remembered, so that an observation can show them.

    Attributes:
        delays: frames between commitment and effect, ``[N]``.
    """

    def __init__(self, codec: ActionCodec, num_lanes: int, depth: int = 0, sticky: float = 0.0) -> None:
        """Make room for N lanes.

        Args:
            codec: turns policy actions into controllers.
            num_lanes: N.
            depth: committed controllers that :meth:`committed` must be able to show.
            sticky: chance that a decision repeats the one before instead of the action given.

        Raises:
            OptionError: ``sticky`` is no probability below 1.
        """
        if isinstance(sticky, bool) or not isinstance(sticky, int | float) or not 0 <= sticky < 1:
            raise OptionError(f"sticky_actions must be a probability 0 … <1, got {sticky!r}")
        self.codec = codec
        self.sticky = float(sticky)
        self.delays = np.zeros(num_lanes, np.int64)
        self._lanes = np.arange(num_lanes)
        self._rows = MAX_DELAY + 1 + depth
        self._ring = np.zeros((self._rows, num_lanes, _SIZE), np.uint8)
        self._head = 0
        self._delay: int | None = 0
        self._decided = neutral(num_lanes)
        self._remembers = bool(sticky) or isinstance(codec, SwitchedCodec)
        self._rng = np.zeros(num_lanes, np.uint32)

    def start(self, lane: int, delay: int, seed: int) -> None:
        """Begin an episode in a lane: nothing is committed, its draws come from ``seed``."""
        self.delays[lane] = delay
        self._delay = int(self.delays[0]) if (self.delays == self.delays[0]).all() else None
        self._ring[:, lane] = 0
        self._decided[lane] = neutral()
        self._rng[lane] = seed

    def decide(self, actions: NDArray[Any], due: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the controllers ``[N]`` that actions ``[N, …]`` stand for.

        Where a decision sticks, or is not ``due`` (None: all are), the one before goes on.
        """
        if isinstance(self.codec, SwitchedCodec):
            controllers = self.codec.decode_after(actions, self._decided["buttons"])
        else:
            controllers = np.ascontiguousarray(self.codec.decode(actions))
        if not self._remembers and due is None:
            return controllers
        kept = np.zeros(len(controllers), np.bool_) if due is None else ~due
        if self.sticky:
            with np.errstate(over="ignore"):
                self._rng = self._rng * _MULTIPLIER + _INCREMENT
            kept |= (self._rng >> np.uint32(16)) < self.sticky * 65536
        controllers = np.where(kept, self._decided, controllers)
        self._decided = controllers.copy()
        return controllers

    def commit(self, controllers: Controllers) -> NDArray[np.uint8]:
        """Commit one frame's controllers ``[N]``; return those that act on it, as bytes ``[N, 36]``."""
        rows = np.ascontiguousarray(controllers).view(np.uint8).reshape(-1, _SIZE)
        self._head = (self._head + 1) % self._rows
        self._ring[self._head] = rows
        if self._delay == 0:
            return rows
        if self._delay is not None:
            return self._ring[(self._head - self._delay) % self._rows]
        return self._ring[(self._head - self.delays) % self._rows, self._lanes]

    def committed(self, count: int) -> NDArray[np.uint8]:
        """Return the last ``count`` committed controllers, the latest first, as bytes ``[N, count, 36]``."""
        if count <= 1:
            return self._ring[self._head][:, None][:, :count]
        places = (self._head - np.arange(count)) % self._rows
        return np.ascontiguousarray(self._ring[places].swapaxes(0, 1))

    def get_state(self, lane: int) -> dict[str, Any]:
        """Return everything that a lane's next controllers depend on."""
        places = (self._head - np.arange(self._rows)) % self._rows
        return {
            "delay": int(self.delays[lane]),
            "committed": self._ring[places, lane].copy(),
            "decided": self._decided[lane].tobytes(),
            "rng": int(self._rng[lane]),
        }

    def set_state(self, lane: int, state: Mapping[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`."""
        self.start(lane, state["delay"], state["rng"])
        kept = state["committed"][: self._rows]
        places = (self._head - np.arange(len(kept))) % self._rows
        self._ring[places, lane] = kept
        self._decided[lane] = np.frombuffer(state["decided"], CONTROLLER_DTYPE)[0]
