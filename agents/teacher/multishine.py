"""The multishine teachers: Fox shines, jumps out, shines on the first airborne frame, lands.

The loop in the recordings, by action state: ``24 24 24 365 365 365 366 361 361``, nine frames. The fast teacher
jumps out of the first frame on the ground, ``24 24 24 365 365 365 366 361``: eight frames, and no sequence of
inputs is faster (a test tries all of them). What decides it:

- Jump and special need a press *edge*. Edges are made by looking at the buttons that landed on the observed
  frame, never at a frame counter, which freezes in hitlag.
- Down-B does not cancel jump squat, so B is pressed when its last frame is observed and comes out on the first
  airborne frame; there it stops the rise at height 0 and Fox lands four frames later. One frame later is a
  22-frame float.
- The reflector on the ground can be jumped out of once its start (360) is over.

Everything the teacher knows is in the frame, so it labels any recorded or visited frame the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, AgentSpec
from melee_env.controller import Button, Controllers, make_controllers
from melee_env.errors import OptionError
from melee_env.frame import Frames
from melee_env.ids import Character

JUMP_SQUAT = 24
BLASTER_FIRST, BLASTER_LAST = 341, 346
"""Neutral special, ground and air; it fires for as long as B is tapped, so B must rest until it is over."""
REFLECTOR_GROUND_START, REFLECTOR_GROUND_LOOP, REFLECTOR_GROUND_TURN = 360, 361, 364
REFLECTOR_AIR_START, REFLECTOR_AIR_LOOP, REFLECTOR_AIR_TURN = 365, 366, 369
FIRST_CONTROLLABLE_STATE = 14
"""Below are death, rebirth and entry, which read no input (12, 13 are the platform after a death)."""

LAST_JUMP_SQUAT_FRAME = 2.0
"""Fox's jump squat has the animation frames 0, 1, 2."""
LAST_START_FRAME = 3.0
"""The reflector's start has the animation frames 1, 2, 3 on the ground and in the air."""
SHINE_HELD_ON_LANDING = 1.0
"""Animation frame of 361 after a landing on which the recorded player still waits; X follows on the next."""


class MultishineTeacher(Agent):
    """Fox's multishine, and the way back into it from any other state.

    Args:
        fast: loop in eight frames instead of the recordings' nine.
    """

    characters = (Character.FOX,)

    def __init__(self, fast: bool = False) -> None:
        self.fast = fast
        self.name = "teacher:multishine-fast" if fast else "teacher:multishine"

    def reset(self, num_envs: int, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, frames: Frames, episode_start: NDArray[np.bool_] | None = None) -> Controllers:
        """Return the teacher's controllers for frames ``[...]``, the teacher in ``seats[0]``."""
        me = frames["seats"][..., 0]["leader"]
        down, b, x = multishine_inputs(me, self.fast)
        buttons = np.where(b, Button.B, 0) | np.where(x, Button.X, 0)
        return make_controllers(stick_y=np.where(down, -1.0, 0.0), buttons=buttons)


def multishine_inputs(
    fighter: Frames, fast: bool = False
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Decide what to hold on the next frame.

    Args:
        fighter: ``[...]`` of ``FIGHTER_DTYPE``; its ``controller`` is the input that landed on this frame.
        fast: do not wait after a landing.

    Returns:
        ``(stick down, B, X)``, bool ``[...]`` each. The first rule that applies wins.
    """
    action, age = fighter["action"], fighter["action_frame"]
    landed = fighter["controller"]["buttons"]
    b_is_up, x_is_up = landed & Button.B == 0, landed & Button.X == 0
    yes, no = np.ones(action.shape, bool), np.zeros(action.shape, bool)

    blaster = (action >= BLASTER_FIRST) & (action <= BLASTER_LAST)
    jump_squat = action == JUMP_SQUAT
    ground_start = action == REFLECTOR_GROUND_START
    ground_shine = (action >= REFLECTOR_GROUND_START) & (action <= REFLECTOR_GROUND_TURN)
    just_landed = (action == REFLECTOR_GROUND_LOOP) & (age == SHINE_HELD_ON_LANDING) & (not fast)
    air_shine = (action >= REFLECTOR_AIR_START) & (action <= REFLECTOR_AIR_TURN)
    about_to_land = (action == REFLECTOR_AIR_START) | ((action == REFLECTOR_AIR_LOOP) & (age == 0))

    rules: list[tuple[NDArray[np.bool_], tuple[NDArray[np.bool_], ...]]] = [
        # condition                                          stick down, B, X
        ((action < FIRST_CONTROLLABLE_STATE) | blaster, (no, no, no)),
        (jump_squat & (age < LAST_JUMP_SQUAT_FRAME), (yes, no, no)),
        (jump_squat, (yes, b_is_up, no)),
        (ground_start & (age < LAST_START_FRAME), (yes, yes, no)),
        (just_landed, (yes, yes, no)),
        (ground_shine, (yes, x_is_up, x_is_up)),
        (air_shine & about_to_land, (yes, yes, no)),
        (air_shine, (no, no, no)),
        (yes, (yes, b_is_up, no)),
    ]
    conditions = [condition for condition, _ in rules]
    down, b, x = (np.select(conditions, [inputs[k] for _, inputs in rules]) for k in range(3))
    return down, b, x


def _spec(fast: bool, summary: str) -> AgentSpec:
    def make(**options: Any) -> Agent:
        if options:
            raise OptionError(f"{name} has no options, got {', '.join(options)}")
        return MultishineTeacher(fast)

    name = MultishineTeacher(fast).name
    return AgentSpec(name, summary, make=make)


SPEC = _spec(False, "closed-loop expert: Fox's multishine, nine frames a loop as in recordings")
FAST_SPEC = _spec(True, "closed-loop expert: Fox's fastest multishine, eight frames a loop")
