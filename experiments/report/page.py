"""Fills the page's template."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.files import write_text
from experiments.provenance import command, machine
from experiments.report.charts import bar_chart, heat_map, line_chart
from experiments.report.template import render

if TYPE_CHECKING:
    from experiments.evaluation import GameResults

COLLAPSE = "COLLAPSE"
SHOWN_FILES = 200


def write_report(
    path: str | Path,
    *,
    title: str,
    meta: Mapping[str, Any],
    results: Sequence[GameResults] = (),
    seed: int = 0,
    files: Sequence[Mapping[str, Any]] = (),
    film: Path | None = None,
    human_stick: NDArray[np.int64] | None = None,
    notes: Sequence[str] = (),
    links: Mapping[str, str] | None = None,
) -> Path:
    """Write the page.

    Args:
        path: the HTML file; it appears when it is complete.
        title: headline.
        meta: a checkpoint's ``meta.json`` (``history``, ``config``, ``data``, …).
        results: games that the agent played.
        seed: seed of the whole job.
        files: outcome per replay file (``file``, ``status``, ``reason``, ``frames``).
        film: GIF of a game, put into the page.
        human_stick: counts ``[n, n]`` of main-stick positions in the demonstrations.
        notes: sentences under the headline.
        links: further files by what they are, relative to the page.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    history = list(meta.get("history", []))
    best = _best_epoch(history)
    text = render(
        "report.html.j2",
        title=title,
        notes=notes,
        command=command(),
        seed=seed,
        machine=machine(),
        links=links or {},
        film=_data_uri(film),
        results=[_result(one) for one in results],
        losses=_losses(history),
        accuracies=_accuracies(best),
        best=best,
        presses=_presses(best, results),
        collapsed=list(best.get("collapsed", [])),
        sticks=_sticks(human_stick, results),
        settings={k: v for k, v in dict(meta.get("config", {})).items() if v not in ((), [], None)},
        data=dict(meta.get("data", {})),
        files=_sorted_files(files)[:SHOWN_FILES],
        statuses=_counted(files, "status"),
        reasons=_counted([f for f in files if f.get("reason")], "reason"),
        hidden_files=max(0, len(files) - SHOWN_FILES),
    )
    write_text(path, text)
    return Path(path)


def _best_epoch(history: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the epoch with the lowest validation loss, the one that the checkpoint holds."""
    measured = [entry for entry in history if entry.get("validation_loss") is not None]
    return min(measured, key=lambda entry: entry["validation_loss"]) if measured else {}


def _losses(history: list[dict[str, Any]]) -> str:
    return line_chart(
        {
            "training": [entry.get("train_loss", entry.get("fed_back_train_loss")) for entry in history],
            "held-out games": [entry.get("validation_loss") for entry in history],
        },
        "epoch",
        "loss",
    )


def _accuracies(best: Mapping[str, Any]) -> str:
    rows = {
        name: {"agent": head["accuracy"], "majority class": head["majority_baseline"]}
        for name, head in best.get("heads", {}).items()
    }
    return bar_chart(rows)


def _presses(best: Mapping[str, Any], results: Sequence[GameResults]) -> str:
    """Press rates: players, the most likely action, samples, and in the games that were played."""
    rows, marks = {}, {}
    for name, button in best.get("buttons", {}).items():
        rows[name] = {
            "players": button["human"],
            "most likely": button["predicted"],
            "sampled": button["sampled"],
        }
        if results:
            rows[name]["in games"] = results[0].press_rates.get(name, 0.0)
        if button["collapsed"]:
            marks[name] = COLLAPSE
    return bar_chart(rows, marks)


def _sticks(human: NDArray[np.int64] | None, results: Sequence[GameResults]) -> list[str]:
    maps = [] if human is None else [heat_map(human, "players")]
    return maps + [heat_map(one.stick_counts, f"agent against {one.opponent}") for one in results]


def _result(one: GameResults) -> dict[str, Any]:
    won, drawn = int((one.outcomes == 1).sum()), int((one.outcomes == 0.5).sum())
    return {
        "opponent": one.opponent,
        "where": f"{one.options['character']} against {one.options['opponent_character']}, {one.options['stage']}",
        "games": len(one),
        "score": f"{won} won, {drawn} drawn, {len(one) - won - drawn} lost",
        "win_rate": str(one.win_rate),
        "net_stocks": str(one.mean_net_stocks),
        "net_damage_per_min": str(one.net_damage_per_min),
        "seed": one.seed,
    }


def _counted(files: Sequence[Mapping[str, Any]], key: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for file in files:
        counts[str(file[key])] = counts.get(str(file[key]), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _sorted_files(files: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Put what went wrong first."""
    order = {"refused": 0, "partial": 1, "repaired": 2}
    return sorted(files, key=lambda file: (order.get(str(file["status"]), 3), str(file["file"])))


def _data_uri(film: Path | None) -> str:
    if film is None:
        return ""
    kind = {"gif": "image/gif", "png": "image/png"}[film.suffix[1:]]
    return html.escape(f"data:{kind};base64,{base64.b64encode(film.read_bytes()).decode()}")
