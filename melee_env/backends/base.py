"""The protocol that every backend speaks, and the options that start a game."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from melee_env.controller import Controllers
from melee_env.errors import OptionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, Frames
from melee_env.ids import Character, Stage


@dataclass(frozen=True)
class MatchOptions:
    """What a game starts with. Every field is a plain value; ``None`` is resolved before it gets here."""

    characters: tuple[Character, Character] = (Character.FOX, Character.FOX)
    """fighters of seat 0 and 1"""
    stage: Stage = Stage.FINAL_DESTINATION
    """stage"""
    stocks: tuple[int, int] = (4, 4)
    """stocks of seat 0 and 1, 1..99"""
    percents: tuple[float, float] = (0.0, 0.0)
    """damage at the start, 0..999"""
    positions: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)
    """places on the first frame, standing or falling, in game units; None is where the entrance ends"""
    costumes: tuple[int, int] = (0, 0)
    """costume numbers"""
    time_limit: int = 28_800
    """frames from GO until the timer ends the game"""
    start_frame: int = FIRST_CONTROLLABLE_FRAME
    """first frame that a controller acts on; reset returns the frame before it, -122 shows the entry"""


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do."""

    save_states: bool = False
    """``save`` and ``load`` work"""
    vector: bool = False
    """more than one game in one object"""
    realtime: bool = False
    """runs at 60 frames a second by itself"""
    items: bool = True
    """frames hold items"""
    rng: bool = False
    """the seed given to ``reset`` fixes everything"""
    any_stocks: bool = True
    """games start with as many stocks as asked for; else with those of the game's own rules"""
    inputs: bool = True
    """the game follows the controllers given to ``step`` (a recording does not)"""


@runtime_checkable
class Backend(Protocol):
    """N games that advance together.

    ``reset`` and ``step`` return frames ``[num_games]`` of :data:`melee_env.frame.FRAME_DTYPE`. The
    array belongs to the backend and is overwritten by the next call: copy what you keep. A game whose
    ``end_method`` is not 0 stays at its last frame until it is reset.
    """

    num_games: int
    capabilities: Capabilities

    def reset(
        self,
        seeds: NDArray[np.uint32],
        options: Sequence[MatchOptions],
        mask: NDArray[np.bool_] | None = None,
    ) -> Frames:
        """Start new games where ``mask`` is true (None: everywhere); ``seeds``/``options`` are per game."""
        ...

    def step(self, controllers: Controllers) -> Frames:
        """Advance every running game by one frame with controllers ``[num_games, 2]``."""
        ...

    def save(self, game: int) -> bytes:
        """Return the whole state of one game, tagged with the engine's version."""
        ...

    def load(self, game: int, state: bytes) -> Frames:
        """Put a saved state into one game and return all frames; refuses other versions."""
        ...

    def close(self) -> None:
        """Release everything; calling it twice is fine."""
        ...


@runtime_checkable
class StepsSome(Protocol):
    """A backend that can advance single games."""

    def step_games(self, controllers: Controllers, games: NDArray[np.int64]) -> Frames:
        """Advance the games of the given numbers by one frame with controllers ``[num_games, 2]``."""
        ...


_BUILT_IN = {
    "dolphin": "melee_env.backends.dolphin.backend:DolphinBackend",
    "embedded": "melee_env.backends.embedded:EmbeddedBackend",
    "melee_sim": "melee_env.backends.melee_sim:MeleeSimBackend",
    "replay": "melee_env.backends.replay:ReplayBackend",
}


@dataclass
class BackendRegistry:
    """Backends by name: the built-in ones and installed plug-ins (entry points ``melee_env.backends``)."""

    group: str = "melee_env.backends"
    built_in: dict[str, str] = field(default_factory=lambda: dict(_BUILT_IN))

    def names(self) -> list[str]:
        """Return every known name."""
        return sorted({*self.built_in, *(point.name for point in entry_points(group=self.group))})

    def load(self, name: str) -> Callable[..., Backend]:
        """Return the class or factory behind ``name``.

        Raises:
            OptionError: unknown name, or two plug-ins that share it.
        """
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return _resolve(module, attribute)
        points = [point for point in entry_points(group=self.group) if point.name == name]
        if len(points) > 1:
            raise OptionError(
                f"two plug-ins call themselves backend {name!r}: {', '.join(p.value for p in points)}"
            )
        if not points:
            raise OptionError(f"unknown backend {name!r}; known: {', '.join(self.names())}")
        return points[0].load()


def _resolve(module: str, attribute: str) -> Any:
    import importlib

    return getattr(importlib.import_module(module), attribute)


def step_some(backend: Backend, controllers: Controllers, games: NDArray[np.int64]) -> Frames:
    """Advance only some games by one frame and return the frames of all.

    A backend may have its own ``step_games(controllers, games)``; for others the rest is saved and put back.

    Args:
        backend: any backend with save states.
        controllers: ``[num_games, 2]``.
        games: numbers of the games that advance.
    """
    if isinstance(backend, StepsSome):
        return backend.step_games(controllers, games)
    kept = [(n, backend.save(n)) for n in sorted({*range(backend.num_games)} - {*games.tolist()})]
    frames = backend.step(controllers)
    for n, state in kept:
        frames = backend.load(n, state)
    return frames


BACKENDS = BackendRegistry()


def split_options(name: str, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``(options of the backend, the others)``: what its constructor names belongs to it.

    Raises:
        OptionError: unknown backend.
    """
    taken = set(inspect.signature(BACKENDS.load(name)).parameters) - {"num_games"}
    own = {key: value for key, value in options.items() if key in taken}
    return own, {key: value for key, value in options.items() if key not in taken}


def make_backend(name: str, num_games: int = 1, **kwargs: Any) -> Backend:
    """Build the backend ``name`` with room for ``num_games`` games."""
    return BACKENDS.load(name)(num_games=num_games, **kwargs)
