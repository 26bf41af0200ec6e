"""Which part of the world a picture shows: both fighters, some room around them, never beyond the blast zone."""

from __future__ import annotations

from dataclasses import dataclass

from melee_env.frame import Frames
from melee_env.rendering.canvas import Point
from melee_env.rendering.stages import StagePicture, stage_picture

MARGIN_X, MARGIN_BELOW, MARGIN_ABOVE = 34.0, 22.0, 34.0
"""room around the fighters, game units"""
SMALLEST_WIDTH = 130.0
"""game units; two fighters that stand together are not shown larger than this"""
LAST_DEAD_STATE = 11
"""states 0..11 are deaths and sleep; a dead fighter does not pull the camera"""


@dataclass(frozen=True)
class View:
    """A rectangle of the world and the picture that it fills."""

    x: float
    """middle, game units"""
    y: float
    """middle, game units"""
    width: float
    """game units"""
    pixels: tuple[int, int]
    """width and height of the picture"""

    @property
    def scale(self) -> float:
        """Pixels per game unit."""
        return self.pixels[0] / self.width

    def place(self, x: float, y: float) -> Point:
        """Return the pixel of a point of the world."""
        return (
            self.pixels[0] / 2 + (x - self.x) * self.scale,
            self.pixels[1] / 2 - (y - self.y) * self.scale,
        )

    def towards(self, target: View, share: float = 0.12) -> View:
        """Move by ``share`` of the way to another view, for a film without jumps."""

        def mix(a: float, b: float) -> float:
            return a + (b - a) * share

        width = mix(self.width, target.width)
        return View(mix(self.x, target.x), mix(self.y, target.y), width, target.pixels)


def follow(frame: Frames, width: int, height: int) -> View:
    """Return the view that shows every living fighter of one frame.

    Args:
        frame: one record of ``FRAME_DTYPE``.
        width: pixels.
        height: pixels.
    """
    picture = stage_picture(int(frame["stage"]))
    points = [(0.0, 8.0)]
    for fighter in frame["seats"]["leader"]:
        if fighter["present"] and fighter["action"] > LAST_DEAD_STATE:
            points.append((float(fighter["x"]), float(fighter["y"])))
    left, right, top, bottom = _around(points, picture)
    aspect = width / height
    # The lowest quarter of the picture is covered by the players' cards.
    shown = max(right - left, (top - bottom) * aspect / 0.76, SMALLEST_WIDTH)
    shown = min(shown, picture.right - picture.left)
    tall = shown / aspect
    return View((left + right) / 2, (top + bottom) / 2 - 0.11 * tall, shown, (width, height))


def _around(points: list[Point], picture: StagePicture) -> tuple[float, float, float, float]:
    xs = [min(max(x, picture.left), picture.right) for x, _ in points]
    ys = [min(max(y, picture.bottom), picture.top) for _, y in points]
    return min(xs) - MARGIN_X, max(xs) + MARGIN_X, max(ys) + MARGIN_ABOVE, min(ys) - MARGIN_BELOW
