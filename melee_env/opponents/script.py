"""What scripted players share: a compiled rule per game, a memory per game, and a generator in it."""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.actions.multidiscrete import NEUTRAL_STICK, NVEC, decode_rows
from melee_env.controller import CONTROLLER_DTYPE, Controllers
from melee_env.engine.kernel import kernel
from melee_env.frame import Frames

A, B, X, Y, Z, L, R, D_UP = range(8)
"""Places of the buttons in a policy action."""
MAIN_X, MAIN_Y, C_X, C_Y, SHOULDER = range(8, 13)
"""Places of sticks and trigger."""
NEUTRAL = NEUTRAL_STICK
HEADS = len(NVEC)


@kernel
def draw(m):
    """Return a number in 0..1 from the memory's generator (the game's own formula)."""
    m.rng = np.uint32(m.rng * np.uint32(214013) + np.uint32(2531011))
    return np.float32(m.rng >> np.uint32(16)) / np.float32(65536)


@kernel
def press(m, action, button):
    """Press a button as an edge: it is let go for one frame when it was down already."""
    if (m.held >> button) & 1 == 0:
        action[button] = 1


@kernel
def side(value):
    """Return the full stick class toward the sign of ``value``."""
    return 16 if value > 0 else 0


@kernel
def let_go(action):
    """Start from an action that presses nothing."""
    for k in range(HEADS):
        action[k] = NEUTRAL if k >= MAIN_X and k <= C_Y else 0


@kernel
def remember_buttons(m, action):
    """Note what is held now, so that :func:`press` makes edges on the next frame."""
    m.held = 0
    for k in range(8):
        if action[k] != 0:
            m.held |= 1 << k


class Script:
    """A player made of one compiled rule; subclasses fill actions ``[N, 13]`` in :meth:`decide`."""

    memory_dtype: ClassVar[np.dtype]
    """what is remembered of a game; has ``rng`` (u4) and ``held`` (i4), and all is forgotten when it starts"""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Give every game its own generator."""
        self._memory = np.zeros(num_envs, self.memory_dtype)
        children = np.random.SeedSequence(seed).spawn(num_envs)
        self._memory["rng"] = [np.random.default_rng(child).integers(2**32) for child in children]
        self._actions = np.zeros((num_envs, HEADS), np.int64)
        self._controllers = np.zeros(num_envs, CONTROLLER_DTYPE)

    def seed_games(self, seeds: NDArray[np.int64], mask: NDArray[np.bool_]) -> None:
        """Give the masked games their own seeds, as a new episode does."""
        for i in np.flatnonzero(mask):
            self._memory[i] = np.zeros((), self.memory_dtype)
            self._memory["rng"][i] = np.random.default_rng(seeds[i]).integers(2**32)

    def get_state(self, game: int) -> bytes:
        """Return what the next actions of a game depend on."""
        return self._memory[game].tobytes()

    def set_state(self, game: int, state: bytes) -> None:
        """Go on from a state of :meth:`get_state`."""
        self._memory[game] = np.frombuffer(state, self.memory_dtype)[0]

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers ``[N]``; all but the generator is forgotten where an episode starts."""
        return self.act_from(frames, 0, episode_start)

    def act_from(
        self, frames: Frames, seat: int, episode_start: NDArray[np.bool_] | None = None
    ) -> Controllers:
        """Do what :meth:`act` does on frames in which the player sits in ``seat``."""
        if episode_start is not None and np.count_nonzero(episode_start):
            for i in np.flatnonzero(episode_start):
                rng = self._memory["rng"][i]
                self._memory[i] = np.zeros((), self.memory_dtype)
                self._memory["rng"][i] = rng
        leaders = frames["seats"]["leader"]
        self.decide(self._memory, leaders if seat == 0 else leaders[:, ::-1], frames["stage"], self._actions)
        decode_rows(self._actions, self._controllers)
        return self._controllers

    def decide(
        self,
        memory: NDArray[np.void],
        leaders: NDArray[np.void],
        stages: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Fill one policy action per game; leaders ``[N, 2]`` have the player in the first column."""
        raise NotImplementedError
