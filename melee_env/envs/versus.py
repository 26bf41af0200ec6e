"""A game against an opponent: the single-game environment that every id builds on."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from melee_env.envs.games import Games
from melee_env.envs.task import Task
from melee_env.errors import OptionError
from melee_env.opponents import Opponent, OpponentPool


class VersusEnv(gym.Env[NDArray[np.float32], Any]):
    """One seat learns, the other is an opponent.

    Observation:
        ``Box [F] float32``: the preset's encoding of the frame, own fighter first.
    Action:
        By codec: ``multidiscrete`` (default), ``box`` or ``discrete``.
    Reward:
        The weighted terms of ``reward``; every term is also in ``info["reward.<term>"]``.
    Termination:
        A side is out of stocks (terminated) or the clock runs out (truncated).

    Example:
        >>> import gymnasium as gym, melee_env
        >>> env = gym.make("melee_env/Versus-v0", opponent="scripted:idle")
        >>> observation, info = env.reset(seed=7)
        >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        >>> env.close()
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 60}
    task_type: ClassVar[type[Task]] = Task

    def __init__(
        self,
        *,
        observation: str = "compact",
        action: str = "multidiscrete",
        reward: str | None = None,
        opponent: str | Opponent | OpponentPool | None = None,
        action_delay: int | None = 0,
        frame_skip: int | None = None,
        sticky_actions: float = 0.0,
        backend: str = "embedded",
        backend_options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Build the environment.

        Args:
            observation: preset of ``melee_env.observations``.
            action: codec of ``melee_env.actions``.
            reward: terms such as ``"damage+stock"``; None is the task's own.
            opponent: a name such as ``"scripted:fighter-3"``, an object with ``reset`` and ``act``, or a pool to
                draw from; None is the task's own.
            action_delay: frames between an action and its effect, 0..24; None draws.
            frame_skip: frames that an action is held; None is the task's own.
            sticky_actions: chance that a decision repeats the one before, from the lane's own draws.
            backend: ``"embedded"`` or a plug-in.
            backend_options: passed to the backend.
            render_mode: ``"rgb_array"``, ``"human"`` or None.
            **options: defaults of the episode options (``character``, ``stage``, ``stocks`` …).

        Raises:
            OptionError: an unknown name or impossible value.
        """
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise OptionError(f"render_mode must be rgb_array, human or None, got {render_mode!r}")
        self.render_mode = render_mode
        self.games = Games(
            self.task_type(reward),
            1,
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
        # The encoder is shared by all environments, the generator of a space must not be.
        self.observation_space = copy.deepcopy(self.games.encoder.space)
        self.action_space = self.games.codec.space
        self._over = True
        self._window: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode; ``options`` may set any of :data:`melee_env.envs.options.DEFAULTS`.

        Raises:
            OptionError: a bad option; the environment stays usable.
        """
        super().reset(seed=seed)
        observations = self.games.reset([self.np_random], [options])
        self._over = False
        self._show()
        return observations[0], self._info({})

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play one action.

        Raises:
            gymnasium.error.ResetNeeded: the episode is over.
        """
        if self._over:
            raise gym.error.ResetNeeded("the episode is over: call reset() before step()")
        actions = np.asarray(action)[None]
        observations, rewards, terminated, truncated, info = self.games.step(actions)
        self._over = bool(terminated[0] or truncated[0])
        self._show()
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._info(info)

    def _info(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        if not arrays:
            arrays = self.games.task.info(self.games.memory, self.games.frames)
        return {name: value[0].item() for name, value in arrays.items()}

    @property
    def frame(self) -> Any:
        """The current frame, a copy (``FRAME_DTYPE`` scalar)."""
        return self.games.frames[0].copy()

    def get_state(self) -> dict[str, Any]:
        """Return the whole state: game, RNGs, delay queue, counters."""
        return {
            "games": self.games.get_state(0),
            "rng": copy.deepcopy(self.np_random.bit_generator.state),
            "over": self._over,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`, bit for bit.

        Raises:
            melee_env.errors.StateVersionError: it was saved by another version.
        """
        self.games.set_state(0, state["games"])
        if self._np_random is None:
            self._np_random, self._np_random_seed = seeding.np_random(0)
        self.np_random.bit_generator.state = copy.deepcopy(state["rng"])
        self._over = state["over"]

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """Return a picture ``[H, W, 3] uint8`` (``rgb_array``); the window of ``human`` draws by itself."""
        if self.render_mode != "rgb_array":
            return None
        from melee_env.rendering import render_frame

        return render_frame(self.frame)

    def _show(self) -> None:
        if self.render_mode != "human":
            return
        if self._window is None:
            from melee_env.rendering.window import Window

            self._window = Window()
        self._window.show(self.frame)

    def close(self) -> None:
        """Close the window and the backend; calling it twice is fine."""
        if self._window is not None:
            self._window.close()
            self._window = None
        self.games.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the window."""
        return {**self.__dict__, "_window": None}
