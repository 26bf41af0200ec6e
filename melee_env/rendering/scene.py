"""The whole picture of one frame."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.ids import Item
from melee_env.rendering.camera import View, follow
from melee_env.rendering.canvas import Canvas, Colour, vertical_gradient
from melee_env.rendering.fighter import PORT_COLOURS, draw_fighter
from melee_env.rendering.hud import draw_hud
from melee_env.rendering.stages import Platform, StagePicture, stage_picture

FOUNTAIN, YOSHI = 2, 8
_HELD = frozenset({Item.FOX_BLASTER, Item.FALCO_BLASTER})
"""items in a fighter's hand, which the pose shows"""
_FOUNTAIN_SIDE = (21.0, 49.5)
"""Fountain's moving platforms reach from here to there on each side, game units"""
_RANDALL_HALF = 6.0
"""half the width of Yoshi's cloud, game units"""


def render_frame(
    frame: Frames, width: int = 640, height: int = 480, view: View | None = None
) -> NDArray[np.uint8]:
    """Draw one frame.

    Args:
        frame: one record of ``FRAME_DTYPE`` (a scalar or an array of one element).
        width: pixels, at least 320.
        height: pixels, at least 240.
        view: part of the world to show; None follows the fighters.

    Returns:
        ``[height, width, 3] uint8``, red, green, blue.

    Raises:
        MissingExtra: pygame is not installed.
        OptionError: the frame is not a single one, or the picture is too small.
    """
    records = np.asarray(frame).reshape(-1)
    if len(records) != 1:
        raise OptionError(f"render_frame draws one frame, got {len(records)}; index the array first")
    if width < 320 or height < 240:
        raise OptionError(f"a picture of {width}x{height} is too small; use at least 320x240")
    record = records[0]
    picture = stage_picture(int(record["stage"]))
    if view is None:
        view = follow(record, width, height)
    canvas = Canvas(width, height, _sky(width, height, picture.sky))
    _draw_blast_zone(canvas, view, picture)
    _draw_stage(canvas, view, record, picture)
    for seat in record["seats"]:
        for fighter in (seat["nana"], seat["leader"]):
            draw_fighter(canvas, view, fighter, int(seat["port"]))
    _draw_items(canvas, view, record)
    draw_hud(canvas, record, picture)
    return canvas.pixels()


@lru_cache(maxsize=8)
def _sky(width: int, height: int, colours: tuple[Colour, Colour]) -> Any:
    return vertical_gradient(width, height, *colours)


def _draw_blast_zone(canvas: Canvas, view: View, picture: StagePicture) -> None:
    corners = [
        (picture.left, picture.top),
        (picture.right, picture.top),
        (picture.right, picture.bottom),
        (picture.left, picture.bottom),
        (picture.left, picture.top),
    ]
    canvas.line([view.place(x, y) for x, y in corners], (225, 70, 84), 2)


def _draw_stage(canvas: Canvas, view: View, frame: Frames, picture: StagePicture) -> None:
    if picture.outline:
        outline = [view.place(x, y) for x, y in picture.outline]
        canvas.polygon(outline, picture.body)
        inner = [view.place(x * 0.9, y * 0.86 - 4.0) for x, y in picture.outline]
        canvas.polygon(inner, tuple(round(c * 0.78) for c in picture.body))  # type: ignore[arg-type]
        canvas.line([*outline[picture.tops - 1 :], outline[0]], tuple(c // 2 for c in picture.edge), 1.2)  # type: ignore[arg-type]
        canvas.line(outline[: picture.tops], picture.edge, 3)
    for left, right, y in (*picture.platforms, *_moving_platforms(frame)):
        start, end = view.place(left, y), view.place(right, y)
        canvas.box(start[0], start[1], end[0] - start[0], 1.6 * view.scale, picture.body, 2)
        canvas.line([start, end], picture.edge, 2.2)


def _moving_platforms(frame: Frames) -> list[Platform]:
    stage = int(frame["stage"])
    if stage == FOUNTAIN:
        near, far = _FOUNTAIN_SIDE
        return [(-far, -near, float(frame["fod_left"])), (near, far, float(frame["fod_right"]))]
    if stage == YOSHI and (frame["randall_x"] or frame["randall_y"]):
        x, y = float(frame["randall_x"]), float(frame["randall_y"])
        return [(x - _RANDALL_HALF, x + _RANDALL_HALF, y)]
    return []


def _draw_items(canvas: Canvas, view: View, frame: Frames) -> None:
    """Draw projectiles as glowing streaks along their movement, in their owner's colour."""
    for item in frame["items"]:
        if not item["exists"] or int(item["type"]) in _HELD:
            continue
        owner = int(item["owner"])
        colour: Colour = PORT_COLOURS[owner % 4] if owner >= 0 else (240, 240, 240)
        x, y = float(item["x"]), float(item["y"])
        head = view.place(x, y)
        tail = view.place(x - float(item["vel_x"]) * 2.0, y - float(item["vel_y"]) * 2.0)
        canvas.circle(head, 2.6 * view.scale, (*colour[:3], 80))
        canvas.line([tail, head], colour, 1.1 * view.scale)
        canvas.line([tail, head], (255, 255, 255), 0.45 * view.scale)
        canvas.circle(head, 0.9 * view.scale, (255, 255, 255))
