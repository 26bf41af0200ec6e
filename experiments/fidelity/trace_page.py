"""One game as two traces, the recorded one and the engine's free runs, with the first differences marked.

The page is one HTML file: no script, no link, every picture inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from experiments.fidelity.free_run import run_free
from experiments.fidelity.one_step import FIELDS, Start
from melee_env.game import Game
from melee_env.ids import character_from_internal

HEIGHT, MARGIN = 150, 16
FRAMES_PER_PIXEL = 2
SECOND = 60
STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 24px; color: #1f2430; background: #fff }
.wide { overflow-x: auto; border: 1px solid #d8dce4; margin-bottom: 12px }
.recorded { fill: none; stroke: #8a93a5; stroke-width: 3 }
.engine { fill: none; stroke: #1668c7; stroke-width: 1.3 }
.first { fill: #cf222e }
.second { stroke: #eef0f4 }
text { font-size: 10px; fill: #5a6272 }
td, th { padding: 2px 10px; text-align: left; font-variant-numeric: tabular-nums }
@media (prefers-color-scheme: dark) {
  body { color: #dfe3ea; background: #15181e } .wide { border-color: #343a46 }
  .engine { stroke: #6cb2ff } .second { stroke: #252a33 }
}
"""


def trace_page(name: str, game: Game, starts: list[Start]) -> str:
    """Return the page about ``game``, whose engine states at ``starts`` are run on from."""
    recorded = game.frames["seats"]["leader"]
    engine = np.zeros((len(recorded), 2), recorded.dtype)
    lengths = run_free(game, starts, engine)
    numbers = game.frames["frame"]
    ends = [*(start.index for start in starts[1:]), len(recorded) - 1]
    firsts = [start.index + 1 + int(n) for start, n in zip(starts, lengths, strict=True)]
    wrong = [first for first, end in zip(firsts, ends, strict=True) if first <= end]
    parts = [
        f"<h1>{escape(name)}</h1>",
        f"<p>Grey: recorded. Blue: the engine, which starts from the recording at {len(starts)} places and runs "
        f"on the recorded inputs until the next place or its first wrong frame (red, {len(wrong)}).</p>",
    ]
    for seat in range(2):
        fighter = character_from_internal(int(recorded["character"][0, seat])).name
        for axis in ("x", "y"):
            chart = _chart(numbers, recorded[axis][:, seat], engine, axis, seat, wrong)
            parts.append(f'<h2>{fighter}, seat {seat}: {axis}</h2><div class="wide">{chart}</div>')
    rows = "".join(_rows(numbers, recorded, engine, wrong))
    parts.append(
        "<h2>First differences</h2><table><tr><th>frame</th><th>seat</th><th>field</th><th>engine</th>"
        f"<th>recorded</th></tr>{rows}</table>"
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(name)}</title>'
        f"<style>{STYLE}</style>{''.join(parts)}</html>"
    )


def _chart(
    numbers: NDArray[np.int32],
    recorded: NDArray[np.float32],
    engine: NDArray[np.void],
    axis: str,
    seat: int,
    wrong: list[int],
) -> str:
    """Draw one coordinate of one fighter over the game."""
    low, high = float(np.nanmin(recorded)), float(np.nanmax(recorded))
    scale = (HEIGHT - 2 * MARGIN) / max(high - low, 1.0)

    def points(places: NDArray[np.intp], values: NDArray[np.float32]) -> str:
        heights = np.clip(HEIGHT - MARGIN - (values - low) * scale, 0, HEIGHT)
        return " ".join(f"{p / FRAMES_PER_PIXEL:g},{y:.1f}" for p, y in zip(places, heights, strict=True))

    width = len(recorded) // FRAMES_PER_PIXEL + MARGIN
    parts = [f'<svg width="{width}" height="{HEIGHT}" role="img" aria-label="{axis} by frame">']
    for place in range(0, len(recorded), SECOND * 10):
        at = place / FRAMES_PER_PIXEL
        parts.append(f'<line class="second" x1="{at:g}" x2="{at:g}" y1="0" y2="{HEIGHT}"/>')
        parts.append(f'<text x="{at + 3:g}" y="{HEIGHT - 3}">{numbers[place]}</text>')
    parts.append(f'<polyline class="recorded" points="{points(np.arange(len(recorded)), recorded)}"/>')
    ran = np.flatnonzero(engine["present"][:, seat])
    for run in np.split(ran, np.flatnonzero(np.diff(ran) > 1) + 1):
        if len(run):
            parts.append(f'<polyline class="engine" points="{points(run, engine[axis][run, seat])}"/>')
    for place in wrong:
        x, y = points(np.array([place]), recorded[place : place + 1]).split(",")
        parts.append(
            f'<circle class="first" cx="{x}" cy="{y}" r="4"><title>{numbers[place]}</title></circle>'
        )
    return "".join(parts) + "</svg>"


def _rows(
    numbers: NDArray[np.int32], recorded: NDArray[np.void], engine: NDArray[np.void], wrong: list[int]
) -> Iterator[str]:
    """Yield a table row for each differing field of each first wrong frame."""
    for place in wrong:
        for seat in range(2):
            ours, theirs = engine[place, seat], recorded[place, seat]
            if not ours["present"]:
                continue
            for field in FIELDS:
                if ours[field] != theirs[field]:
                    cells = (numbers[place], seat, field, f"{ours[field]:.6g}", f"{theirs[field]:.6g}")
                    yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
