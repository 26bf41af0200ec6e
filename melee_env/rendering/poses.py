"""How a puppet stands in each action state: a torso, a head, two arms and two legs as angles.

Angles are in degrees for a fighter that faces right: 0 forward, 90 up, -90 down, 180 backward. A pose is a
drawing, not the game's skeleton; hit and hurt volumes are the engine's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

Limb = tuple[float, float]
"""angle of the upper part (from shoulder or hip) and of the lower part (from elbow or knee)"""


@dataclass(frozen=True)
class Pose:
    """Joint angles; lengths are shares of the fighter's height."""

    hip: tuple[float, float] = (0.0, 0.42)
    """position of the hip over the fighter's origin"""
    torso: float = 84.0
    near_arm: Limb = (-60.0, 15.0)
    far_arm: Limb = (-105.0, -20.0)
    near_leg: Limb = (-65.0, -100.0)
    far_leg: Limb = (-100.0, -115.0)
    spin: float = 0.0
    """rotation of the whole body about the hip, counter-clockwise"""


STAND = Pose()
CROUCH = Pose((0.0, 0.24), 62.0, (-40.0, 20.0), (-80.0, -10.0), (-5.0, -125.0), (-35.0, -140.0))
AIR = Pose((0.0, 0.42), 80.0, (-15.0, 40.0), (-150.0, -190.0), (-30.0, -110.0), (-85.0, -150.0))
FALL = Pose((0.0, 0.42), 84.0, (25.0, 60.0), (140.0, 120.0), (-55.0, -95.0), (-105.0, -140.0))
LIE = Pose((0.0, 0.10), 172.0, (185.0, 180.0), (170.0, 200.0), (5.0, -20.0), (12.0, -5.0))
HANG = Pose((-0.12, -0.72), 84.0, (80.0, 78.0), (95.0, 88.0), (-80.0, -95.0), (-100.0, -105.0))
GUARD = Pose((0.0, 0.36), 78.0, (20.0, 85.0), (0.0, 70.0), (-45.0, -110.0), (-95.0, -130.0))
REACH = replace(STAND, torso=62.0, near_arm=(0.0, 5.0), far_arm=(-12.0, 0.0))
TUCK = Pose((0.0, 0.30), 40.0, (-60.0, -20.0), (-70.0, -30.0), (-10.0, -150.0), (-25.0, -160.0))
RECOIL = Pose((0.0, 0.40), 112.0, (35.0, 10.0), (70.0, 40.0), (-50.0, -80.0), (-85.0, -95.0))
TUMBLE = Pose((0.0, 0.42), 95.0, (60.0, 90.0), (130.0, 150.0), (-40.0, -70.0), (-120.0, -150.0))
DIVE = Pose((0.0, 0.40), 8.0, (5.0, 5.0), (-8.0, 0.0), (178.0, 180.0), (186.0, 182.0))

JAB = replace(STAND, torso=70.0, near_arm=(2.0, 0.0))
TILT = replace(STAND, torso=108.0, near_leg=(4.0, 2.0), far_arm=(150.0, 110.0))
UP_TILT = replace(STAND, torso=70.0, far_leg=(140.0, 105.0), near_arm=(-60.0, -40.0))
DOWN_TILT = replace(CROUCH, near_leg=(-4.0, -4.0), torso=95.0)
SMASH = replace(STAND, hip=(0.14, 0.40), torso=128.0, near_leg=(8.0, 4.0), far_arm=(170.0, 150.0))
UP_SMASH = Pose((0.0, 0.46), 60.0, (-40.0, -20.0), (-100.0, -80.0), (95.0, 85.0), (-95.0, -100.0))
DOWN_SMASH = Pose((0.0, 0.20), 88.0, (40.0, 30.0), (140.0, 150.0), (-8.0, -4.0), (188.0, 184.0))
NAIR = Pose((0.0, 0.42), 98.0, (60.0, 40.0), (150.0, 170.0), (0.0, -2.0), (-120.0, -200.0))
FAIR = Pose((0.0, 0.42), 70.0, (0.0, 10.0), (140.0, 120.0), (10.0, 0.0), (-60.0, -110.0))
BAIR = Pose((0.0, 0.44), 35.0, (-20.0, 20.0), (-60.0, -30.0), (182.0, 178.0), (-70.0, -130.0))
UAIR = Pose((0.0, 0.40), 150.0, (170.0, 150.0), (200.0, 210.0), (80.0, 86.0), (40.0, 60.0))
DAIR = Pose((0.0, 0.46), 88.0, (50.0, 70.0), (130.0, 110.0), (-86.0, -90.0), (-70.0, -120.0))

Animation = Callable[[float], Pose]
"""Pose at an animation frame."""


def _held(pose: Pose) -> Animation:
    return lambda age: pose


def _idle(age: float) -> Pose:
    sway = 0.012 * math.sin(age * 0.2)
    return replace(STAND, hip=(0.0, 0.42 + sway), near_arm=(-60.0 + 200 * sway, 15.0))


def _stride(lean: float, reach: float, period: float) -> Animation:
    """Legs and arms swing against each other."""

    def pose(age: float) -> Pose:
        swing = reach * math.sin(2 * math.pi * age / period)
        return Pose(
            (0.0, 0.40),
            lean,
            (-90.0 - swing, -40.0 - swing),
            (-90.0 + swing, -40.0 + swing),
            (-85.0 + swing, -100.0 + swing - abs(reach) * 0.5),
            (-85.0 - swing, -100.0 - swing - abs(reach) * 0.5),
        )

    return pose


def _strike(out: Pose, rest: Pose, peak: float = 7.0) -> Animation:
    """Goes from ``rest`` to ``out`` until frame ``peak`` and returns slowly."""

    def pose(age: float) -> Pose:
        share = min(1.0, max(age, 0.0) / peak) ** 2 if age < peak else max(0.0, 1.0 - (age - peak) / 18.0)
        return blend(rest, out, share)

    return pose


def _spinning(pose: Pose, degrees: float) -> Animation:
    return lambda age: replace(pose, spin=age * degrees)


def blend(first: Pose, second: Pose, share: float) -> Pose:
    """Return the pose that is ``share`` (0..1) of the way from ``first`` to ``second``."""

    def mix(a: float, b: float) -> float:
        return a + (b - a) * share

    def limb(a: Limb, b: Limb) -> Limb:
        return mix(a[0], b[0]), mix(a[1], b[1])

    return Pose(
        limb(first.hip, second.hip),
        mix(first.torso, second.torso),
        limb(first.near_arm, second.near_arm),
        limb(first.far_arm, second.far_arm),
        limb(first.near_leg, second.near_leg),
        limb(first.far_leg, second.far_leg),
        mix(first.spin, second.spin),
    )


ANIMATIONS: tuple[tuple[int, int, Animation], ...] = (
    (12, 13, _idle),
    (14, 14, _idle),
    (15, 17, _stride(80.0, 22.0, 30.0)),
    (18, 18, _held(STAND)),
    (19, 19, _held(replace(STAND, torso=105.0))),
    (20, 22, _stride(58.0, 50.0, 16.0)),
    (23, 23, _held(replace(CROUCH, hip=(0.0, 0.34), torso=100.0))),
    (24, 24, _held(CROUCH)),
    (25, 26, _held(AIR)),
    (27, 28, _spinning(TUCK, -24.0)),
    (29, 34, _held(FALL)),
    (35, 37, _held(replace(FALL, torso=95.0, near_arm=(70.0, 80.0), far_arm=(110.0, 100.0)))),
    (38, 38, _spinning(TUMBLE, 6.0)),
    (39, 43, _held(CROUCH)),
    (44, 49, _strike(JAB, STAND, 3.0)),
    (50, 50, _strike(FAIR, STAND, 6.0)),
    (51, 55, _strike(TILT, STAND)),
    (56, 56, _strike(UP_TILT, STAND)),
    (57, 57, _strike(DOWN_TILT, CROUCH)),
    (58, 62, _strike(SMASH, CROUCH, 13.0)),
    (63, 63, _strike(UP_SMASH, CROUCH)),
    (64, 64, _strike(DOWN_SMASH, CROUCH)),
    (65, 65, _strike(NAIR, AIR, 4.0)),
    (66, 66, _strike(FAIR, AIR)),
    (67, 67, _strike(BAIR, AIR, 5.0)),
    (68, 68, _strike(UAIR, AIR)),
    (69, 69, _spinning(DAIR, 0.0)),
    (70, 74, _held(CROUCH)),
    (75, 86, _held(RECOIL)),
    (87, 91, _spinning(TUMBLE, 14.0)),
    (178, 182, _held(GUARD)),
    (183, 198, _held(LIE)),
    (199, 204, _spinning(TUCK, -20.0)),
    (205, 211, _held(RECOIL)),
    (212, 218, _held(REACH)),
    (219, 222, _strike(SMASH, REACH)),
    (223, 232, _held(RECOIL)),
    (233, 234, _spinning(TUCK, -22.0)),
    (235, 235, _held(replace(STAND, torso=108.0))),
    (236, 236, _held(TUCK)),
    (239, 243, _held(TUMBLE)),
    (244, 246, _held(replace(STAND, torso=70.0))),
    (252, 253, _held(HANG)),
    (254, 263, _held(CROUCH)),
    (264, 265, _held(replace(STAND, near_arm=(70.0, 60.0)))),
    (341, 346, _held(replace(STAND, near_arm=(0.0, 0.0)))),
    (347, 352, _held(DIVE)),
    (353, 359, _held(DIVE)),
    (360, 369, _held(replace(STAND, near_arm=(-20.0, 60.0), far_arm=(-160.0, -220.0)))),
)
"""First state, last state and how they move."""


def pose_of(action: int, age: float) -> Pose:
    """Return the pose of an action state at an animation frame; unknown states stand."""
    for first, last, animation in ANIMATIONS:
        if first <= action <= last:
            return animation(age)
    return STAND


def joints(pose: Pose, height: float) -> dict[str, list[tuple[float, float]]]:
    """Return polylines in units of ``height``'s unit, origin at the fighter's position, facing right.

    Returns:
        ``torso`` (hip, neck), ``head`` (middle, tip of the chin's direction), ``near_arm``, ``far_arm`` (shoulder,
        elbow, hand), ``near_leg``, ``far_leg`` (hip, knee, foot).
    """
    hip = pose.hip

    def reach(start: tuple[float, float], angle: float, length: float) -> tuple[float, float]:
        radians = math.radians(angle)
        return start[0] + math.cos(radians) * length, start[1] + math.sin(radians) * length

    neck = reach(hip, pose.torso, 0.27)
    lines = {
        "torso": [hip, neck],
        "head": [reach(neck, pose.torso, 0.15), reach(neck, pose.torso - 90.0, 0.2)],
    }
    for name, root, length in (
        ("near_arm", neck, 0.16),
        ("far_arm", neck, 0.16),
        ("near_leg", hip, 0.21),
        ("far_leg", hip, 0.21),
    ):
        limb: Limb = getattr(pose, name)
        middle = reach(root, limb[0], length)
        lines[name] = [root, middle, reach(middle, limb[1], length)]
    turn = math.radians(pose.spin)
    cos, sin = math.cos(turn), math.sin(turn)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x, y = point[0] - hip[0], point[1] - hip[1]
        return (hip[0] + x * cos - y * sin) * height, (hip[1] + x * sin + y * cos) * height

    return {name: [place(point) for point in points] for name, points in lines.items()}
