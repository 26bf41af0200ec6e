"""``melee-env agents list`` and ``melee-env envs list``."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, save_json, say, table

agents_app = typer.Typer(help="Agents: built-in ones and installed plug-ins.", no_args_is_help=True)
envs_app = typer.Typer(help="Environments.", no_args_is_help=True)


@agents_app.callback()
def agents_group() -> None:
    """Agents: built-in ones and installed plug-ins."""


@envs_app.callback()
def envs_group() -> None:
    """Environments."""


@agents_app.command("list")
def list_agents(json: Path = JSON_OPTION) -> None:
    """List every agent that can be made, loaded or trained."""
    import agents

    rows = [
        {
            "name": spec.name,
            "summary": spec.summary,
            "trained": spec.trained,
            "agents": spec.names() if spec.make is not None else [],
            "extra": spec.extra if spec.requires else None,
        }
        for spec in agents.specs().values()
    ]
    save_json(json, {"agents": rows})
    table(
        [[row["name"], "train" if row["trained"] else "make", row["summary"]] for row in rows],
        ["name", "how", "what"],
    )
    families = [name for name in agents.names() if ":" in name]
    if families:
        say(f"by name: {', '.join(families)}")


@envs_app.command("list")
def list_envs(json: Path = JSON_OPTION) -> None:
    """List every environment id."""
    import gymnasium

    import melee_env  # noqa: F401 (registers the ids)

    rows = [
        {"id": spec.id, "entry_point": str(spec.entry_point), "vector": spec.vector_entry_point is not None}
        for spec in gymnasium.registry.values()
        if spec.namespace == "melee_env"
    ]
    save_json(json, {"envs": rows})
    table(
        [[row["id"], row["vector"], row["entry_point"]] for row in rows],
        ["id", "native vector", "entry point"],
    )
