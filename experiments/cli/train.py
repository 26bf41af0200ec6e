"""``melee-env train``: one trainer, its settings from a file and from the command line."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, save_json, say


def train(
    algorithm: str = typer.Argument(help="bc, ppo, … (see 'agents list')."),
    overrides: list[str] = typer.Argument(None, metavar="KEY=VALUE", help="Settings, e.g. epochs=5 seed=1."),
    out: Path = typer.Option(None, help="Folder of the checkpoint (default runs/ALGORITHM)."),
    data: list[Path] = typer.Option(
        None,
        exists=True,
        help="Replay file, folder or store to imitate, or one folder of tensors; repeatable.",
    ),
    character: str = typer.Option(None, help="Imitate only players of this fighter."),
    env: str = typer.Option(None, help="Environment id; the same as env=ID."),
    expert: str = typer.Option(None, help="Who labels, by name or folder; the same as expert=NAME."),
    config: Path = typer.Option(None, exists=True, dir_okay=False, help="Settings as JSON or TOML."),
    resume: bool = typer.Option(False, "--resume", help="Continue an interrupted run in the folder."),
    seed: int = typer.Option(None, help="Fixes everything that is drawn; the same as seed=N."),
    json: Path = JSON_OPTION,
) -> None:
    """Train an agent. Every setting of the algorithm's config dataclass is a KEY=VALUE."""
    import agents
    from experiments.provenance import command, machine

    settings = read_settings(config, overrides or [])
    given = {"seed": seed, "env": env, "expert": expert}
    settings |= {key: value for key, value in given.items() if value is not None}
    demonstrations = load_demonstrations(data, character, settings) if data else None
    out = out or Path("runs") / algorithm
    began = time.perf_counter()
    agent = agents.train(
        algorithm, out=out, demonstrations=demonstrations, progress=show_progress, resume=resume, **settings
    )
    seconds = time.perf_counter() - began
    save_json(
        json,
        {
            "agent": agent.name,
            "out": out,
            "settings": settings,
            "seconds": seconds,
            "history": getattr(agent, "meta", {}).get("history", []),
            "command": command(),
            "machine": machine(),
        },
    )
    say(f"trained {algorithm} in {seconds:.0f} s: {out}")


def load_demonstrations(data: list[Path], character: str | None, settings: dict[str, Any]) -> Sequence[Any]:
    """Return the trajectories to imitate; those of a folder of tensors stay there, and fix observation and action.

    Raises:
        OptionError: there is none, or a folder of tensors among other data.
    """
    from demonstrations import load_trajectories
    from demonstrations.stored_trajectories import StoredTrajectories, is_tensor_store
    from melee_env.errors import OptionError
    from melee_env.ids import Character, parse

    found: Sequence[Any]
    if any(map(is_tensor_store, data)):
        if len(data) > 1:
            raise OptionError("a folder of tensors is trained on alone; encode everything into one")
        wanted = parse(Character, character).external if character else None
        found = StoredTrajectories(data[0], lambda episode: wanted in (None, episode.character))
        for key in ("observation", "action"):
            settings.setdefault(key, found.store.settings[key])
    else:
        names = {key: settings[key] for key in ("observation", "action") if key in settings}
        found = [t for path in data for t in load_trajectories(path, character=character, **names)]
    if not found:
        raise OptionError(f"no player to imitate in {', '.join(map(str, data))}; try 'melee-env data scan'")
    return found


def read_settings(config: Path | None, overrides: list[str]) -> dict[str, Any]:
    """Merge a settings file with ``KEY=VALUE`` words; dots reach into tables (``loss.button_weight=2``)."""
    import json
    import tomllib

    from melee_env.errors import OptionError

    settings: dict[str, Any] = {}
    if config is not None:
        text = config.read_text(encoding="utf-8")
        try:
            settings = json.loads(text) if config.suffix == ".json" else tomllib.loads(text)
        except ValueError as error:
            raise OptionError(f"{config}: neither JSON nor TOML ({error})") from error
    for word in overrides:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise OptionError(f"{word!r} is not KEY=VALUE")
        *tables, last = key.split(".")
        place = settings
        for name in tables:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise OptionError(f"{word!r}: {name!r} is a value, not a table")
        try:
            place[last] = json.loads(value)
        except ValueError:
            place[last] = value
    return settings


def show_progress(event: Any) -> None:
    """Print one line per epoch or rollout, and which buttons collapsed in an epoch of training."""
    if event.get("event") == "update":
        return
    figures = "  ".join(
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in event.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    say(f"{event.get('event', 'progress')}: {figures}")
    if event.get("collapsed") and event.get("epoch"):
        say(
            f"COLLAPSE: {', '.join(event['collapsed'])} pressed by the player, never by the most likely action"
        )
