"""What stands beside the fight: timer, a map with the blast zone, and a card per player with its inputs."""

from __future__ import annotations

from functools import lru_cache

from melee_env.controller import Button
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.ids import Action, character_from_internal
from melee_env.rendering.canvas import Canvas, Colour, Point
from melee_env.rendering.fighter import LAST_DEAD_STATE, PORT_COLOURS
from melee_env.rendering.stages import StagePicture

CARD_HEIGHT = 74.0
FRAMES_PER_SECOND = 60
_PANEL: Colour = (10, 12, 24, 190)
_WHITE: Colour = (238, 240, 248)
_YELLOW: Colour = (245, 205, 80)
_GREY: Colour = (150, 156, 178)
_BUTTONS: tuple[tuple[str, int, Colour, Point, float], ...] = (
    # name, mask, colour, offset in the pad, radius
    ("A", Button.A, (90, 214, 130), (0.0, 2.0), 7.0),
    ("B", Button.B, (236, 84, 84), (-12.0, 10.0), 4.5),
    ("X", Button.X, (200, 206, 220), (12.0, -1.0), 4.5),
    ("Y", Button.Y, (200, 206, 220), (-3.0, -11.0), 4.5),
    ("Z", Button.Z, (170, 120, 235), (11.0, -14.0), 3.5),
)


def draw_hud(canvas: Canvas, frame: Frames, picture: StagePicture) -> None:
    """Draw everything that is not in the world."""
    _draw_clock(canvas, int(frame["frame"]), int(frame["end_method"]), picture.name)
    _draw_map(canvas, frame, picture)
    width = min(300.0, canvas.width / 2 - 12)
    for seat in range(2):
        left = 8.0 if seat == 0 else canvas.width - width - 8.0
        _draw_card(canvas, frame["seats"][seat], left, canvas.height - CARD_HEIGHT - 8.0, width)


def _draw_clock(canvas: Canvas, number: int, end_method: int, stage: str) -> None:
    seconds = max(number, 0) / FRAMES_PER_SECOND
    text = f"{int(seconds // 60)}:{seconds % 60:05.2f}" if number >= 0 else "Ready"
    if end_method:
        text = {1: "Time", 2: "Game"}.get(end_method, "No contest") + f"  {text}"
    canvas.text(text, (canvas.width / 2, 10), 28, _WHITE, 0.5)
    canvas.text(stage, (12, 12), 18, _WHITE)
    canvas.text(f"frame {number}", (12, 28), 15, _GREY)


def _draw_map(canvas: Canvas, frame: Frames, picture: StagePicture) -> None:
    """Draw the blast zone as a small map in the top right corner."""
    width = 108.0
    scale = width / (picture.right - picture.left)
    height = (picture.top - picture.bottom) * scale
    left, top = canvas.width - width - 10, 10.0
    canvas.box(left, top, width, height, _PANEL, 3)

    def place(x: float, y: float) -> Point:
        return left + (x - picture.left) * scale, top + (picture.top - y) * scale

    corners = [
        (left, top),
        (left + width, top),
        (left + width, top + height),
        (left, top + height),
        (left, top),
    ]
    canvas.line(corners, (225, 90, 100), 1)
    canvas.line([place(x, y) for x, y in picture.outline[: picture.tops]], picture.edge, 1.5)
    for start, end, y in picture.platforms:
        canvas.line([place(start, y), place(end, y)], picture.edge, 1)
    for seat in frame["seats"]:
        fighter = seat["leader"]
        if fighter["present"] and fighter["action"] > LAST_DEAD_STATE:
            x = min(max(float(fighter["x"]), picture.left), picture.right)
            y = min(max(float(fighter["y"]), picture.bottom), picture.top)
            canvas.circle(place(x, y), 2.5, _port_colour(seat))


def _draw_card(canvas: Canvas, seat: Frames, left: float, top: float, width: float) -> None:
    fighter, colour = seat["leader"], _port_colour(seat)
    canvas.box(left, top, width, CARD_HEIGHT, _PANEL, 6)
    canvas.box(left, top, 4, CARD_HEIGHT, colour, 2)
    canvas.text(
        f"P{int(seat['port']) + 1}  {character_name(int(fighter['character']))}",
        (left + 12, top + 7),
        17,
        colour,
    )
    percent = float(fighter["percent"])
    canvas.text(f"{percent:.0f}%", (left + 12, top + 22), 38 if width > 260 else 31, _percent_colour(percent))
    stocks = int(fighter["stocks"])
    for number in range(min(stocks, 6)):
        canvas.circle((left + 17 + 13 * number, top + 57), 4.5, colour)
    if stocks > 6:
        canvas.text(f"x{stocks}", (left + 12 + 13 * 6, top + 51), 17, colour)
    label = f"{state_name(int(fighter['character']), int(fighter['action']))} {float(fighter['action_frame']):.0f}"
    canvas.text(label, (left + width - 8, top + 59), 15, _GREY, 1.0)
    _draw_controller(canvas, fighter["controller"], left + width - 148, top + 30)


def _draw_controller(canvas: Canvas, controller: Frames, x: float, y: float) -> None:
    """Draw sticks, buttons and triggers; ``x, y`` is the middle of the main stick."""
    _draw_stick(canvas, (x, y), float(controller["stick_x"]), float(controller["stick_y"]), 18.0, _WHITE)
    _draw_stick(
        canvas, (x + 46, y + 4), float(controller["cstick_x"]), float(controller["cstick_y"]), 13.0, _YELLOW
    )
    mask = int(controller["buttons"])
    for name, bit, colour, (dx, dy), radius in _BUTTONS:
        at = (x + 90 + dx, y + dy)
        if mask & bit:
            canvas.circle(at, radius, colour)
            canvas.text(name, (at[0], at[1] - 5), 14, (10, 12, 20), 0.5)
        else:
            canvas.circle(at, radius, (*colour[:3], 120), 1)
    for index, (name, bit, analog) in enumerate((("L", Button.L, "trigger_l"), ("R", Button.R, "trigger_r"))):
        pull = 1.0 if mask & bit else float(controller[analog])
        left = x + 116 + 11 * index
        canvas.box(left, y - 15, 7, 28, (60, 66, 88), 2)
        if pull > 0:
            canvas.box(left, y + 13 - 28 * pull, 7, 28 * pull, (120, 200, 255), 2)
        canvas.text(name, (left + 3.5, y - 26), 13, _GREY, 0.5)


def _draw_stick(canvas: Canvas, centre: Point, sx: float, sy: float, radius: float, colour: Colour) -> None:
    canvas.circle(centre, radius, (70, 76, 100), 1.2)
    tip = (centre[0] + sx * radius, centre[1] - sy * radius)
    canvas.line([centre, tip], colour, 1.5)
    canvas.circle(tip, radius * 0.3, colour)


def _port_colour(seat: Frames) -> Colour:
    return PORT_COLOURS[int(seat["port"]) % len(PORT_COLOURS)]


def _percent_colour(percent: float) -> Colour:
    heat = min(percent / 150.0, 1.0)
    return round(245 - 45 * max(heat - 0.5, 0)), round(245 - 190 * heat), round(245 - 190 * heat)


def character_name(internal: int) -> str:
    """Return a fighter's name as a player writes it."""
    try:
        return character_from_internal(internal).name.replace("_", " ").title()
    except OptionError:
        return f"Fighter {internal}"


@lru_cache(maxsize=2048)
def state_name(character: int, action: int) -> str:
    """Return the name of an action state; states from 341 on belong to the fighter."""
    if action < len(Action):
        return Action(action).name
    try:
        from melee_env.engine.states import STATE_NAMES

        return str(STATE_NAMES[character, action]) or f"State {action}"
    except (ImportError, IndexError):
        return f"State {action}"
