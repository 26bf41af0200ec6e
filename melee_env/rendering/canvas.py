"""A surface to draw on: shapes at twice the size for smooth edges, text at the final size."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import MissingExtra

Colour = tuple[int, int, int] | tuple[int, int, int, int]
Point = tuple[float, float]
OVERSAMPLING = 2


@lru_cache(maxsize=1)
def load_pygame() -> ModuleType:
    """Import pygame without its greeting.

    Raises:
        MissingExtra: pygame is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            import pygame
            import pygame.font
    except ImportError:
        raise MissingExtra("pygame", "view") from None
    return pygame


@lru_cache(maxsize=32)
def _font(size: int) -> Any:
    pygame = load_pygame()
    pygame.font.init()
    return pygame.font.Font(None, size)


class Canvas:
    """Draws in pixels of the final picture, origin at the top left.

    Args:
        width: pixels.
        height: pixels.
        background: picture of ``OVERSAMPLING`` times that size to start from.
    """

    def __init__(self, width: int, height: int, background: Any | None = None) -> None:
        self._pygame = load_pygame()
        self.width, self.height = width, height
        size = (width * OVERSAMPLING, height * OVERSAMPLING)
        self._surface = self._pygame.Surface(size) if background is None else background.copy()
        self._texts: list[tuple[str, Point, int, Colour, float]] = []

    def line(self, points: Sequence[Point], colour: Colour, thickness: float = 1.0) -> None:
        """Draw connected segments with round joints."""
        width = max(1, round(thickness * OVERSAMPLING))
        scaled = [self._scaled(point) for point in points]
        for start, end in zip(scaled, scaled[1:], strict=False):
            self._segment(start, end, colour, width)
        if width > 2:
            for point in scaled:
                self._pygame.draw.circle(self._surface, colour, point, width / 2)

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Fill a polygon; a fourth component of the colour is its opacity."""
        self._blend(colour, [self._scaled(point) for point in points], None)

    def circle(self, centre: Point, radius: float, colour: Colour, thickness: float = 0.0) -> None:
        """Draw a circle, filled when ``thickness`` is 0; a fourth component of the colour is its opacity."""
        width = round(thickness * OVERSAMPLING)
        if thickness:
            width = max(1, width)
        self._blend(colour, [self._scaled(centre)], (radius * OVERSAMPLING, width))

    def box(
        self, left: float, top: float, width: float, height: float, colour: Colour, radius: float = 0.0
    ) -> None:
        """Fill a rectangle with rounded corners; a fourth component of the colour is its opacity."""
        patch = self._pygame.Surface((width * OVERSAMPLING, height * OVERSAMPLING), self._pygame.SRCALPHA)
        self._pygame.draw.rect(patch, colour, patch.get_rect(), border_radius=round(radius * OVERSAMPLING))
        self._surface.blit(patch, self._scaled((left, top)))

    def text(self, text: str, at: Point, size: int, colour: Colour, align: float = 0.0) -> None:
        """Write one line; ``align`` 0, 0.5, 1 puts its left end, middle, right end at ``at`` (its top edge)."""
        self._texts.append((text, at, size, colour, align))

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture ``[height, width, 3] uint8``."""
        final = self._pygame.transform.smoothscale(self._surface, (self.width, self.height))
        for text, (x, y), size, colour, align in self._texts:
            written = _font(size).render(text, True, colour[:3])
            final.blit(written, (x - align * written.get_width(), y))
        return np.ascontiguousarray(self._pygame.surfarray.pixels3d(final).swapaxes(0, 1))

    def _scaled(self, point: Point) -> Point:
        # Far-away points would overflow SDL's integers.
        return (
            min(max(point[0], -4000.0), 8000.0) * OVERSAMPLING,
            min(max(point[1], -4000.0), 8000.0) * OVERSAMPLING,
        )

    def _segment(self, start: Point, end: Point, colour: Colour, width: int) -> None:
        """Draw a thick segment as a quadrilateral: pygame's own thick lines are slanted at their ends."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = (dx * dx + dy * dy) ** 0.5
        if width <= 2 or length == 0.0:
            self._pygame.draw.line(self._surface, colour, start, end, width)
            return
        nx, ny = -dy / length * width / 2, dx / length * width / 2
        corners = [(start[0] + nx, start[1] + ny), (end[0] + nx, end[1] + ny)]
        corners += [(end[0] - nx, end[1] - ny), (start[0] - nx, start[1] - ny)]
        self._pygame.draw.polygon(self._surface, colour, corners)

    def _blend(self, colour: Colour, points: list[Point], circle: tuple[float, int] | None) -> None:
        """Draw a polygon, or a circle of (radius, width), through a transparent patch where it needs one."""
        draw, target, origin = self._pygame.draw, self._surface, (0.0, 0.0)
        if len(colour) == 4:
            reach = circle[0] + 1 if circle else 0.0
            left, top = min(p[0] for p in points) - reach, min(p[1] for p in points) - reach
            right, bottom = max(p[0] for p in points) + reach, max(p[1] for p in points) + reach
            origin = (max(left, 0.0), max(top, 0.0))
            size = (min(right, target.get_width()) - origin[0], min(bottom, target.get_height()) - origin[1])
            if min(size) <= 0:
                return
            target = self._pygame.Surface((size[0] + 1, size[1] + 1), self._pygame.SRCALPHA)
        moved = [(x - origin[0], y - origin[1]) for x, y in points]
        if circle:
            draw.circle(target, colour, moved[0], circle[0], circle[1])
        else:
            draw.polygon(target, colour, moved)
        if target is not self._surface:
            self._surface.blit(target, origin)


def vertical_gradient(width: int, height: int, top: Colour, bottom: Colour) -> Any:
    """Return a surface for :class:`Canvas` that fades from ``top`` to ``bottom``."""
    pygame = load_pygame()
    weight = np.linspace(0.0, 1.0, height * OVERSAMPLING)[None, :, None]
    column = np.asarray(top[:3]) * (1 - weight) + np.asarray(bottom[:3]) * weight
    surface = pygame.Surface((width * OVERSAMPLING, height * OVERSAMPLING))
    pygame.surfarray.blit_array(surface, np.repeat(column.astype(np.uint8), width * OVERSAMPLING, 0))
    return surface
