"""Charts as inline SVG. Colours come from the page's style sheet (classes ``s0``, ``s1``, …)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 560, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 24, 30
LETTER = 7
"""room for a letter of a label"""


def line_chart(series: Mapping[str, Sequence[float | None]], x_label: str, y_label: str) -> str:
    """Draw one line per series over 0, 1, 2, …; None leaves a gap."""
    values = [v for line in series.values() for v in line if v is not None and math.isfinite(v)]
    if not values:
        return "<p>No figures.</p>"
    low, high = min(values), max(values)
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    last = max(max(len(line) for line in series.values()) - 1, 1)

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + x / last * (WIDTH - LEFT - RIGHT),
            TOP + (high - y) / (high - low) * (HEIGHT - TOP - BOTTOM),
        )

    parts = [_opening(WIDTH, HEIGHT, f"{y_label} by {x_label}")]
    for tick in np.linspace(low, high, 5):
        _, y = place(0, float(tick))
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:.3g}</text>')
    step = max(1, last // 8)
    for x in range(0, last + 1, step):
        parts.append(
            f'<text class="tick" x="{place(x, low)[0]:.1f}" y="{HEIGHT - 12}" text-anchor="middle">{x}</text>'
        )
    for index, (name, line) in enumerate(series.items()):
        points = [place(x, y) for x, y in enumerate(line) if y is not None and math.isfinite(y)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="line s{index}" points="{path}"/>')
        parts += [f'<circle class="s{index}" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in points]
        parts.append(_legend(index, name))
    parts.append(
        f'<text class="tick" x="{WIDTH - RIGHT}" y="{HEIGHT - 1}" text-anchor="end">{escape(x_label)}</text>'
    )
    return "".join(parts) + "</svg>"


def bar_chart(rows: Mapping[str, Mapping[str, float]], marks: Mapping[str, str] | None = None) -> str:
    """Draw groups of horizontal bars of shares 0..1: one group per row, one bar per key, a mark at the end."""
    if not rows:
        return "<p>No figures.</p>"
    names = list(next(iter(rows.values())))
    group = 13 * len(names) + 9
    height = TOP + group * len(rows) + 8
    top = max([value for row in rows.values() for value in row.values()] + [1e-9])
    start = max(94, 16 + LETTER * max(map(len, rows)))
    scale = (WIDTH - start - 132) / top
    parts = [_opening(WIDTH, height, "shares")]
    parts += [_legend(index, name) for index, name in enumerate(names)]
    for number, (label, row) in enumerate(rows.items()):
        y = TOP + group * number + 4
        middle = y + 13 * len(names) / 2 + 2
        parts.append(
            f'<text class="label" x="{start - 8}" y="{middle:.1f}" text-anchor="end">{escape(label)}</text>'
        )
        for index, name in enumerate(names):
            width = max(row[name] * scale, 0.0)
            at = y + 13 * index
            parts.append(
                f'<rect class="s{index}" x="{start}" y="{at}" width="{width:.1f}" height="11" rx="2"/>'
            )
            text = f"{100 * row[name]:.2f} %" if row[name] < 0.1 else f"{100 * row[name]:.1f} %"
            parts.append(f'<text class="tick" x="{start + 4 + width:.1f}" y="{at + 9.5}">{text}</text>')
        mark = (marks or {}).get(label)
        if mark:
            parts.append(
                f'<text class="mark" x="{WIDTH - 4}" y="{middle:.1f}" text-anchor="end">{escape(mark)}</text>'
            )
    return "".join(parts) + "</svg>"


def heat_map(counts: NDArray[np.int64], title: str, size: int = 230) -> str:
    """Draw counts ``[n, n]`` (x, y; y upwards) on a logarithmic scale inside the stick's gate."""
    n = len(counts)
    cell = size / n
    total = max(int(counts.sum()), 1)
    strongest = math.log1p(float(counts.max())) or 1.0
    parts = [_opening(size, size + 22, title)]
    parts.append(f'<text class="label" x="{size / 2}" y="14" text-anchor="middle">{escape(title)}</text>')
    parts.append(f'<circle class="gate" cx="{size / 2}" cy="{size / 2 + 22}" r="{size / 2 - 1}"/>')
    for x in range(n):
        for y in range(n):
            if counts[x, y]:
                strength = math.log1p(float(counts[x, y])) / strongest
                share = 100 * counts[x, y] / total
                parts.append(
                    f'<rect class="heat" x="{x * cell:.1f}" y="{22 + (n - 1 - y) * cell:.1f}" '
                    f'width="{cell - 0.6:.1f}" height="{cell - 0.6:.1f}" opacity="{0.12 + 0.88 * strength:.2f}">'
                    f"<title>{share:.2f} % of {total} frames</title></rect>"
                )
    return "".join(parts) + "</svg>"


def _opening(width: int, height: int, label: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'


def _legend(index: int, name: str) -> str:
    x = LEFT + 130 * index
    return (
        f'<rect class="s{index}" x="{x}" y="6" width="10" height="10" rx="2"/>'
        f'<text class="tick" x="{x + 14}" y="15">{escape(name)}</text>'
    )
