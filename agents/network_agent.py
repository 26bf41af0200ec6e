"""The agent around a policy network: encodes frames, carries the recurrent state, decodes actions.

Every trainer whose result is a :class:`~agents.networks.policy.Policy` (cloning, DAgger, …) plays through it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents import checkpoint
from agents.base import Agent
from agents.networks.policy import NetworkConfig, Policy
from melee_env.actions import make_codec
from melee_env.controller import CONTROLLER_DTYPE, Controllers
from melee_env.envs.controls import Controls
from melee_env.errors import CheckpointError, OptionError
from melee_env.frame import Frames
from melee_env.ids import Character
from melee_env.observations import make_encoder


class NetworkAgent(Agent):
    """Plays with a policy network.

    Args:
        policy: the network.
        meta: what its checkpoint says about it (``agent``, ``observation``, ``action``, ``play``, …).
        deterministic: play the most likely action instead of a sample; default: as trained.
        temperature: of the samples, below 1 sharpens; default: as trained.
        thresholds: ``"calibrated"`` presses a button, when deterministic, as often as the demonstrations do;
            None presses above 0.5.
        hysteresis: share of its threshold, 0..1, by which the probability of a held button must fall below it before
            a deterministic agent lets the button go.
    """

    def __init__(
        self,
        policy: Policy,
        meta: Mapping[str, Any],
        deterministic: bool | None = None,
        temperature: float | None = None,
        thresholds: str | None = None,
        hysteresis: float = 0.0,
    ) -> None:
        play = meta.get("play", {})
        self.name = meta["agent"]
        self.policy = policy.eval()
        self.meta = dict(meta)
        self.encoder = make_encoder(meta["observation"]["name"])
        self.codec = make_codec(meta["action"]["name"])
        self.schema_hash = meta["observation"]["schema_hash"]
        self.characters = tuple(Character[name] for name in meta.get("characters", ())) or None
        self.deterministic = play.get("deterministic", False) if deterministic is None else deterministic
        self.temperature = play.get("temperature", 1.0) if temperature is None else temperature
        if self.temperature <= 0:
            raise OptionError(
                f"temperature {self.temperature} must be above 0; use deterministic=True for the limit"
            )
        if thresholds not in (None, "calibrated"):
            raise OptionError(f"unknown thresholds {thresholds!r}; known: 'calibrated', None")
        if not 0.0 <= hysteresis <= 1.0:
            raise OptionError(f"hysteresis {hysteresis} must be a share of the threshold, 0..1")
        self.buttons = [head for head, n in enumerate(policy.config.nvec) if n == 2]
        self.thresholds = torch.full((len(self.buttons),), 0.5)
        if thresholds and play.get("thresholds"):
            self.thresholds = torch.tensor(play["thresholds"])
        self.hysteresis = hysteresis
        self.frame_skip = play.get("frame_skip", 1)
        self.delay = int(meta.get("action_delay") or 0)
        self.reset(1)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> NetworkAgent:
        """Load a checkpoint folder; options as in the constructor."""
        meta = checkpoint.read_meta(path)
        checkpoint.check_observation(path, meta, make_encoder(meta["observation"]["name"]).schema_hash)
        try:
            policy = Policy(NetworkConfig.from_json(meta["network"]))
        except (TypeError, KeyError, OptionError) as error:
            raise CheckpointError(f"{path}: cannot build its network ({error})") from error
        checkpoint.load_weights(path, policy)
        return cls(policy, meta, **options)

    def save(self, path: str | Path) -> None:
        """Write the checkpoint folder."""
        checkpoint.save(path, self.policy.state_dict(), self.meta)

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Forget everything; ``seed`` fixes the samples."""
        self.num_envs = num_envs
        self.generator = torch.Generator()
        if seed is None:
            self.generator.seed()
        else:
            self.generator.manual_seed(seed)
        self.state = self.policy.initial_state(num_envs)
        self.previous = torch.zeros(num_envs, len(self.policy.config.nvec), dtype=torch.int64)
        self.held = np.zeros(num_envs, np.int64)
        self.controls = Controls(self.codec, num_envs)
        self.fresh = True

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the controllers ``[num_envs]`` for frames ``[num_envs]``.

        A policy that was trained with a frame skip decides as often as it did then and holds what it decided; one
        that was trained with an action delay acts as late as it did then.
        """
        start = self._starts(len(frames), episode_start)
        for lane in np.flatnonzero(start).tolist():
            self.controls.start(lane, self.delay, 0)
        due = start | (self.held % self.frame_skip == 0)
        if due.any():
            observations = self._observe(frames)
            if due.all():
                self._decide(observations, start, None)
            else:
                self._decide(observations[due], start[due], torch.from_numpy(np.flatnonzero(due)))
        self.held = np.where(due, 1, self.held + 1)
        assert self.codec.space.shape is not None
        actions = self.previous.numpy().reshape(-1, *self.codec.space.shape)
        acting = self.controls.commit(self.controls.decide(actions, None if self.frame_skip == 1 else due))
        return acting.copy().view(CONTROLLER_DTYPE)[:, 0]

    def _observe(self, frames: Frames) -> NDArray[np.float32]:
        """Return the observations ``[num_envs, F]``; what was committed is in the frame, or the agent's own."""
        if self.encoder.previous <= 1 and not self.delay:
            return self.encoder.encode(frames)
        committed = self.controls.committed(self.encoder.previous).copy().view(CONTROLLER_DTYPE)[..., 0]
        return self.encoder.encode(frames, committed=committed, delays=self.controls.delays)

    def act_on(
        self, observations: NDArray[np.float32], episode_start: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return policy actions ``[num_envs, heads]`` for encoded observations ``[num_envs, F]``."""
        self._decide(observations, self._starts(len(observations), episode_start), None)
        return self.previous.numpy().copy()

    def _starts(self, games: int, episode_start: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """Return where games start, ``[num_envs]``, and refuse another number of games."""
        if games != self.num_envs:
            raise OptionError(f"agent was reset for {self.num_envs} games, got {games}")
        return np.full(games, self.fresh) if episode_start is None else np.asarray(episode_start)

    def _decide(
        self, observations: NDArray[np.float32], start: NDArray[np.bool_], lanes: torch.Tensor | None
    ) -> None:
        """Choose the actions of ``lanes`` (None for all) from their observations and carry their memory on."""
        previous = self.previous if lanes is None else self.previous[lanes]
        with torch.inference_mode():
            distribution, state = self.policy.step(
                torch.as_tensor(observations),
                self.state if lanes is None else tuple(s[lanes] for s in self.state),
                torch.as_tensor(start) if start.any() else None,
                previous,
            )
            if self.deterministic:
                chosen = distribution.mode(self._limits(start, previous))
            else:
                chosen = distribution.sample(self.temperature, self.generator)
            if lanes is None:
                self.state, self.previous = state, chosen
            else:
                self.state = tuple(
                    old.index_copy(0, lanes, new) for old, new in zip(self.state, state, strict=True)
                )
                self.previous = self.previous.index_copy(0, lanes, chosen)
        self.fresh = False

    def _limits(self, start: NDArray[np.bool_], previous: torch.Tensor) -> torch.Tensor:
        """Return the probability above which each button is down, ``[lanes, buttons]``, or the same for all."""
        if not self.hysteresis:
            return self.thresholds
        held = (previous[:, self.buttons] == 1) & ~torch.as_tensor(start)[:, None]
        return torch.where(held, self.thresholds * (1.0 - self.hysteresis), self.thresholds)

    def get_state(self) -> Any:
        """Return a copy of recurrent state, previous actions, how long they are held, controls, and generator."""
        return (
            tuple(s.clone() for s in self.state),
            self.previous.clone(),
            self.held.copy(),
            [self.controls.get_state(lane) for lane in range(self.num_envs)],
            self.generator.get_state(),
            self.fresh,
        )

    def set_state(self, state: Any) -> None:
        """Continue from :meth:`get_state`."""
        tensors, previous, held, controls, generator, self.fresh = state
        self.state, self.previous = tuple(s.clone() for s in tensors), previous.clone()
        self.held = held.copy()
        self.generator.set_state(generator)
        self.num_envs = len(previous)
        self.controls = Controls(self.codec, self.num_envs)
        for lane, kept in enumerate(controls):
            self.controls.set_state(lane, kept)
