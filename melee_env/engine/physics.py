"""Step 4: own speed, knockback decay and the integration of the position.

Formulas and their order: doldecomp/melee ft/ftcommon.c and ft/fighter.c procUpdate, proven bit for bit on
recorded games. Every operation rounds to float32; nothing is fused.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine.characters import own_states
from melee_env.engine.damage import damage_physics
from melee_env.engine.death import rebirth_physics
from melee_env.engine.kernel import kernel
from melee_env.engine.knockback import decay_knockback
from melee_env.engine.ledge import hold_pose
from melee_env.engine.motion import (
    air_friction,
    air_step,
    fall,
    fast_fall_check,
    friction,
    ground_friction,
    ground_move,
    helpless_drift,
    root_motion,
    to_target,
)
from melee_env.engine.states import STATES, Physics
from melee_env.engine.tables import ATTRIBUTES, ROOT_DX, ROOT_DY, ROOT_SPAN

ZERO = np.float32(0)
ONE = np.float32(1)
WALK_TAPER = np.float32(0.5)  # x030
RUN_TAPER = np.float32(0.4)  # x05C
AIR_DODGE_DECAY = np.float32(0.9)  # x33C
WALL_HANG = 5  # x774, frames at the wall before the jump


@kernel
def walk(f):
    """Accelerate toward the walking speed that the stick asks for."""
    attributes = ATTRIBUTES[f.character]
    base = attributes.walk_accel_base
    acceleration = np.float32(f.stick_x * attributes.walk_accel_mul)
    acceleration = np.float32(acceleration + (base if f.stick_x > ZERO else -base))
    target = np.float32(f.stick_x * attributes.walk_max)
    if target != ZERO:
        ratio = np.float32(f.gv / target)
        if ratio > ZERO and ratio < ONE:
            acceleration = np.float32(acceleration * np.float32(np.float32(ONE - ratio) * WALK_TAPER))
    to_target(f, acceleration, target, attributes.ground_friction)
    ground_move(f)


@kernel
def run(f, taper):
    """Accelerate toward running speed; ``taper`` slows the approach (Run), a dash has none."""
    attributes = ATTRIBUTES[f.character]
    base = attributes.dash_run_accel_b
    acceleration = np.float32(f.stick_x * attributes.dash_run_accel_a)
    acceleration = np.float32(acceleration + (base if f.stick_x > ZERO else -base))
    target = np.float32(f.stick_x * attributes.run_max)
    if taper and target != ZERO:
        ratio = np.float32(f.gv / target)
        if ratio > ZERO and ratio < ONE:
            acceleration = np.float32(acceleration * np.float32(np.float32(ONE - ratio) * RUN_TAPER))
    to_target(f, acceleration, target, attributes.ground_friction)
    ground_move(f)


@kernel
def dash(f):
    """First frame: only the impulse; then like a run without taper."""
    if f.var_i[1] != 0:
        f.var_i[1] = 0
        f.ground_accel = ZERO
        ground_move(f)
    else:
        run(f, False)


@kernel
def turn_run(f):
    """Skid with friction until the speed has turned, then accelerate the new way."""
    attributes = ATTRIBUTES[f.character]
    base = attributes.dash_run_accel_b
    acceleration = np.float32(f.stick_x * attributes.dash_run_accel_a)
    acceleration = np.float32(acceleration + (base if f.stick_x > ZERO else -base))
    target = np.float32(f.stick_x * attributes.run_max)
    if target == ZERO or acceleration * f.var_f[0] > ZERO:
        ground_friction(f, attributes.ground_friction)
    else:
        to_target(f, acceleration, target, attributes.ground_friction)
    ground_move(f)


@kernel
def jump(f):
    """Like :func:`air_step`, but nothing happens on a jump's first frame."""
    if f.var_i[0] == 0:
        f.var_i[0] = 1
    else:
        air_step(f)


@kernel
def fall_special(f):
    """Helpless fall; ``var_f[0]`` is the share of the drift speed that is left, ``var_i[1]`` forces fast fall."""
    attributes = ATTRIBUTES[f.character]
    fast_fall_check(f)
    if f.fast_fall != 0:
        f.vy = np.float32(-attributes.fast_fall_vel)
    elif f.var_i[1] != 0:
        fall(f, attributes.gravity, attributes.fast_fall_vel)
    else:
        fall(f, attributes.gravity, attributes.terminal_vel)
    helpless_drift(f, f.var_f[0])


@kernel
def air_dodge(f):
    """Keep 0.9 of the speed each frame while intangible and before, then fall normally."""
    if f.age <= STATES[f.character, f.action].intangible_to:
        f.vx = np.float32(f.vx * AIR_DODGE_DECAY)
        f.vy = np.float32(f.vy * AIR_DODGE_DECAY)
    else:
        air_step(f)


@kernel
def ledge_option(g, f):
    """Follow the animation up and over the ledge, which moves the place without a speed, then along the floor."""
    row, count = ROOT_SPAN[f.character, f.action]
    index = int(f.age)
    if hold_pose(g, f):
        return
    if f.airborne == 0:
        root_motion(f)
        return
    f.vx = ZERO
    f.vy = ZERO
    if index < count:
        f.x = np.float32(f.x + np.float32(ROOT_DX[row + index] * f.facing))
        f.y = np.float32(f.y + ROOT_DY[row + index])


@kernel
def wall_tech(f):
    """Hang at the wall for a moment, then push off (PassiveWall falls, PassiveWallJump jumps)."""
    if f.var_i[0] < WALL_HANG:
        f.var_i[0] += 1
        f.vx = ZERO
        f.vy = ZERO
        if f.var_i[0] == WALL_HANG and f.action == 203:
            attributes = ATTRIBUTES[f.character]
            f.vx = np.float32(f.facing * attributes.wall_jump_vx)
            f.vy = attributes.wall_jump_vy
    else:
        attributes = ATTRIBUTES[f.character]
        air_friction(f, attributes.air_friction)
        fast_fall_check(f)
        if f.fast_fall != 0:
            f.vy = np.float32(-attributes.fast_fall_vel)
        else:
            fall(f, attributes.gravity, attributes.terminal_vel)


@kernel
def accelerate(g, f):
    """Run the state's physics callback."""
    kind = STATES[f.character, f.action].physics
    if kind == Physics.AIR:
        air_step(f)
    elif kind == Physics.FRICTION:
        friction(f)
    elif kind == Physics.JUMP:
        jump(f)
    elif kind == Physics.WALK:
        walk(f)
    elif kind == Physics.DASH:
        dash(f)
    elif kind == Physics.RUN:
        run(f, True)
    elif kind == Physics.RUN_BRAKE:
        ground_friction(f, ATTRIBUTES[f.character].ground_friction)
        ground_move(f)
    elif kind == Physics.TURN_RUN:
        turn_run(f)
    elif kind == Physics.ROOT:
        root_motion(f)
    elif kind == Physics.FALL_SPECIAL:
        fall_special(f)
    elif kind == Physics.ESCAPE_AIR:
        air_dodge(f)
    elif kind == Physics.DAMAGE:
        if not damage_physics(f):
            air_step(f)
    elif kind == Physics.CLIFF_OPTION:
        ledge_option(g, f)
    elif kind == Physics.CLIFF:
        hold_pose(g, f)
    elif kind == Physics.PASSIVE_WALL:
        wall_tech(f)
    elif kind == Physics.REBIRTH:
        rebirth_physics(f)
    elif kind == Physics.AUTO:
        if f.airborne != 0:
            air_step(f)
        else:
            root_motion(f)
    elif kind >= Physics.ILLUSION_START:
        own_states.own_physics(g, f, kind)


@kernel
def integrate(f):
    """Knockback decay, then speeds and position, in the game's order."""
    decay_knockback(f)
    f.gv = np.float32(f.gv + np.float32(f.ground_accel + f.ground_impulse))
    f.ground_accel = ZERO
    f.ground_impulse = ZERO
    f.vx = np.float32(f.vx + f.accel_x)
    f.vy = np.float32(f.vy + f.accel_y)
    f.accel_x = ZERO
    f.accel_y = ZERO
    f.x = np.float32(f.x + f.nudge)
    f.x = np.float32(f.x + f.vx)
    f.y = np.float32(f.y + f.vy)
    f.x = np.float32(f.x + f.kx)
    f.y = np.float32(f.y + f.ky)
    f.x = np.float32(f.x + f.push_x)
    f.y = np.float32(f.y + f.push_y)
