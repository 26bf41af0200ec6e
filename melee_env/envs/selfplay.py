"""Both seats learn: a PettingZoo parallel environment, and its turn-based twin."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
from pettingzoo.utils.conversions import parallel_to_aec  # type: ignore[import-untyped]

from melee_env import __version__
from melee_env.actions import make_codec
from melee_env.backends.base import make_backend
from melee_env.controller import CONTROLLER_DTYPE
from melee_env.envs.controls import Controls
from melee_env.envs.options import DEFAULTS, MATCH_KEYS, check_keys, resolve
from melee_env.errors import OptionError, StateVersionError
from melee_env.frame import FRAME_DTYPE, empty_frames, schema_hash, seen_from
from melee_env.observations import make_encoder
from melee_env.rewards import make_reward

AGENTS = ("p1", "p2")
KEYS = (*MATCH_KEYS, "action_delay")
"""options of an episode; the delay holds for both seats"""


class SelfPlayEnv(ParallelEnv[str, NDArray[np.float32], Any]):
    """Agents ``p1`` and ``p2`` in one game, each seeing itself first.

    Rewards are the preset seen from each seat; with the default they sum to zero. Both agents end together:
    terminated when a side is out of stocks, truncated when the clock runs out.
    """

    metadata = {"render_modes": ["rgb_array"], "name": "melee_env_selfplay_v0", "is_parallelizable": True}

    def __init__(
        self,
        characters: tuple[str | None, str | None] = ("FOX", "FOX"),
        stage: str | None = "FINAL_DESTINATION",
        *,
        observation: str = "compact",
        action: str = "multidiscrete",
        reward: str = "damage+stock",
        backend: str = "embedded",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Build the environment.

        Args:
            characters: fighters of ``p1`` and ``p2``; None draws.
            stage: stage; None draws.
            observation: preset of ``melee_env.observations``.
            action: codec of ``melee_env.actions``.
            reward: terms, each seen from the agent's seat.
            backend: where frames come from.
            render_mode: ``"rgb_array"`` or None.
            **options: further episode options.

        Raises:
            OptionError: an unknown name or impossible value.
        """
        check_keys(options, KEYS)
        if render_mode not in (None, "rgb_array"):
            raise OptionError(f"render_mode must be rgb_array or None, got {render_mode!r}")
        chosen = {"character": characters[0], "opponent_character": characters[1], "stage": stage}
        self._defaults = {**DEFAULTS, **chosen, **options}
        resolve(self._defaults, np.random.default_rng(0))
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._encoder = make_encoder(observation)
        self._controls = Controls(make_codec(action), len(AGENTS))
        self._reward = make_reward(reward)
        self._backend = make_backend(backend, 1)
        self._frames = empty_frames(1)
        self._rng: np.random.Generator | None = None
        self.observation_spaces = {agent: copy.deepcopy(self._encoder.space) for agent in AGENTS}
        self.action_spaces = {agent: make_codec(action).space for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Start a game.

        Raises:
            OptionError: a bad option.
        """
        # PettingZoo's own tests pass {"options": 1} to every environment.
        options = {key: value for key, value in (options or {}).items() if key != "options"}
        check_keys(options, KEYS)
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        start = resolve({**self._defaults, **options}, self._rng)
        seeds = np.array([self._rng.integers(2**32)], np.uint32)
        self._take(self._backend.reset(seeds, [start.match]))
        for seat in range(len(AGENTS)):
            self._controls.start(seat, start.action_delay, 0)
        self.agents = list(AGENTS)
        return self._observe(), {agent: {} for agent in AGENTS}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play both agents' actions for one frame.

        Raises:
            gymnasium.error.ResetNeeded: the game is over.
        """
        if not self.agents:
            raise ResetNeeded("the game is over: call reset() before step()")
        decided = self._controls.decide(np.stack([np.asarray(actions[agent]) for agent in AGENTS]))
        controllers = self._controls.commit(decided).view(CONTROLLER_DTYPE).reshape(1, len(AGENTS))
        previous = self._frames
        self._take(self._backend.step(controllers))
        rewards = {
            agent: float(self._reward.step(seen_from(previous, seat), seen_from(self._frames, seat))[0])
            for seat, agent in enumerate(AGENTS)
        }
        method = int(self._frames["end_method"][0])
        over, cut = method not in (0, 1), method == 1
        if over or cut:
            self.agents = []
        info = {"frame": int(self._frames["frame"][0])}
        return (
            self._observe(),
            rewards,
            dict.fromkeys(AGENTS, over),
            dict.fromkeys(AGENTS, cut),
            {agent: dict(info) for agent in AGENTS},
        )

    def _take(self, frames: NDArray[np.void]) -> None:
        self._frames = seen_from(seen_from(frames, 1), 1)

    def _observe(self) -> dict[str, NDArray[np.float32]]:
        views = np.concatenate([seen_from(self._frames, seat) for seat in range(len(AGENTS))])
        committed = self._controls.committed(self._encoder.previous).copy().view(CONTROLLER_DTYPE)
        shown = self._encoder.encode(views, committed=committed[..., 0], delays=self._controls.delays)
        return {agent: row.copy() for agent, row in zip(AGENTS, shown, strict=True)}

    def state(self) -> NDArray[np.float32]:
        """Return the first seat's observation, which holds the whole game."""
        return self._observe()[AGENTS[0]]

    def get_state(self) -> dict[str, Any]:
        """Return the whole state: game, RNG, delay queues."""
        assert self._rng is not None, "call reset() before get_state()"
        return {
            "version": (__version__, schema_hash()),
            "backend": self._backend.save(0),
            "frames": self._frames.tobytes(),
            "controls": [self._controls.get_state(seat) for seat in range(len(AGENTS))],
            "rng": copy.deepcopy(self._rng.bit_generator.state),
            "agents": list(self.agents),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`, bit for bit.

        Raises:
            StateVersionError: it was saved by another version.
        """
        if state.get("version") != (__version__, schema_hash()):
            raise StateVersionError(
                f"this state was saved by version {state.get('version')}; start a new game"
            )
        self._backend.load(0, state["backend"])
        self._frames = np.frombuffer(state["frames"], FRAME_DTYPE).copy()
        for seat, kept in enumerate(state["controls"]):
            self._controls.set_state(seat, kept)
        if self._rng is None:
            self._rng, _ = seeding.np_random(0)
        self._rng.bit_generator.state = copy.deepcopy(state["rng"])
        self.agents = list(state["agents"])

    def render(self) -> NDArray[np.uint8] | None:
        """Return a picture ``[H, W, 3] uint8`` when ``render_mode`` is ``rgb_array``."""
        if self.render_mode is None:
            return None
        from melee_env.rendering import render_frame

        return render_frame(self._frames[0])

    def close(self) -> None:
        """Release the backend."""
        self._backend.close()


def parallel_env(**kwargs: Any) -> SelfPlayEnv:
    """Build the parallel environment; see :class:`SelfPlayEnv`."""
    return SelfPlayEnv(**kwargs)


def aec_env(**kwargs: Any) -> AECEnv[str, NDArray[np.float32], Any]:
    """Build the turn-based twin through PettingZoo's converter."""
    return parallel_to_aec(SelfPlayEnv(**kwargs))
