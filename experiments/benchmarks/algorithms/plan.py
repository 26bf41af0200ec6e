"""What a comparison runs, read from one TOML or JSON file.

``environments.NAME`` says what is played and how it is measured, ``algorithms.NAME`` what is trained with which
settings; a table in an algorithm that has an environment's name holds settings for that environment alone.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import agents
from experiments.benchmarks.algorithms.measures import MEASURES
from melee_env.errors import OptionError

DEFAULT = Path(__file__).with_name("default.json")


@dataclass(frozen=True)
class Environment:
    """Where agents are trained and how they are measured."""

    name: str
    env: str
    """environment id"""
    measure: str
    """one of :data:`MEASURES`"""
    expert: str
    """agent that demonstrates, labels, and is worth a score of 1"""
    floor: str = "scripted:idle"
    """agent that is worth a score of 0"""
    games: int = 20
    """games per measurement"""
    env_options: dict[str, Any] = field(default_factory=dict)
    """options of the environment (``opponent``, ``frame_skip``, …)"""
    observation: str = "compact"
    """observation encoder by name"""
    action: str = "multidiscrete"
    """action codec by name"""


@dataclass(frozen=True)
class Task:
    """One training and its measurement."""

    row: str
    """name in the table"""
    algorithm: str
    """trainer, or an agent that is made by its name and only measured"""
    environment: Environment
    seed: int
    settings: dict[str, Any]
    """of the trainer"""
    demonstrations: int = 0
    """episodes of the expert to imitate"""
    continues: str = ""
    """row whose checkpoint of the same environment and seed is the trainer's ``init``"""
    trained: bool = True
    """whether the agent comes out of a trainer"""

    @property
    def folder(self) -> Path:
        """Where its results are, in the folder of the comparison."""
        return Path(self.row) / self.environment.name / f"seed-{self.seed}"

    def digest(self) -> str:
        """Return a digest of everything that decides the result."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()[:16]


def read_plan(path: Path | None) -> dict[str, Any]:
    """Read a plan; None for the one that comes with the package.

    Raises:
        OptionError: the file is neither TOML nor JSON, or has no environments or algorithms.
    """
    path = path or DEFAULT
    text = path.read_text(encoding="utf-8")
    try:
        plan: dict[str, Any] = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise OptionError(f"{path}: neither TOML nor JSON ({error})") from error
    for table in ("environments", "algorithms"):
        if not isinstance(plan.get(table), dict) or not plan[table]:
            raise OptionError(f"{path}: no table {table!r} in it")
    return plan


def make_tasks(
    plan: Mapping[str, Any],
    seeds: Sequence[int],
    rows: Sequence[str] = (),
    environments: Sequence[str] = (),
) -> list[Task]:
    """Return every training of a plan, those that others continue first.

    Args:
        plan: from :func:`read_plan`.
        seeds: seeds of every row.
        rows: only these algorithms, and those that they continue; empty for all. An agent that is not in the plan
            may be named too: it is trained with its defaults, or measured as it is.
        environments: only these; empty for all.

    Raises:
        OptionError: an unknown name or key, or a row that continues itself.
    """
    places = {name: _environment(name, table) for name, table in plan["environments"].items()}
    tables = {**{name: {} for name in agents.names()}, **plan["algorithms"]}
    _check_known(rows, tables, "algorithm")
    _check_known(environments, places, "environment")
    wanted = list(rows or plan["algorithms"])
    for row in wanted:  # grows while it is walked through
        origin = tables[row].get("continues")
        if origin and origin not in wanted:
            _check_known([origin], tables, "algorithm")
            wanted.append(origin)
    tasks = [
        _task(row, dict(tables[row]), places, place, seed)
        for row in sorted(wanted, key=lambda row: _depth(row, tables))
        for place in environments or places
        if place in tables[row].get("environments", places)
        for seed in seeds
    ]
    if not tasks:
        raise OptionError("nothing to run: no chosen algorithm is meant for a chosen environment")
    return tasks


def _environment(name: str, table: Mapping[str, Any]) -> Environment:
    known = [f.name for f in dataclasses.fields(Environment)]
    _check_known(table, known, f"setting of environment {name!r}:")
    missing = [key for key in ("env", "measure", "expert") if key not in table]
    if missing:
        raise OptionError(f"environment {name!r} needs {', '.join(missing)}")
    _check_known([table["measure"]], MEASURES, "measure")
    return Environment(name=name, **table)


def _task(row: str, table: dict[str, Any], places: Mapping[str, Environment], place: str, seed: int) -> Task:
    table.pop("environments", None)
    table |= {key: table.pop(key) for key in list(table) if key in places}.get(place, {})
    algorithm = table.pop("algorithm", row)
    demonstrations, continues = table.pop("demonstrations", 0), table.pop("continues", "")
    environment = places[place]
    configs = {name: spec.config for name, spec in agents.specs().items() if spec.config is not None}
    if algorithm not in configs:
        _check_known([algorithm], agents.names(), "algorithm")
        return Task(row, algorithm, environment, seed, {}, trained=False)
    common = {
        "env": environment.env,
        "env_options": environment.env_options,
        "observation": environment.observation,
        "action": environment.action,
        "expert": environment.expert,
        "frame_skip": environment.env_options.get("frame_skip", 1),
        "seed": seed,
    }
    fields = {f.name for f in dataclasses.fields(configs[algorithm])}
    settings = {**{key: value for key, value in common.items() if key in fields}, **table}
    return Task(row, algorithm, environment, seed, settings, demonstrations, continues)


def _depth(row: str, table: Mapping[str, Any]) -> int:
    """How many rows must be there before this one."""
    depth, seen = 0, {row}
    while origin := table[row].get("continues"):
        if origin in seen:
            raise OptionError(f"algorithm {row!r} continues itself")
        seen.add(origin)
        row, depth = origin, depth + 1
    return depth


def _check_known(names: Any, known: Any, what: str) -> None:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), list(known), n=1) or sorted(known)
            raise OptionError(f"unknown {what} {name!r}; did you mean {', '.join(near)}?")
