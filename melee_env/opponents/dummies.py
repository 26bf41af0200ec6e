"""Opponents that do one thing: stand, walk, jump, shield, or press anything."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.actions import make_codec
from melee_env.controller import Button, Controllers, make_controllers, neutral
from melee_env.frame import Frames


class Idle:
    """Touches nothing."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Prepare the empty controllers."""
        self._controllers = neutral(num_envs)

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return controllers at rest."""
        return self._controllers

    def act_from(
        self, frames: Frames, seat: int, episode_start: NDArray[np.bool_] | None = None
    ) -> Controllers:
        """Do the same from any seat."""
        return self._controllers


class Random:
    """Holds a random policy action for some frames, then another."""

    HOLD = 6
    """mean frames that an action is held"""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Seed one generator per game, so that a game does not depend on the others."""
        self._rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(num_envs)]
        self._codec = make_codec("multidiscrete")
        self._actions = np.tile(self._codec.neutral(), (num_envs, 1))
        self._left = np.zeros(num_envs, np.int64)

    def seed_games(self, seeds: NDArray[np.int64], mask: NDArray[np.bool_]) -> None:
        """Give the masked games their own seeds, as a new episode does."""
        for i in np.flatnonzero(mask):
            self._rngs[i] = np.random.default_rng(seeds[i])
            self._left[i] = 0

    def get_state(self, game: int) -> Any:
        """Return what the next actions of a game depend on."""
        return copy.deepcopy((self._rngs[game].bit_generator.state, self._actions[game], self._left[game]))

    def set_state(self, game: int, state: Any) -> None:
        """Go on from a state of :meth:`get_state`."""
        self._rngs[game].bit_generator.state, self._actions[game], self._left[game] = copy.deepcopy(state)

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the held or freshly drawn actions."""
        for i in np.flatnonzero(self._left <= 0):
            rng = self._rngs[i]
            self._actions[i, :8] = rng.random(8) < 0.1
            self._actions[i, 8:10] = rng.integers(0, 17, 2)
            self._actions[i, 10:12] = np.where(rng.random() < 0.05, rng.integers(0, 17, 2), 8)
            self._actions[i, 12] = 0
            self._left[i] = rng.integers(1, 2 * self.HOLD)
        self._left -= 1
        return self._codec.decode(self._actions)


class Walk:
    """Walks toward the other fighter and past it, never attacking."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to prepare."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return a half-tilted stick toward the middle or the opponent, whichever keeps to the stage."""
        own, other = frames["seats"]["leader"][..., 0], frames["seats"]["leader"][..., 1]
        target = np.clip(other["x"], -60, 60)
        return make_controllers(
            stick_x=np.where(np.abs(target - own["x"]) < 3, 0, np.sign(target - own["x"]) * 0.5)
        )


class Jump:
    """Full hops on the spot."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to prepare."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Hold X through the jump squat, release it in the air."""
        own = frames["seats"]["leader"][..., 0]
        return make_controllers(buttons=np.where(own["airborne"] == 0, int(Button.X), 0))


class Shield:
    """Holds a shield as long as it lasts."""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to prepare."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Hold L while the shield is healthy, let it grow back below a third."""
        own = frames["seats"]["leader"][..., 0]
        return make_controllers(buttons=np.where(own["shield"] > 20, int(Button.L), 0))
