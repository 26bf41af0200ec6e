"""Learning curves of a comparison as one SVG file that stands by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 320, 56, 16, 28, 44
COLOURS = ("#1f6feb", "#d1495b", "#2a9d4a", "#8a5cd1", "#c77d0a", "#3a8fa3")
POINTS = 60


def curves_of(results: Sequence[Mapping[str, Any]], figure: str, environment: str) -> dict[str, Any]:
    """Return per algorithm ``steps [P]`` and the median, lowest and highest ``figure`` of its seeds there.

    Args:
        results: of :func:`~experiments.benchmarks.algorithms.runs.run_tasks`.
        figure: a key of the trainers' histories, beside ``steps``.
        environment: name of the environment.
    """
    curves: dict[str, Any] = {}
    for name in dict.fromkeys(run["row"] for run in results):
        lines = []
        for run in results:
            points = [
                (entry["steps"], entry[figure])
                for entry in run.get("history", [])
                if (run["row"], run["environment"]) == (name, environment) and entry.get(figure) is not None
            ]
            if len(points) > 1:
                lines.append(np.array(points, np.float64).T)
        if lines:
            steps = np.linspace(max(x[0] for x, _ in lines), min(x[-1] for x, _ in lines), POINTS)
            values = np.stack([np.interp(steps, x, y) for x, y in lines])
            curves[name] = {
                "seeds": len(lines),
                "steps": steps,
                "median": np.median(values, 0),
                "low": values.min(0),
                "high": values.max(0),
            }
    return curves


def draw(curves: Mapping[str, Any], label: str) -> str:
    """Return an SVG with the median of every curve over a band from the lowest to the highest seed, 0..1."""
    last = max(float(curve["steps"][-1]) for curve in curves.values())

    def points(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
        across = LEFT + x / last * (WIDTH - LEFT - RIGHT)
        up = HEIGHT - BOTTOM - np.clip(y, 0, 1) * (HEIGHT - TOP - BOTTOM)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up, strict=True))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    ]
    for tick in np.linspace(0, 1, 5):
        y = HEIGHT - BOTTOM - tick * (HEIGHT - TOP - BOTTOM)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d8dee4"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#57606a">{tick:.2f}</text>'
        )
        x = LEFT + tick * (WIDTH - LEFT - RIGHT)
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - 26}" text-anchor="middle" fill="#57606a">{tick * last:,.0f}</text>'
        )
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        x = curve["steps"]
        band = points(np.concatenate([x, x[::-1]]), np.concatenate([curve["low"], curve["high"][::-1]]))
        parts.append(f'<polygon points="{band}" fill="{colour}" opacity="0.18"/>')
        parts.append(
            f'<polyline points="{points(x, curve["median"])}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        at = LEFT + 210 * number
        parts.append(f'<rect x="{at}" y="8" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{at + 17}" y="18">{escape(name)}, {curve["seeds"]} seeds</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end" fill="#57606a">{escape(label)}</text></svg>'
    )
    return "".join(parts) + "\n"
