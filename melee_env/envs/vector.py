"""Native vector environment: one engine call steps every game, with Gymnasium's autoreset semantics."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from melee_env.envs.games import Games
from melee_env.envs.task import Task
from melee_env.errors import OptionError
from melee_env.opponents import Opponent, OpponentPool


class VersusVectorEnv(VectorEnv[NDArray[np.float32], Any, NDArray[Any]]):
    """``num_envs`` games of one task. Lane i equals the single environment with lane i's seed, bit for bit.

    ``reset(options=…)`` takes the single environment's options for all lanes, a list of them per lane under
    ``"lanes"``, and Gymnasium's ``"reset_mask"``.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        task_type: type[Task] = Task,
        observation: str = "compact",
        action: str = "multidiscrete",
        reward: str | None = None,
        opponent: str | Opponent | OpponentPool | None = None,
        action_delay: int | None = 0,
        frame_skip: int | None = None,
        sticky_actions: float = 0.0,
        backend: str = "embedded",
        backend_options: Mapping[str, Any] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Build the lanes; arguments are those of the single environment.

        Args:
            num_envs: number of games.
            task_type: the task that every lane plays.
            autoreset_mode: ``NEXT_STEP``, ``SAME_STEP`` or ``DISABLED``.
            observation: preset of ``melee_env.observations``.
            action: codec of ``melee_env.actions``.
            reward: terms; None is the task's own.
            opponent: a name, an object that plays all lanes, or a pool to draw from; None is the task's own.
            action_delay: frames between an action and its effect, 0..24; None draws.
            frame_skip: frames that an action is held; None is the task's own.
            sticky_actions: chance that a decision repeats the one before, from the lane's own draws.
            backend: ``"embedded"`` or a plug-in.
            backend_options: passed to the backend.
            render_mode: ``"rgb_array"`` or None.
            **options: defaults of the episode options, for all lanes.

        Raises:
            OptionError: an unknown name or impossible value.
        """
        if render_mode not in (None, "rgb_array"):
            raise OptionError(f"render_mode must be rgb_array or None, got {render_mode!r}")
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.games = Games(
            task_type(reward),
            num_envs,
            observation=observation,
            action=action,
            opponent=opponent,
            action_delay=action_delay,
            frame_skip=frame_skip,
            sticky_actions=sticky_actions,
            backend=backend,
            backend_options=backend_options,
            options=options,
        )
        self.single_observation_space = copy.deepcopy(self.games.encoder.space)
        self.single_action_space = self.games.codec.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rngs: list[np.random.Generator | None] = [None] * num_envs
        self._over = np.ones(num_envs, np.bool_)
        self._begun = False
        self._options: list[Mapping[str, Any] | None] = [None] * num_envs

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start episodes in all lanes, or in those of ``options["reset_mask"]``.

        Raises:
            OptionError: a bad option; nothing was reset then.
        """
        mask, per_lane = self._split_options(options)
        seeds = self._lane_seeds(seed)
        for i in np.flatnonzero(mask):
            if seeds[i] is not None or self._rngs[i] is None:
                self._rngs[i], _ = seeding.np_random(seeds[i])
        observations = self.games.reset(self._generators(), per_lane, mask)
        self._begun = all(rng is not None for rng in self._rngs)
        self._over[mask] = False
        return observations, self._infos({}, np.zeros(self.num_envs, np.bool_), mask)

    def _split_options(
        self, options: dict[str, Any] | None
    ) -> tuple[NDArray[np.bool_], list[Mapping[str, Any] | None]]:
        rest = dict(options or {})
        mask = rest.pop("reset_mask", None)
        lanes = rest.pop("lanes", None)
        if mask is None:
            mask = np.ones(self.num_envs, np.bool_)
        elif not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise OptionError(f"option 'reset_mask' must be a bool array of shape ({self.num_envs},)")
        elif not mask.any():
            raise OptionError("option 'reset_mask' must be true somewhere")
        if lanes is None:
            return mask, [rest or None] * self.num_envs
        if len(lanes) != self.num_envs:
            raise OptionError(f"option 'lanes' must list {self.num_envs} mappings, got {len(lanes)}")
        return mask, [{**rest, **(lane or {})} for lane in lanes]

    def _lane_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise OptionError(f"seed must be one number or {self.num_envs} of them, got {len(seed)}")
        return list(seed)

    def _generators(self) -> list[np.random.Generator]:
        # Lanes that are not reset now never look at their generator.
        return [rng if rng is not None else np.random.default_rng(0) for rng in self._rngs]

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play one action in every lane.

        Raises:
            gymnasium.error.ResetNeeded: a finished lane was not reset (mode ``DISABLED``), or no reset yet.
        """
        if not self._begun:
            raise gym.error.ResetNeeded("call reset() before step()")
        resetting = self._over
        pending = np.count_nonzero(resetting) > 0
        if pending and self.autoreset_mode == AutoresetMode.DISABLED:
            raise gym.error.ResetNeeded(
                f"lanes {np.flatnonzero(resetting).tolist()} are over: reset them with options['reset_mask']"
            )
        observations, rewards, terminated, truncated, values = self.games.step(np.asarray(actions))
        if pending:
            observations = self.games.reset(self._generators(), [None] * self.num_envs, resetting)
            rewards[resetting] = 0
            terminated, truncated = terminated & ~resetting, truncated & ~resetting
        over = terminated | truncated
        infos: dict[str, Any] = {}
        stepped, started = ~resetting, resetting
        if self.autoreset_mode == AutoresetMode.SAME_STEP and np.count_nonzero(over):
            infos = self._final(observations, values, over)
            observations = self.games.reset(self._generators(), [None] * self.num_envs, over)
            stepped, started = ~over, over
        else:
            self._over = over
        if np.count_nonzero(started):
            infos.update(self._infos(values, stepped, started))
        else:
            infos.update(_all(values))
        return observations, rewards.astype(np.float64), terminated, truncated, infos

    def _final(
        self, observations: NDArray[np.float32], values: Mapping[str, NDArray[Any]], over: NDArray[np.bool_]
    ) -> dict[str, Any]:
        final_obs = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(over):
            final_obs[i] = observations[i].copy()
        return {
            "final_obs": final_obs,
            "_final_obs": over.copy(),
            "final_info": _masked(values, over),
            "_final_info": over.copy(),
        }

    def _infos(
        self, values: Mapping[str, NDArray[Any]], stepped: NDArray[np.bool_], started: NDArray[np.bool_]
    ) -> dict[str, Any]:
        """Arrays with their masks: step values of stepped lanes, start values of started ones."""
        infos = _masked(
            {name: value for name, value in values.items() if name.startswith("reward.")}, stepped
        )
        both = stepped | started
        infos.update(_masked(self.games.task.info(self.games.memory, self.games.frames), both))
        return infos

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call ``get_state(lane)``-like methods of :class:`Games` for every lane."""
        return tuple(getattr(self.games, name)(i, *args, **kwargs) for i in range(self.num_envs))

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:  # type: ignore[override]
        """Return a picture of every lane when ``render_mode`` is ``rgb_array``."""
        if self.render_mode != "rgb_array":
            return None
        from melee_env.rendering import render_frame

        return tuple(render_frame(frame) for frame in self.games.frames.copy())

    def close_extras(self, **kwargs: Any) -> None:
        """Release the backend."""
        self.games.close()


_WIDE = {"f": np.dtype(np.float64), "i": np.dtype(np.int64), "u": np.dtype(np.int64)}
"""what Gymnasium's vector environments make of the numbers in infos, by kind"""


def _masked(values: Mapping[str, NDArray[Any]], mask: NDArray[np.bool_]) -> dict[str, Any]:
    if not mask.any():
        return {}
    infos: dict[str, Any] = {}
    for name, value in values.items():
        wide = value.astype(_WIDE.get(value.dtype.kind, value.dtype))
        infos[name] = np.where(mask, wide, np.zeros((), wide.dtype))
        infos[f"_{name}"] = mask.copy()
    return infos


def _all(values: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return what :func:`_masked` gives when every lane has a value."""
    infos: dict[str, Any] = {}
    everyone: NDArray[np.bool_] | None = None
    for name, value in values.items():
        infos[name] = value.astype(_WIDE.get(value.dtype.kind, value.dtype))
        everyone = np.ones(len(value), np.bool_) if everyone is None else everyone.copy()
        infos[f"_{name}"] = everyone
    return infos
