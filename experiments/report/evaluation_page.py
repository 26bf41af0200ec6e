"""A page about one ``melee-env eval``: games, recorded players, a recorded technique, or the manifold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.evaluation.intervals import Interval
from experiments.files import write_text
from experiments.report.charts import bar_chart, line_chart
from experiments.report.evaluation_tables import (
    Table,
    agreement_rows,
    bounds,
    button_rows,
    difference_rows,
    family_rows,
    fixture_rows,
    head_rows,
    unseen_rows,
)
from experiments.report.template import render

MAJORITY = "majority class"


def write_evaluation_page(path: str | Path, found: Mapping[str, Any], title: str) -> Path:
    """Write the page.

    Args:
        path: the HTML file; it appears when it is complete.
        found: what ``melee-env eval --json`` writes.
        title: headline.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    sections = [
        *(_games(found) if "win_rate" in found else []),
        *(_manifold(found["manifold"]) if "manifold" in found else []),
        *(_recordings(found) if "families" in found else []),
        *(_fixture(found) if "offsets" in found else []),
    ]
    skipped = found.get("skipped") or found.get("manifold", {}).get("skipped") or []
    text = render("evaluation.html.j2", title=title, found=found, sections=sections, skipped=skipped)
    write_text(path, text)
    return Path(path)


def _section(
    name: str, title: str, note: str = "", chart: str = "", table: Table | None = None
) -> dict[str, Any]:
    """Return a section: a sentence, a chart and a table, each where there is one."""
    rows, headers = table or ([], [])
    cells = [[_text(value) for value in row] for row in rows]
    return {"name": name, "title": title, "note": note, "chart": chart, "headers": headers, "rows": cells}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _games(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    figures = ("win_rate", "net_stocks", "net_damage_per_min")
    players = [one for one in (found, found.get("baseline")) if one]
    rows = [[name, *(str(Interval(**one[name])) for one in players)] for name in figures]
    outcomes: dict[str, int] = {}
    for row in found["rows"]:
        outcomes[f"{row['net_stocks']:+d}"] = outcomes.get(f"{row['net_stocks']:+d}", 0) + 1
    shares = {key: {"games": outcomes[key] / found["games"]} for key in sorted(outcomes, key=int)}
    options = ", ".join(f"{name} {value}" for name, value in found["options"].items())
    note = f"{found['games']} games against {found['opponent']}, seed {found['seed']}; {options}."
    sections = [
        _section(
            "games",
            "Games",
            note,
            table=(rows, ["mean [95 % interval]", "agent", "baseline"][: 1 + len(players)]),
        ),
        _section("stocks", "Net stocks of the games", chart=bar_chart(shares)),
    ]
    return sections + _difference(found, "difference", "the baseline, which played the same games")


def _recordings(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    who = f"players of {found['character']}" if found["character"] else "all players"
    accuracies = [
        f"{label} {found[key + 'accuracy']:.3f} {bounds(found[key + 'interval'])}, "
        f"{MAJORITY} {found[key + 'majority_baseline']:.3f}"
        for label, key in (("all heads", ""), ("whole action", "exact_"))
    ]
    note = (
        f"{found['games']} games of {found['data']}, {found['frames']:,} frames of {who}: {'; '.join(accuracies)}. "
        "Intervals take whole games as the units."
    )
    heads = _beside_baseline(found, "heads", "accuracy", "majority_baseline")
    presses = {
        name: {"players": button["human"], "most likely": button["predicted"], "sampled": button["sampled"]}
        for name, button in found["buttons"].items()
    }
    doing = _beside_baseline(found, "families", "exact_accuracy", "exact_majority_baseline")
    reliability = {
        f"{row['confidence']:.2f} ({row['share']:.1%})": {
            "confidence": row["confidence"],
            "right": row["right"],
        }
        for row in found["reliability"]
    }
    marks = dict.fromkeys(found["collapsed"], "COLLAPSE")
    sections = [
        _section("heads", "Accuracy per head", note, bar_chart(heads), head_rows(found)),
        _section("buttons", "Buttons", "", bar_chart(presses, marks), button_rows(found)),
        _section(
            "families", "Whole action by what the player is doing", "", bar_chart(doing), family_rows(found)
        ),
        _section(
            "reliability",
            "Calibration",
            "How sure the agent is and how often it is right, choices of all heads by confidence (and their share).",
            bar_chart(reliability),
        ),
    ]
    return sections + _difference(found, "difference", "the baseline on the same games")


def _beside_baseline(
    found: Mapping[str, Any], part: str, key: str, majority: str
) -> dict[str, dict[str, float]]:
    """Return bars of the agent, of the agent that it is compared with, if any, and of the majority class."""
    other = found.get("baseline", {}).get(part)
    return {
        name: {
            "agent": row[key],
            **({"baseline": other[name][key]} if other else {}),
            MAJORITY: row[majority],
        }
        for name, row in found[part].items()
        if not other or name in other
    }


def _fixture(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    majority = [found["majority_baseline"]] * len(found["offsets"])
    chart = line_chart(
        {"agent": found["agreement"], MAJORITY: majority}, "offset, frames", "B and X as recorded"
    )
    note = f"{found['frames']:,} frames of {found['fixture']}; best offset {found['best_offset']}."
    return [_section("fixture", "Presses by offset", note, chart, fixture_rows(found))]


def _manifold(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    note = (
        f"{found['on']['mean']:.3f} {bounds(found['on'])} of {found['frames']:,} frames are on the manifold: in one of "
        f"{found['seen_situations']:,} situations, action state and animation frame, that {found['seen_games']} games "
        f"of {found['seen']} hold. The table has the action states most visited in others."
    )
    sections = [_section("manifold", "On and off the manifold", note, table=unseen_rows(found))]
    if "agreement" in found:
        bars: dict[str, dict[str, float]] = {}
        for label, agreement in zip(("agent", "baseline"), found["agreement"].values(), strict=False):
            for place, row in agreement.items():
                bars.setdefault(place, {})[label] = row["exact_accuracy"]
        for place, row in next(iter(found["agreement"].values())).items():
            bars[place][MAJORITY] = row["exact_majority_baseline"]
        note = f"Whole actions, all agents on the same frames, which the first one played. Labels: {found['expert']}."
        table = agreement_rows(found)
        sections.append(_section("agreement", "Agreement with the expert", note, bar_chart(bars), table))
    return sections + _difference(found, "agreement-difference", "the second agent on the same frames")


def _difference(found: Mapping[str, Any], name: str, whom: str) -> list[dict[str, Any]]:
    if "difference" not in found:
        return []
    return [
        _section(name, "Difference", f"Minus {whom}, paired.", table=difference_rows(found["difference"]))
    ]
