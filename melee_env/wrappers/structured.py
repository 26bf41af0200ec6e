"""Observations as dictionaries: the encoder's groups of numbers by name."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from melee_env.envs.versus import VersusEnv
from melee_env.observations import ObservationEncoder


def observation_slices(encoder: ObservationEncoder) -> dict[str, slice]:
    """Return where every group of an observation lies: ``own``, ``opponent``, ``own.action``, ``stage``, ….

    A group is a run of columns whose names differ in their last part alone; a second run of one group, as the
    ledge distances after the stage, is called ``group.2``.
    """
    slices: dict[str, slice] = {}
    at = 0
    for head, members in groupby(encoder.names, key=lambda name: name.rpartition(".")[0] or "globals"):
        length = len(list(members))
        count = sum(1 for name in slices if name == head or name.startswith(f"{head}.#"))
        slices[head if not count else f"{head}.#{count + 1}"] = slice(at, at + length)
        at += length
    return {name.replace(".#", "."): where for name, where in slices.items()}


class StructuredObservation(gym.ObservationWrapper[dict[str, NDArray[np.float32]], Any, NDArray[np.float32]]):
    """Shows the flat observation as a ``Dict`` of ``Box``es, without another encoding.

    >>> import gymnasium, melee_env
    >>> env = StructuredObservation(gymnasium.make("melee_env/Versus-v0"))
    >>> sorted(env.observation_space)[:2]
    ['globals', 'globals.2']
    """

    def __init__(self, env: gym.Env[NDArray[np.float32], Any]) -> None:
        """Wrap an environment of this package."""
        super().__init__(env)
        versus = env.unwrapped
        assert isinstance(versus, VersusEnv)
        self._slices = observation_slices(versus.games.encoder)
        flat = env.observation_space
        assert isinstance(flat, spaces.Box)
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            {
                name: spaces.Box(flat.low[s], flat.high[s], dtype=np.float32)
                for name, s in self._slices.items()
            }
        )

    def observation(self, observation: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """Cut an observation ``[F]`` into its groups."""
        return {name: observation[where] for name, where in self._slices.items()}
