"""A page about a set of recorded games, from the figures of ``demonstrations.statistics.describe``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import write_text
from experiments.provenance import command
from experiments.report.charts import bar_chart, heat_map
from experiments.report.template import render
from melee_env.ids import Action

COUNTED = {
    "characters": "Fighters",
    "stages": "Stages",
    "quality": "Quality of the games",
    "players": "Players",
    "versions": "Slippi versions",
    "skipped": "Files that are no such game",
}


def write_data_page(path: str | Path, figures: Mapping[str, Any], title: str) -> Path:
    """Write the page.

    Args:
        path: the HTML file; it appears when it is complete.
        figures: what ``describe`` returned.
        title: headline.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    presses = {
        name: {"held": share} for name, share in figures["held"].items() if share or figures["games"] == 0
    }
    text = render(
        "data.html.j2",
        title=title,
        command=command(),
        figures=figures,
        presses=bar_chart(presses),
        sticks=[
            heat_map(np.array(figures[name]), label) for name, label in (("stick", "Main"), ("cstick", "C"))
        ],
        states=state_rows(figures["states"]),
        tables=[(label, figures[name]) for name, label in COUNTED.items() if figures[name]],
    )
    write_text(path, text)
    return Path(path)


def state_rows(states: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Return action states as rows of number, name and share in percent; own states of fighters have no name."""
    return [[row["state"], _name(row["state"]), round(100 * row["share"], 2)] for row in states]


def _name(state: int) -> str:
    return Action(state).name if state < len(Action) else "(the fighter's own)"
