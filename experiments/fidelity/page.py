"""The tables of a Markdown page, written anew between its markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.files import write_text
from melee_env.errors import OptionError

FIGURES = (
    "fighter frames",
    "state",
    "all fields",
    "places and speeds bit-exact",
    "speeds bit-exact",
    "free run, median",
    "free run, p90",
)
HITS = ("hit precision", "hit recall")


def write_tables(page: Path, label: str, result: dict[str, Any]) -> None:
    """Replace what stands between ``<!-- fidelity LABEL -->`` and ``<!-- end -->`` in ``page``.

    Args:
        page: the Markdown file.
        label: which region; a page can hold several sets of games.
        result: the figures as ``melee-env fidelity --json`` writes them.

    Raises:
        OptionError: the page has no such region.
    """
    text = page.read_text(encoding="utf-8")
    opening = f"<!-- fidelity {label} -->\n"
    start = text.find(opening)
    end = text.find("<!-- end -->", start)
    if start < 0 or end < 0:
        raise OptionError(
            f"{page} has no lines '{opening.strip()}' and '<!-- end -->'; put them where the tables go"
        )
    body = f"{_shares(label, result)}\n{_formulas(result['by_formula'])}"
    write_text(page, f"{text[: start + len(opening)]}{body}{text[end:]}")


def _shares(label: str, result: dict[str, Any]) -> str:
    rows = [("| " + " | ".join(("", *FIGURES, *HITS)) + " |"), "|---" * (1 + len(FIGURES) + len(HITS)) + "|"]
    rows.append(_row(f"**{label} ({result['games']})**", result))
    for kind in ("by_character", "by_stage", "by_family"):
        parts = sorted(result[kind].items(), key=lambda part: -part[1]["fighter_frames"])
        rows += [_row(name, part) for name, part in parts]
    return "\n".join(rows) + "\n"


def _row(name: str, part: dict[str, Any]) -> str:
    step, run, hits = part["one_step"], part["free_run"], part["hits"]
    figures = [
        f"{part['fighter_frames']:,}",
        *(_percent(step[key], 2) for key in ("state", "all_fields")),
        *(_percent(step[key], 1) for key in ("kinematics_bit_exact", "velocities_bit_exact")),
        *("" if run[key] is None else f"{run[key]:.0f}" for key in ("median_frames", "p90_frames")),
        *(_percent(hits[key], 1) for key in ("precision", "recall")),
    ]
    return "| " + " | ".join((name, *figures)) + " |"


def _percent(share: float | None, digits: int) -> str:
    return "" if share is None else f"{100 * share:.{digits}f} %"


def _formulas(counts: dict[str, dict[str, int]]) -> str:
    rows = ["| rule, on the frames that it decides | right | of | share |", "|---|---|---|---|"]
    for name, sums in counts.items():
        if sums["of"]:
            share = _percent(sums["right"] / sums["of"], 2)
            rows.append(f"| {name} | {sums['right']:,} | {sums['of']:,} | {share} |")
    return "\n".join(rows) + "\n"
