"""What the six stages look like: outline of the body, platforms, blast zone.

These are for drawing and rounded to a tenth of a unit; the engine has its own exact lines. Source: the stages'
collision lines as listed by blasphemetheus/exphil (priv/stage_collision), blast zones from libmelee.
"""

from __future__ import annotations

from dataclasses import dataclass

from melee_env.rendering.canvas import Colour, Point

Platform = tuple[float, float, float]
"""left, right, height in game units"""


@dataclass(frozen=True)
class StagePicture:
    """One stage in game units."""

    name: str
    outline: tuple[Point, ...]
    """the body, its walkable top first"""
    tops: int
    """how many points of the outline belong to the top"""
    platforms: tuple[Platform, ...]
    left: float
    right: float
    top: float
    bottom: float
    sky: tuple[Colour, Colour] = ((17, 22, 48), (52, 38, 86))
    """background at the top and at the bottom"""
    body: Colour = (44, 50, 78)
    edge: Colour = (150, 190, 255)


def _mirrored(right_half: tuple[Point, ...]) -> tuple[Point, ...]:
    """Complete an outline from its right half, top to bottom, to a closed one that starts at the left ledge."""
    return tuple((-x, y) for x, y in reversed(right_half)) + right_half


def _symmetric(top: tuple[Point, ...], side: tuple[Point, ...]) -> tuple[tuple[Point, ...], int]:
    """Return the outline from the right half of its top (middle to ledge) and of its side (ledge to bottom)."""
    whole_top = _mirrored(top)
    return whole_top + side + tuple((-x, y) for x, y in reversed(side)), len(whole_top)


_FD, _FD_TOPS = _symmetric(
    ((85.6, 0.0),), ((85.6, -10.5), (65.8, -20.5), (65.8, -31.3), (61.4, -47.4), (53.8, -54.3), (47.5, -55.4))
)
_BF, _BF_TOPS = _symmetric(
    ((68.4, 0.0),), ((65.0, -6.0), (35.6, -18.0), (38.0, -21.2), (30.4, -28.8), (29.2, -34.8), (10.4, -40.0))
)
_DL, _DL_TOPS = _symmetric(((77.3, 0.0),), ((76.3, -11.0), (65.8, -35.8)))
_PS, _PS_TOPS = _symmetric(
    ((87.8, 0.0),), ((87.8, -4.0), (73.8, -15.0), (73.8, -17.5), (60.0, -17.5), (60.0, -38.0), (15.0, -60.0))
)
_FOD, _FOD_TOPS = _symmetric(
    ((51.3, 0.0), (53.6, 0.6), (63.3, 0.6)),
    ((63.3, -4.4), (56.9, -19.6), (51.9, -32.2), (41.2, -41.9), (18.9, -48.7), (10.2, -62.0), (8.4, -150.0)),
)
_YS, _YS_TOPS = _symmetric(
    ((39.2, 0.0), (56.0, -3.5)), ((56.0, -6.7), (52.7, -12.3), (52.7, -27.0), (53.7, -47.3), (53.7, -136.0))
)

STAGE_PICTURES: dict[int, StagePicture] = {
    2: StagePicture("Fountain of Dreams", _FOD, _FOD_TOPS, ((-14.3, 14.3, 42.8),), -198.8, 198.8, 202.5, -146.3,
                    sky=((18, 16, 56), (84, 44, 110)), body=(58, 48, 92), edge=(214, 170, 255)),
    3: StagePicture("Pokémon Stadium", _PS, _PS_TOPS, ((-55.0, -25.0, 25.0), (25.0, 55.0, 25.0)),
                    -230.0, 230.0, 180.0, -111.0, sky=((14, 36, 44), (34, 76, 78)), body=(44, 66, 66),
                    edge=(150, 235, 200)),
    8: StagePicture("Yoshi's Story", _YS, _YS_TOPS,
                    ((-59.5, -28.0, 23.5), (28.0, 59.5, 23.5), (-15.8, 15.8, 42.0)),
                    -175.7, 173.6, 168.0, -91.0, sky=((40, 70, 110), (110, 130, 130)), body=(70, 62, 56),
                    edge=(220, 214, 140)),
    28: StagePicture("Dream Land", _DL, _DL_TOPS,
                     ((-61.4, -31.7, 30.1), (31.7, 63.1, 30.2), (-19.0, 19.0, 51.4)),
                     -255.0, 255.0, 250.0, -123.0, sky=((30, 62, 92), (74, 118, 112)), body=(52, 72, 52),
                     edge=(160, 230, 140)),
    31: StagePicture("Battlefield", _BF, _BF_TOPS,
                     ((-57.6, -20.0, 27.2), (20.0, 57.6, 27.2), (-18.8, 18.8, 54.4)),
                     -224.0, 224.0, 200.0, -108.8, sky=((26, 24, 54), (96, 58, 70)), body=(60, 54, 66),
                     edge=(255, 206, 150)),
    32: StagePicture("Final Destination", _FD, _FD_TOPS, (), -246.0, 246.0, 188.0, -140.0),
}  # fmt: skip
"""Pictures by external stage id."""

_UNKNOWN = StagePicture("unknown stage", (), 0, (), -230.0, 230.0, 190.0, -120.0)


def stage_picture(stage: int) -> StagePicture:
    """Return the picture of an external stage id; an unknown stage is an empty sky with a usual blast zone."""
    return STAGE_PICTURES.get(stage, _UNKNOWN)
