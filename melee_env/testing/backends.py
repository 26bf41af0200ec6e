"""Rules of backends, one function each; :func:`check_backend` runs those that its capabilities call for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from melee_env.backends.base import Backend, Capabilities, MatchOptions
from melee_env.controller import Controllers, make_controllers, neutral
from melee_env.errors import StateVersionError
from melee_env.frame import FIRST_CONTROLLABLE_FRAME, FRAME_DTYPE
from melee_env.testing.rules import require

MakeBackend = Callable[[int], Backend]
"""number of games → backend"""
CLOSE = MatchOptions(positions=((-8.0, 0.0), (8.0, 0.0)))
"""a start at which inputs soon meet"""


def check_backend(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """Assert that a backend keeps the protocol of :class:`~melee_env.backends.base.Backend`.

    Args:
        make: number of games → backend; a backend without the capability ``vector`` is asked for one game only.
        steps: frames to play, per rule.
        seed: of games and inputs.

    Example:
        >>> from melee_env.backends.embedded import EmbeddedBackend
        >>> from melee_env.testing import check_backend
        >>> check_backend(EmbeddedBackend)
    """
    probe = make(1)
    able = probe.capabilities
    probe.close()
    for rule, needed in BACKEND_RULES.items():
        if all(getattr(able, name) for name in needed):
            rule(make, steps, seed)


def check_frames(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """It says what it can do; frames have the schema's type, one per game, and count on by one."""
    backend = make(1)
    require(
        isinstance(backend.capabilities, Capabilities),
        "capabilities is no melee_env.backends.base.Capabilities",
        "set it as an attribute of the class",
    )
    frames = backend.reset(_seeds(1, seed), [CLOSE])
    _shaped(frames, 1)
    require(
        frames["frame"][0] == CLOSE.start_frame - 1 == FIRST_CONTROLLABLE_FRAME - 1,
        f"reset() returned frame {frames['frame'][0]} instead of the one before start_frame {CLOSE.start_frame}",
        "play up to the frame before MatchOptions.start_frame in reset()",
    )
    before = int(frames["frame"][0])
    for number in range(min(steps, 20)):
        frames = backend.step(neutral(1, 2))
        _shaped(frames, 1)
        require(
            frames["frame"][0] == before + number + 1,
            f"frame {frames['frame'][0]} followed {before + number}",
            "advance every running game by exactly one frame in step()",
        )
    backend.close()


def check_options_arrive(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """Stage, characters, stocks and percent of the options are those of the first frame."""
    backend = make(1)
    options = MatchOptions(stocks=(3, 2), percents=(12.0, 34.0))
    frame = backend.reset(_seeds(1, seed), [options])[0].copy()
    leaders = frame["seats"]["leader"]
    shown: dict[str, tuple[Any, Any]] = {
        "stage": (int(frame["stage"]), options.stage.external),
        "characters": (tuple(leaders["character"].tolist()), tuple(c.internal for c in options.characters)),
        "stocks": (tuple(leaders["stocks"].tolist()), options.stocks),
        "percents": (tuple(leaders["percent"].tolist()), options.percents),
    }
    for name, (found, wanted) in shown.items():
        require(
            found == wanted,
            f"option {name} is {found} instead of {wanted} on the first frame",
            "set up the game from MatchOptions; ids in frames are internal ones for characters, external for stages",
        )
    backend.close()


def check_inputs_act(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """A frame shows the controllers that made it, and a fighter whose stick is held to a side goes there."""
    backend = make(1)
    frames = backend.reset(_seeds(1, seed), [CLOSE])
    began = frames["seats"]["leader"]["x"][0].copy()
    pads = make_controllers(stick_x=np.array([[-1.0, 1.0]]))
    for _ in range(20):
        frames = backend.step(pads)
        shown = frames["seats"]["leader"]["controller"][0]
        require(
            np.array_equal(shown["stick_x"], pads["stick_x"][0]),
            f"the frame shows sticks {shown['stick_x']} instead of {pads['stick_x'][0]}",
            "write the controllers given to step() into the frame that they made",
        )
    moved = frames["seats"]["leader"]["x"][0] - began
    require(
        moved[0] < 0 < moved[1],
        f"fighters moved by {moved} with sticks to the left and right",
        "let seat 0 be the first column of the controllers",
    )
    backend.close()


def check_seed_fixes(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """K49: the same seed and inputs give the same frames, whatever was played before."""
    backend = make(1)
    inputs = _inputs(1, steps, seed)
    first, second = (_play(backend, inputs, _seeds(1, seed)) for _ in range(2))
    require(
        first == second,
        "the same seed and inputs gave other frames",
        "let reset() restore everything, and draw from the game's own generator only",
    )
    backend.close()


def check_games_are_apart(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """K6: a game among others is the game alone, and a masked reset touches only its games."""
    alone, many = make(1), make(3)
    inputs = _inputs(3, steps, seed)
    frames = many.reset(_seeds(3, seed), [CLOSE] * 3)
    single = alone.reset(_seeds(3, seed)[1:2], [CLOSE])
    for pads in inputs:
        frames, single = many.step(pads), alone.step(np.ascontiguousarray(pads[1:2]))
        require(
            frames[1].tobytes() == single[0].tobytes(),
            "a game among others is not the game alone",
            "keep no state that games share",
        )
    kept = frames[[0, 2]].copy()
    frames = many.reset(_seeds(3, seed), [CLOSE] * 3, np.array([False, True, False]))
    require(
        frames[[0, 2]].tobytes() == kept.tobytes(),
        "a masked reset changed other games",
        "start games only where mask is true",
    )
    require(
        frames["frame"][1] == CLOSE.start_frame - 1,
        "a masked reset did not start its game",
        "start the games where mask is true, all of them when it is None",
    )
    alone.close()
    many.close()


def check_ended_games_rest(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """A game that has ended stays at its last frame until it is reset."""
    backend = make(1)
    frames = backend.reset(_seeds(1, seed), [MatchOptions(time_limit=2)])
    for _ in range(200):
        if frames["end_method"][0]:
            break
        frames = backend.step(neutral(1, 2))
    require(
        frames["end_method"][0] != 0,
        "the game did not end at its time limit",
        "set end_method (1 for time) once MatchOptions.time_limit frames were played",
    )
    last = frames[0].tobytes()
    require(
        backend.step(neutral(1, 2))[0].tobytes() == last,
        "a game that had ended went on",
        "leave games alone whose end_method is not 0",
    )
    backend.close()


def check_states_continue(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """K42: a loaded state continues bit for bit, also in another object; a foreign one is refused."""
    backend, other = make(1), make(1)
    inputs = _inputs(1, steps, seed)
    backend.reset(_seeds(1, seed), [CLOSE])
    other.reset(_seeds(1, seed + 1), [MatchOptions()])
    half = len(inputs) // 2
    for pads in inputs[:half]:
        backend.step(pads)
    state = backend.save(0)
    wanted = [backend.step(pads)[0].tobytes() for pads in inputs[half:]]
    for one in (backend, other):
        one.load(0, state)
        require(
            [one.step(pads)[0].tobytes() for pads in inputs[half:]] == wanted,
            "load() does not continue where save() was called",
            "save everything that the next frame depends on, the generator too",
        )
    try:
        backend.load(0, b"another version" + state)
    except StateVersionError:
        backend.close()
        other.close()
        return
    require(
        False,
        "a state of another version was accepted",
        "tag states with a version and raise melee_env.errors.StateVersionError for another one",
    )


def check_closing(make: MakeBackend, steps: int = 60, seed: int = 0) -> None:
    """K32: closing twice, and closing without a game, is fine."""
    for played in (False, True):
        backend = make(1)
        if played:
            backend.reset(_seeds(1, seed), [CLOSE])
        for _ in range(2):
            try:
                backend.close()
            except Exception as error:
                require(False, f"close() failed: {error!r}", "let close() look at what is still open")


BACKEND_RULES: dict[Callable[[MakeBackend, int, int], None], tuple[str, ...]] = {
    check_frames: (),
    check_options_arrive: ("inputs",),
    check_inputs_act: ("inputs",),
    check_seed_fixes: ("inputs", "rng"),
    check_games_are_apart: ("inputs", "rng", "vector"),
    check_ended_games_rest: ("inputs",),
    check_states_continue: ("save_states", "rng"),
    check_closing: (),
}
"""rule → capabilities without which it does not apply; each takes ``(make, steps, seed)``"""


def _seeds(games: int, seed: int) -> Any:
    return np.arange(seed, seed + games, dtype=np.uint32)


def _inputs(games: int, steps: int, seed: int) -> list[Controllers]:
    """Return random controllers ``[games, 2]`` of ``steps`` frames."""
    rng = np.random.default_rng(seed)
    sticks = rng.uniform(-1, 1, (steps, games, 2, 2))
    buttons = rng.choice([0, 0, 0x100, 0x200, 0x400, 0x40], (steps, games, 2))
    return [make_controllers(sticks[t, ..., 0], sticks[t, ..., 1], buttons=buttons[t]) for t in range(steps)]


def _play(backend: Backend, inputs: list[Controllers], seeds: Any) -> list[bytes]:
    shown = [backend.reset(seeds, [CLOSE] * len(seeds)).tobytes()]
    return shown + [backend.step(pads).tobytes() for pads in inputs]


def _shaped(frames: Any, games: int) -> None:
    require(
        isinstance(frames, np.ndarray) and frames.dtype == FRAME_DTYPE and frames.shape == (games,),
        f"frames are {getattr(frames, 'dtype', type(frames))} of shape {getattr(frames, 'shape', None)}",
        "return an array [num_games] of melee_env.frame.FRAME_DTYPE",
    )
