"""Agents by name: the built-in ones and installed plug-ins (entry points ``melee_env.agents``).

An installed package adds an agent with two lines in its ``pyproject.toml``::

    [project.entry-points."melee_env.agents"]
    my_agent = "my_package:SPEC"        # an agents.AgentSpec
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import warnings
from collections import defaultdict
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from agents.base import Agent, AgentSpec, Progress
from melee_env.errors import CheckpointError, OptionError

GROUP = "melee_env.agents"

BUILT_IN = {
    "scripted": "agents.scripted:SPEC",
    "teacher:multishine": "agents.teacher.multishine:SPEC",
    "teacher:multishine-fast": "agents.teacher.multishine:FAST_SPEC",
    "teacher:wavedash": "agents.teacher.drills:WAVEDASH",
    "teacher:lcancel": "agents.teacher.drills:LCANCEL",
    "teacher:ledgedash": "agents.teacher.drills:LEDGEDASH",
    "teacher:shieldpressure": "agents.teacher.drills:SHIELDPRESSURE",
    "teacher:di": "agents.teacher.drills:DI",
    "awbc": "agents.awbc:SPEC",
    "bc": "agents.bc:SPEC",
    "dagger": "agents.dagger:SPEC",
    "dart": "agents.dart:SPEC",
    "gail": "agents.adversarial:GAIL_SPEC",
    "airl": "agents.adversarial:AIRL_SPEC",
    "ppo": "agents.ppo:SPEC",
    "scheduled_sampling": "agents.scheduled_sampling:SPEC",
}


def specs() -> dict[str, AgentSpec]:
    """Return every usable spec by name; a broken plug-in is named in a warning and left out."""
    found = {name: _built_in(name) for name in BUILT_IN}
    for name, points in _plug_ins().items():
        try:
            found[name] = _plug_in(name, points)
        except Exception as error:  # whatever a stranger's module raises
            warnings.warn(f"skipped {error}", RuntimeWarning, stacklevel=2)
    return dict(sorted(found.items()))


def names() -> list[str]:
    """Return the name of every agent, families spelled out (``scripted:idle``, ``scripted:walk``, …)."""
    return [name for spec in specs().values() for name in spec.names()]


def spec(name: str) -> AgentSpec:
    """Return the spec of one agent or family.

    Raises:
        OptionError: the name is unknown, its plug-in is broken, or two plug-ins share it.
    """
    if name in BUILT_IN:
        return _built_in(name)
    plug_ins = _plug_ins()
    if name in plug_ins:
        return _plug_in(name, plug_ins[name])
    raise OptionError(f"unknown agent {name!r}{_nearest(name, sorted({*BUILT_IN, *plug_ins}))}")


def make(name: str, **options: Any) -> Agent:
    """Make an agent that needs no checkpoint: ``make("scripted:fighter-5")``, ``make("teacher:multishine")``."""
    family, _, variant = name.partition(":")
    known = {*BUILT_IN, *_plug_ins()}
    found = spec(family if name not in known and variant and family in known else name)
    found.check_installed()
    if found.make is None:
        raise OptionError(
            f"agent {name!r} is trained: use agents.train({name!r}, ...), then agents.load(folder)"
        )
    if found.variants is None:
        return found.make(**options)
    if found.name == name or not variant:
        raise OptionError(f"agent {name!r} is a family; known: {', '.join(found.names())}")
    return found.make(variant, **options)


def load(path: str | Path, **options: Any) -> Agent:
    """Load a checkpoint folder; the folder itself says which agent it holds.

    Raises:
        CheckpointError: the folder is damaged, incomplete, or made for another schema or an unknown agent.
    """
    from agents.checkpoint import read_meta

    meta = read_meta(path)
    try:
        found = spec(meta["agent"])
    except OptionError as error:
        raise CheckpointError(f"{path}: {error}; install the package that brings it") from error
    found.check_installed()
    if found.load is None:
        raise CheckpointError(f"{path}: agent {found.name!r} cannot be loaded from a folder")
    return found.load(Path(path), **options)


def train(
    name: str,
    *,
    out: str | Path,
    demonstrations: Any = None,
    progress: Progress | None = None,
    resume: bool = False,
    **settings: Any,
) -> Agent:
    """Train an agent and return it; the checkpoint is in the folder ``out``.

    Args:
        name: algorithm (``bc``, ``ppo``, …).
        out: folder of the checkpoint.
        demonstrations: trajectories to imitate, where the algorithm wants them.
        progress: called after every epoch or rollout.
        resume: continue an interrupted run in ``out``.
        settings: fields of the algorithm's config dataclass (``env``, ``seed``, ``network``, …).
    """
    found = spec(name)
    if found.train is None or found.config is None:
        raise OptionError(f"agent {name!r} is not trained; trained ones: {', '.join(_trained())}")
    found.check_installed()
    config = make_config(found.config, settings)
    return found.train(config, out=Path(out), demonstrations=demonstrations, progress=progress, resume=resume)


def make_config(kind: type, settings: dict[str, Any]) -> Any:
    """Build the config dataclass ``kind``; a list becomes a tuple, an unknown key names its neighbours."""
    fields = {field.name for field in dataclasses.fields(kind)}
    for key in settings:
        if key not in fields:
            raise OptionError(f"unknown setting {key!r} of {kind.__name__}{_nearest(key, sorted(fields))}")
    return kind(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    )


def _trained() -> list[str]:
    return [name for name, found in specs().items() if found.trained]


def _built_in(name: str) -> AgentSpec:
    module, _, attribute = BUILT_IN[name].partition(":")
    loaded: AgentSpec = getattr(importlib.import_module(module), attribute)
    return loaded


def _plug_ins() -> dict[str, list[EntryPoint]]:
    by_name: dict[str, list[EntryPoint]] = defaultdict(list)
    for point in entry_points(group=GROUP):
        # One installation can be listed twice on the path; it is the same plug-in.
        if all(point.value != other.value or point.dist != other.dist for other in by_name[point.name]):
            by_name[point.name].append(point)
    return by_name


def _plug_in(name: str, points: list[EntryPoint]) -> AgentSpec:
    """Load a plug-in; every fault becomes an OptionError that names where it comes from."""
    sources = " and ".join(
        f"{point.value} ({point.dist.name if point.dist else 'unknown package'})" for point in points
    )
    if name in BUILT_IN:
        raise OptionError(
            f"agent plug-in {name!r} from {sources}: the name belongs to a built-in agent; rename it"
        )
    if len(points) > 1:
        raise OptionError(f"two plug-ins call themselves agent {name!r}: {sources}; uninstall one")
    try:
        loaded = points[0].load()
    except Exception as error:  # whatever a stranger's module raises
        raise OptionError(
            f"agent plug-in {name!r} from {sources}: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(loaded, AgentSpec):
        raise OptionError(
            f"agent plug-in {name!r} from {sources}: expected an AgentSpec, got {type(loaded).__name__}"
        )
    return loaded


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    return f"{hint} Known: {', '.join(known)}"
