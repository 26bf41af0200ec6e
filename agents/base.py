"""What an agent is, and how a plug-in describes one.

An agent sees :data:`~melee_env.frame.FRAME_DTYPE` frames in which it sits in ``seats[0]`` and returns
controllers; encoding observations and decoding actions is its own business, so a scripted opponent, a
network and a search all look the same from outside.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers
from melee_env.errors import MissingExtra, OptionError
from melee_env.frame import Frames
from melee_env.ids import Character, Stage

Progress = Callable[[Mapping[str, Any]], None]
"""Called by a trainer after every epoch or rollout with what there is to show."""


@runtime_checkable
class Agent(Protocol):
    """Plays ``num_envs`` games at once.

    Whatever an agent remembers between two calls of :meth:`act` is in :meth:`get_state`, so that a game can be
    saved, branched and continued. A subclass without memory inherits the defaults here.

    >>> import agents
    >>> from melee_env.frame import empty_frames
    >>> agent = agents.make("teacher:multishine")
    >>> agent.reset(num_envs=2)
    >>> agent.act(empty_frames(2)).shape
    (2,)
    """

    name: str
    """what ``agents.make`` or the checkpoint calls it"""
    characters: tuple[Character, ...] | None = None
    """fighters that it can play, None for all"""
    stages: tuple[Stage, ...] | None = None
    """stages that it knows, None for all"""
    schema_hash: str | None = None
    """hash of the observation schema that it was trained on, None for an agent that reads frames"""

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Forget everything and make room for ``num_envs`` games."""
        ...

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Choose the controllers that act on the step after ``frames``.

        Args:
            frames: ``[num_envs]`` of ``FRAME_DTYPE``, the agent in ``seats[0]``.
            episode_start: ``[num_envs]`` bool, true where ``frames`` is the first of a new game; None means
                everywhere on the first call after :meth:`reset` and nowhere later.

        Returns:
            ``[num_envs]`` of ``CONTROLLER_DTYPE``.
        """
        ...

    def get_state(self) -> Any:
        """Return a copy of everything that the agent remembers."""
        return None

    def set_state(self, state: Any) -> None:
        """Continue from what :meth:`get_state` returned."""
        return None

    def save(self, path: str | Path) -> None:
        """Write a checkpoint folder that ``agents.load`` reads.

        Raises:
            OptionError: the agent is made by name and has nothing to save.
        """
        raise OptionError(f"agent {self.name!r} has no weights to save; make it by its name")


@dataclass(frozen=True)
class AgentSpec:
    """What a plug-in registers: one algorithm, and how to make, load and train its agents."""

    name: str
    """name, or family: ``make("scripted:walk")`` calls ``make("walk")`` of the spec ``scripted``"""
    summary: str
    """one line for ``melee-env agents list``"""
    make: Callable[..., Agent] | None = None
    """``make(**options)``, or ``make(variant, **options)`` in a family; None if it must be trained first"""
    variants: Callable[[], list[str]] | None = None
    """names in the family; None for a single agent"""
    load: Callable[..., Agent] | None = None
    """``load(path, **options)`` of a checkpoint folder; None if there is nothing to load"""
    train: Callable[..., Agent] | None = None
    """``train(config, out=, demonstrations=, progress=, resume=)``; None if there is nothing to train"""
    config: type | None = None
    """frozen dataclass of the trainer's settings"""
    requires: tuple[str, ...] = ()
    """importable packages that making, loading and training need"""
    extra: str = "train"
    """extra of the distribution that brings them"""

    @property
    def trained(self) -> bool:
        """Whether its agents come out of a trainer."""
        return self.train is not None

    def names(self) -> list[str]:
        """Return the names under which its agents are known."""
        return (
            [self.name]
            if self.variants is None
            else [f"{self.name}:{variant}" for variant in self.variants()]
        )

    def check_installed(self) -> None:
        """Raise :class:`MissingExtra` for the first required package that is not installed."""
        for package in self.requires:
            if importlib.util.find_spec(package) is None:
                raise MissingExtra(package, self.extra)
