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
from melee_env.controller import Controllers
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
    """

    def __init__(
        self,
        policy: Policy,
        meta: Mapping[str, Any],
        deterministic: bool | None = None,
        temperature: float | None = None,
        thresholds: str | None = None,
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
        self.thresholds = torch.tensor(play["thresholds"]) if thresholds and play.get("thresholds") else None
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
        self.fresh = True

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the controllers ``[num_envs]`` for frames ``[num_envs]``."""
        return self.codec.decode(self.act_on(self.encoder.encode(frames), episode_start))

    def act_on(
        self, observations: NDArray[np.float32], episode_start: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return policy actions ``[num_envs, heads]`` for encoded observations ``[num_envs, F]``."""
        if len(observations) != self.num_envs:
            raise OptionError(f"agent was reset for {self.num_envs} games, got {len(observations)}")
        start = (
            torch.full((self.num_envs,), self.fresh)
            if episode_start is None
            else torch.as_tensor(episode_start)
        )
        with torch.inference_mode():
            distribution, self.state = self.policy.step(
                torch.as_tensor(observations), self.state, start, self.previous
            )
            if self.deterministic:
                self.previous = distribution.mode(self.thresholds)
            else:
                self.previous = distribution.sample(self.temperature, self.generator)
        self.fresh = False
        return self.previous.numpy().copy()

    def get_state(self) -> Any:
        """Return a copy of recurrent state, previous actions and generator."""
        return (
            tuple(s.clone() for s in self.state),
            self.previous.clone(),
            self.generator.get_state(),
            self.fresh,
        )

    def set_state(self, state: Any) -> None:
        """Continue from :meth:`get_state`."""
        tensors, previous, generator, self.fresh = state
        self.state, self.previous = tuple(s.clone() for s in tensors), previous.clone()
        self.generator.set_state(generator)
        self.num_envs = len(previous)
