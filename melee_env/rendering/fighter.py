"""Draws one fighter: a puppet in its port's colour, shield, reflector, hurt flags, knockback, off-screen arrow."""

from __future__ import annotations

import math
from dataclasses import dataclass

from melee_env.frame import Frames
from melee_env.rendering.camera import LAST_DEAD_STATE, View
from melee_env.rendering.canvas import Canvas, Colour, Point
from melee_env.rendering.poses import joints, pose_of

PORT_COLOURS: tuple[Colour, ...] = ((235, 78, 82), (74, 140, 255), (245, 196, 66), (86, 200, 120))
"""by 0-based port"""
INTANGIBLE, INVINCIBLE = 2, 1
SHIELD_STATES = range(178, 183)
REFLECTOR_STATES = range(360, 370)
FULL_SHIELD = 60.0
_SHIELD_RADIUS = 0.95
"""radius of a full shield as a share of the fighter's height (drawing only)"""


@dataclass(frozen=True)
class Look:
    """How a fighter's puppet differs from the others'."""

    height: float = 14.0
    """game units"""
    fur: Colour = (232, 196, 160)
    bulk: float = 1.0
    ears: bool = False
    tail: bool = False
    beak: bool = False


DEFAULT_LOOK = Look()
LOOKS: dict[int, Look] = {
    0: Look(13.0, (240, 190, 150)),
    1: Look(13.0, (232, 148, 62), ears=True, tail=True),
    2: Look(17.5, (214, 160, 120)),
    3: Look(18.0, (132, 84, 50), 1.6),
    4: Look(9.0, (250, 164, 190), 2.0),
    5: Look(18.0, (214, 180, 80), 1.8, tail=True),
    6: Look(15.5, (226, 190, 140)),
    7: Look(16.0, (120, 130, 190)),
    8: Look(11.0, (240, 190, 150)),
    9: Look(16.0, (250, 190, 200)),
    10: Look(10.5, (120, 150, 230)),
    11: Look(10.5, (240, 140, 170)),
    12: Look(9.5, (248, 214, 70), 1.4, ears=True, tail=True),
    13: Look(16.5, (224, 130, 60), 1.25),
    14: Look(14.0, (110, 200, 100), tail=True),
    15: Look(9.0, (252, 190, 200), 2.0),
    16: Look(16.5, (196, 186, 210), ears=True, tail=True),
    17: Look(14.5, (220, 200, 160)),
    18: Look(15.5, (90, 110, 190)),
    19: Look(16.0, (210, 160, 190)),
    20: Look(11.5, (226, 190, 140)),
    21: Look(13.0, (236, 236, 240)),
    22: Look(14.5, (80, 110, 200), tail=True, beak=True),
    23: Look(8.5, (250, 226, 110), 1.3, ears=True, tail=True),
    24: Look(13.0, (40, 40, 44), 0.8),
    25: Look(18.0, (120, 96, 70), 1.4),
    26: Look(15.0, (200, 80, 60)),
}
"""Looks by internal character id."""


def draw_fighter(canvas: Canvas, view: View, fighter: Frames, port: int) -> None:
    """Draw one record of ``FIGHTER_DTYPE``; a fighter that is dead or absent is left out."""
    action = int(fighter["action"])
    if not fighter["present"] or action <= LAST_DEAD_STATE:
        return
    x, y = float(fighter["x"]), float(fighter["y"])
    colour = PORT_COLOURS[port % len(PORT_COLOURS)]
    if _is_outside(canvas, view.place(x, y + 6.0)):
        _draw_arrow(canvas, view.place(x, y + 6.0), colour)
        return
    look = LOOKS.get(int(fighter["character"]), DEFAULT_LOOK)
    _draw_knockback(canvas, view, fighter, look)
    _draw_puppet(canvas, view, fighter, look, colour)
    for hit_x, hit_y, size in active_hitboxes(fighter):
        canvas.circle(view.place(hit_x, hit_y), size * view.scale, (255, 60, 60, 120))
        canvas.circle(view.place(hit_x, hit_y), size * view.scale, (255, 150, 140, 200), 1.0)
    middle = view.place(x, y + look.height * 0.5)
    if action in SHIELD_STATES:
        radius = (
            look.height
            * _SHIELD_RADIUS
            * (0.3 + 0.7 * max(float(fighter["shield"]), 0.0) / FULL_SHIELD)
            * 0.6
        )
        canvas.circle(middle, radius * view.scale, (*colour[:3], 110))
        canvas.circle(middle, radius * view.scale, (*colour[:3], 230), 1.5)
    if action in REFLECTOR_STATES and int(fighter["character"]) in (1, 22):
        _draw_hexagon(canvas, middle, look.height * 0.62 * view.scale, float(fighter["action_frame"]))


def active_hitboxes(fighter: Frames) -> list[tuple[float, float, float]]:
    """Return ``(x, y, radius)`` of the hitboxes that the engine's tables have for a fighter's state and age."""
    from melee_env.engine.tables import HITBOX_ROWS, HITBOX_SPAN, HITBOXES

    character, action, age = (int(fighter[name]) for name in ("character", "action", "action_frame"))
    if character >= len(HITBOX_SPAN) or action >= HITBOX_SPAN.shape[1]:
        return []
    first, count = HITBOX_SPAN[character, action]
    if not 0 <= age < count:
        return []
    boxes = HITBOXES[HITBOX_ROWS[first + age]]
    return [
        (
            float(fighter["x"] + fighter["facing"] * box["x"]),
            float(fighter["y"] + box["y"]),
            float(box["size"]),
        )
        for box in boxes[boxes["active"] != 0]
    ]


def _draw_puppet(canvas: Canvas, view: View, fighter: Frames, look: Look, colour: Colour) -> None:
    facing = -1.0 if fighter["facing"] < 0 else 1.0
    x, y = float(fighter["x"]), float(fighter["y"])
    lines = joints(pose_of(int(fighter["action"]), float(fighter["action_frame"])), look.height)
    placed = {
        name: [view.place(x + facing * px, y + py) for px, py in points] for name, points in lines.items()
    }
    unit = look.height * view.scale
    limb, trunk, head = 0.085 * unit * look.bulk**0.5, 0.17 * unit * look.bulk, 0.155 * unit * look.bulk**0.4
    shade = _mixed(colour, (0, 0, 0), 0.42)
    fur = look.fur
    outline = (12, 12, 20)
    if fighter["hurtbox"] in (INVINCIBLE, INTANGIBLE):
        target = (255, 255, 255) if fighter["hurtbox"] == INVINCIBLE else (120, 235, 255)
        colour, shade, fur = (_mixed(c, target, 0.55) for c in (colour, shade, fur))
    elif fighter["hitlag"] > 0 and fighter["hitstun"] > 0:
        colour, shade, fur = (_mixed(c, (255, 240, 120), 0.6) for c in (colour, shade, fur))
    # Dark strokes a little wider than the coloured ones make the outline.
    for name, width in (
        ("far_arm", limb),
        ("far_leg", limb),
        ("torso", trunk),
        ("near_leg", limb),
        ("near_arm", limb),
    ):
        canvas.line(placed[name], outline, width + 2.4)
    canvas.circle(placed["head"][0], head + 1.2, outline)
    canvas.line(placed["far_arm"], shade, limb)
    canvas.line(placed["far_leg"], shade, limb)
    if look.tail:
        _draw_tail(canvas, placed["torso"], facing, unit, fur)
    canvas.line(placed["torso"], colour, trunk)
    canvas.line(placed["near_leg"], _mixed(colour, (0, 0, 0), 0.2), limb)
    for name in ("near_leg", "far_leg"):
        canvas.circle(placed[name][2], limb * 0.75, _mixed(fur, (0, 0, 0), 0.35))
    _draw_head(canvas, placed["torso"], placed["head"], head, facing, look, fur)
    canvas.line(placed["near_arm"], _mixed(colour, (255, 255, 255), 0.16), limb)
    for name in ("near_arm", "far_arm"):
        canvas.circle(placed[name][2], limb * 0.72, fur)


def _draw_head(
    canvas: Canvas,
    torso: list[Point],
    head: list[Point],
    radius: float,
    facing: float,
    look: Look,
    fur: Colour,
) -> None:
    (cx, cy), (hx, hy), (nx, ny) = head[0], torso[0], torso[1]
    length = math.hypot(nx - hx, ny - hy) or 1.0
    up = ((nx - hx) / length, (ny - hy) / length)
    # Up is from hip to neck; forward is a quarter turn from it, to the side that the fighter faces.
    ahead = (-up[1] * facing, up[0] * facing)

    def at(forward: float, above: float) -> Point:
        return (
            cx + (ahead[0] * forward + up[0] * above) * radius,
            cy + (ahead[1] * forward + up[1] * above) * radius,
        )

    if look.ears:
        canvas.polygon([at(-0.75, 0.5), at(-0.55, 1.75), at(0.0, 0.8)], _mixed(fur, (0, 0, 0), 0.3))
        canvas.polygon([at(-0.1, 0.8), at(0.2, 1.75), at(0.65, 0.6)], fur)
    canvas.circle((cx, cy), radius, fur)
    if look.beak:
        canvas.polygon([at(0.7, 0.3), at(1.6, -0.15), at(0.7, -0.5)], (245, 200, 60))
    else:
        canvas.polygon([at(0.5, 0.1), at(1.3, -0.35), at(0.4, -0.8)], _mixed(fur, (255, 255, 255), 0.55))
    canvas.circle(at(0.45, 0.2), max(radius * 0.17, 1.0), (16, 16, 24))


def _draw_tail(canvas: Canvas, torso: list[Point], facing: float, unit: float, fur: Colour) -> None:
    x, y = torso[0]
    points = [(x, y), (x - facing * 0.16 * unit, y + 0.02 * unit), (x - facing * 0.3 * unit, y - 0.1 * unit)]
    canvas.line(points, fur, 0.09 * unit)
    canvas.circle(points[-1], 0.055 * unit, (250, 244, 232))


def _draw_hexagon(canvas: Canvas, centre: Point, radius: float, age: float) -> None:
    """Draw the reflector."""
    size = radius * (1.0 + 0.12 * math.sin(age * 1.3))
    corners = [
        (
            centre[0] + size * math.cos(math.radians(60 * k + 30)),
            centre[1] + size * math.sin(math.radians(60 * k + 30)),
        )
        for k in range(7)
    ]
    canvas.polygon(corners, (90, 170, 255, 70))
    canvas.line(corners, (130, 225, 255), 2.5)


def _draw_knockback(canvas: Canvas, view: View, fighter: Frames, look: Look) -> None:
    """Draw a fading streak behind a fighter that flies."""
    dx, dy = float(fighter["knockback_x"]), float(fighter["knockback_y"])
    if fighter["hitstun"] <= 0 or fighter["hitlag"] > 0 or math.hypot(dx, dy) < 0.8:
        return
    x, y = float(fighter["x"]), float(fighter["y"]) + look.height * 0.4
    for step in range(5, 0, -1):
        at = view.place(x - dx * step * 1.3, y - dy * step * 1.3)
        canvas.circle(at, (0.34 - 0.045 * step) * look.height * view.scale, (255, 250, 220, 90 - 15 * step))


def _is_outside(canvas: Canvas, at: Point) -> bool:
    return not (0 <= at[0] < canvas.width and 0 <= at[1] < canvas.height)


def _draw_arrow(canvas: Canvas, target: Point, colour: Colour) -> None:
    """Draw a marker at the border of the picture, towards a fighter outside it."""
    x = min(max(target[0], 18.0), canvas.width - 18.0)
    y = min(max(target[1], 18.0), canvas.height - 18.0)
    angle = math.atan2(target[1] - y, target[0] - x)
    tip = (x + 14 * math.cos(angle), y + 14 * math.sin(angle))
    wings = [(x + 8 * math.cos(angle + turn), y + 8 * math.sin(angle + turn)) for turn in (2.2, -2.2)]
    canvas.polygon([tip, *wings], colour)


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first[:3], second[:3], strict=True))
    return red, green, blue
