"""Putting a recorded frame into an engine state, for checking the engine against recorded games.

Slippi records most of what decides the next frame; what it does not (input timers, ECB, counters of the
running state) goes on from the engine's own simulation as long as that agreed with the record.
"""

from __future__ import annotations

import numpy as np

from melee_env.engine import moves, states
from melee_env.engine.characters.endings import partner, resume_ending
from melee_env.engine.collision import (
    AERIAL_LANDING,
    AERIALS,
    FALL_SPECIAL,
    LANDING_SPECIAL,
    aerial_lag,
    special_lag,
)
from melee_env.engine.combos import correct_combo
from melee_env.engine.death import REBIRTH
from melee_env.engine.downed import LIE_FRAMES, PASSIVE_CEILING, PASSIVE_WALL
from melee_env.engine.floors import beside_wall, floor_height
from melee_env.engine.grabs import (
    DAMAGE_LOW,
    PULLED_HIGH,
    PULLED_LOW,
    THROW_F,
    THROW_LW,
    hold_time,
    learn_hold,
    learn_release,
)
from melee_env.engine.hits import INVINCIBLE, VULNERABLE, hurt_status
from melee_env.engine.kernel import entry_point, kernel
from melee_env.engine.ledge import CLIFF_WAIT, HANG_TIME
from melee_env.engine.scenery import BLOW_FRAMES, DREAM_LAND, FOUNTAIN, WIND_SPEED, place_part
from melee_env.engine.shield import TILT_X, TILT_Y
from melee_env.engine.stages import FLOOR, STAGE_LINE_COUNT, STAGE_LINES
from melee_env.engine.staling import stale_factor
from melee_env.engine.state import LONG_AGO, NO_LINE
from melee_env.engine.states import FIRST_OWN_STATE, NUM_CHARACTERS, NUM_STATES
from melee_env.engine.sync_contacts import blocked_damage, correct_hits, infer_hitlag, learn_block
from melee_env.engine.tables import ATTRIBUTES
from melee_env.engine.transitions import enter, enter_squeezed

NO_GROUND = 65535
CANCELLED = 1
"""recorded value of an L-cancel that succeeded"""
MAX_RATE = np.float32(10)
"""fastest animation that a recorded age is taken for; anything beyond is a jump of the animation"""
VELOCITIES, HITLAG, HURTBOX, INSTANCE = 0, 1, 2, 3
"""places in ``recorded``: which fields the recording's version holds"""
ONE = np.float32(1)
ZERO = np.float32(0)
NOISE = np.float32(2e-4)
"""game units by which summed positions differ from a speed through rounding alone"""
ROUGHLY = np.float32(1e-3)
"""game units a frame by which an inferred speed may differ from the one that it stands for"""
FASTEST = np.float32(12)
"""game units a frame; anything beyond is no movement but a new place"""
FIRST_DAMAGE, LAST_DAMAGE = 75, 91
TOLD, INFERRED = 1, 2
"""values of a game's ``told``: the recording tells what moves on the stage, or only the fighters show it"""
SNAP = np.float32(0.0001)
HIGHEST_LIFT = np.float32(0.6)
"""game units; in the games fitted on, larger lifts cost more landings than they mend"""
FASTEST_PART = np.float32(0.2)


@kernel
def guess_counters(f, record, lag):
    """Set the counters of a state that the engine did not enter by itself; ``lag`` is that of a helpless landing."""
    for i in range(8):
        f.var_i[i] = 0
    f.var_f[0] = ONE
    if f.action == moves.JUMP_F or f.action == moves.JUMP_B or f.action == 261 or f.action == 263:
        f.var_i[0] = 1
        f.tilt_y = LONG_AGO
    elif f.action == moves.TURN:
        f.var_f[0] = np.float32(-record.facing)
        f.var_f[1] = max(
            np.float32(0),
            np.float32(ATTRIBUTES[f.character].standing_turn_frames + ONE - record.action_frame),
        )
    elif f.action == moves.KNEE_BEND:
        f.var_i[1] = 2
    elif f.action == moves.TURN_RUN:
        f.var_f[0] = record.facing
    elif f.action == moves.PASS:
        f.tilt_y = LONG_AGO
    elif f.action >= AERIAL_LANDING and f.action < AERIAL_LANDING + AERIALS:
        enter_squeezed(f, f.action, aerial_lag(f, f.action - AERIAL_LANDING, record.l_cancel == CANCELLED))
    elif f.action == LANDING_SPECIAL:
        enter_squeezed(f, f.action, lag)
    elif (states.STATES[f.character, f.action].flags & states.GUARD) != 0:
        f.var_f[TILT_X] = ZERO
        f.var_f[TILT_Y] = ZERO
    elif f.action >= PULLED_HIGH and f.action <= DAMAGE_LOW:
        f.var_f[0] = ZERO
        f.var_f[1] = ZERO
        f.var_f[2] = ZERO
        if f.action == PULLED_LOW or f.action == PULLED_HIGH:
            f.grab_timer = hold_time(f)
    elif f.action >= THROW_F and f.action <= THROW_LW:
        f.stale_factor = stale_factor(f, f.attack_id)
    elif f.action == CLIFF_WAIT:
        f.var_i[0] = 1
        f.var_i[1] = HANG_TIME
    elif states.STATES[f.character, f.action].anim == states.Anim.DOWN_WAIT:
        f.var_i[0] = LIE_FRAMES
    if (states.STATES[f.character, f.action].flags & states.LEDGE_HELD) != 0:
        f.on_ledge = 1 if record.facing > 0 else 2


@kernel
def keep_counters(f):
    """Remember what this frame has of its state, for the case that the engine next sees a hit that is none."""
    for i in range(8):
        f.kept_i[i] = f.var_i[i]
    for i in range(6):
        f.kept_f[i] = f.var_f[i]
    f.kept_rate = f.rate


@kernel
def resume_counters(f):
    """Go on with a state that the engine left by a hit and the recording did not."""
    for i in range(8):
        f.var_i[i] = f.kept_i[i]
    for i in range(6):
        f.var_f[i] = f.kept_f[i]
    f.rate = f.kept_rate


@kernel
def feel_wind(g, missing):
    """Where the wind is not told, a fighter that the engine has wrong by the wind's speed shows a change of it."""
    if g.told != INFERRED or abs(np.float32(abs(missing) - WIND_SPEED)) > NOISE * 2:
        return False
    side = 1 if missing > ZERO else -1
    g.wind = 0 if g.wind == -side else side
    g.part_timer[0] = BLOW_FRAMES
    return True


@kernel
def tell_scenery(g, left, right, whispy):
    """Take over what a recording tells of the stage on the coming frame."""
    g.told = TOLD
    if g.stage == FOUNTAIN:
        place_part(g, 0, ZERO, left)
        place_part(g, 1, ZERO, right)
    elif g.stage == DREAM_LAND:
        g.wind = 0 if whispy == ZERO else (-1 if whispy == ONE else 1)


@kernel
def infer_scenery(g, leaders):
    """Where the stage is not told, riders show where a platform is and how it moves; a wind has its time."""
    if g.told != INFERRED:
        g.told = INFERRED
        g.part_timer[0] = 0
        g.part_timer[1] = 0
    if g.stage == DREAM_LAND and g.wind != 0:
        g.part_timer[0] -= 1
        if g.part_timer[0] <= 0:
            g.wind = 0
    elif g.stage == FOUNTAIN:
        for part in range(2):
            rate = g.part_dy[part]
            seen = False
            for seat in range(2):
                if leaders[seat].airborne == 0 and leaders[seat].ground == part:
                    height = np.float32(leaders[seat].y - SNAP)
                    rate = np.float32(height - g.part_goal[part])
                    if g.part_timer[part] == 0 or abs(rate) > FASTEST_PART:
                        rate = ZERO
                    g.part_goal[part] = height
                    g.part_y[part] = height
                    seen = True
            g.part_timer[part] = 1 if seen else 0
            place_part(g, part, ZERO, np.float32(g.part_y[part] + rate))


@kernel
def known_floor(g, line):
    """Tell whether a recorded line is a floor of the engine's stage; it shows which form the stage has."""
    if line >= STAGE_LINE_COUNT[g.slot] or STAGE_LINES[g.slot, line].kind != FLOOR:
        return False
    if STAGE_LINES[g.slot, line].form != 0:
        g.form = STAGE_LINES[g.slot, line].form
    return True


@kernel
def is_damage(action):
    """Tell whether a state is that of a fighter that was hit, flinching or flying."""
    return action >= FIRST_DAMAGE and action <= LAST_DAMAGE


@kernel
def is_walk(action):
    """Tell whether a state is a walk, whose rate follows the speed on every frame."""
    return action >= moves.WALK_SLOW and action < moves.WALK_SLOW + 3


@kernel
def infer_speeds(g, f, before, record, agreed):
    """Where speeds are not recorded, take them from how far the fighter moved against what the engine expected.

    Who lands hurt slides on with its knockback. A wall decides the place of who leans on it, which tells nothing of
    the speed.
    """
    moved_x = np.float32(np.float32(record.x - f.prev_x) - f.shift_x)
    moved_y = np.float32(np.float32(record.y - f.prev_y) - f.shift_y)
    if f.hitlag > 0 or f.on_ledge != 0 or max(abs(moved_x), abs(moved_y)) > FASTEST:
        return
    airborne = record.airborne != 0
    flying = is_damage(record.action)
    if flying and airborne and record.hitstun > 0 and record.action_frame > ONE:
        # A launch starts from rest, and its animation counts the frames in which gravity worked.
        attributes = ATTRIBUTES[f.character]
        if record.action != LAST_DAMAGE:  # the roll goes on from another flight
            fallen = np.float32(attributes.gravity * np.float32(record.action_frame - ONE))
            f.vy = np.float32(-min(fallen, attributes.terminal_vel))
        f.vx = ZERO
        f.kx = moved_x
        f.ky = np.float32(moved_y - f.vy)
        return
    if agreed and (f.airborne != 0) == airborne:
        missing_x = np.float32(record.x - f.x)
        missing_y = np.float32(record.y - f.y)
    else:
        missing_x = np.float32(np.float32(moved_x - f.vx) - f.kx)
        missing_y = np.float32(np.float32(moved_y - f.vy) - f.ky)
    if abs(missing_x) < NOISE or beside_wall(g, record.x, record.y, f.ecb_half):
        missing_x = ZERO
    if abs(missing_y) < NOISE:
        missing_y = ZERO
    knocked = flying or (states.STATES[f.character, int(record.action)].flags & states.DOWN) != 0
    if not airborne:
        if knocked or is_damage(before.action):
            f.ground_k = np.float32(f.ground_k + missing_x)
            f.kx = np.float32(f.kx + missing_x)
        else:
            f.gv = np.float32(f.gv + missing_x)
            f.vx = np.float32(f.vx + missing_x)
    elif knocked:
        f.kx = np.float32(f.kx + missing_x)
        f.ky = np.float32(f.ky + missing_y)
    else:
        f.vx = np.float32(f.vx + missing_x)
        f.vy = np.float32(f.vy + missing_y)


@kernel
def recognize_fast_fall(f):
    """A fall faster than the fighter's terminal velocity is a fast fall, also in a state that was not foreseen."""
    attributes = ATTRIBUTES[f.character]
    if f.airborne == 0 or f.vy > -np.float32(attributes.terminal_vel + ROUGHLY):
        return
    if abs(np.float32(f.vy + attributes.fast_fall_vel)) < ROUGHLY:
        f.fast_fall = 1
    elif f.action == FALL_SPECIAL:
        f.var_i[1] = 1


@kernel
def stops_flight(f, action):
    """Tell whether a state begins without what is left of knockback: a wall tech, a ledge."""
    walls = action >= PASSIVE_WALL and action <= PASSIVE_CEILING
    return walls or (states.STATES[f.character, action].flags & states.LEDGE_HELD) != 0


@kernel
def lift_feet(g, f, record):
    """Where the engine saw a landing that was none, the feet were above the floor, not under it.

    The next landing is found from them; a lift by more than :data:`HIGHEST_LIFT` would be of another cause.
    """
    lift = np.float32(np.float32(floor_height(g, f.ground, record.x) - record.y) - f.ecb_bottom)
    if lift > ZERO and lift < HIGHEST_LIFT:
        f.ecb_bottom = np.float32(f.ecb_bottom + lift)


@kernel
def sync_fighter(g, f, before, record, recorded):
    """Overwrite everything that the record shows; a state that the engine does not have becomes a fall."""
    if record.character < NUM_CHARACTERS:
        if record.character != f.character:
            f.body_forward = ZERO
            f.body_up = ZERO
        f.character = record.character  # Zelda and Sheik change into each other
    unknown = record.ground != NO_GROUND and not known_floor(g, int(record.ground))
    action = moves.FALL if record.action >= NUM_STATES else int(record.action)
    agreed = f.action == action
    if f.airborne == 0 and record.airborne != 0 and f.ground != NO_LINE:
        lift_feet(g, f, record)
    if not agreed:
        foreseen = is_damage(f.action)
        hurt = is_damage(action)
        flew = is_damage(before.action) and not stops_flight(f, action)
        if foreseen and not hurt and not flew and not recorded[VELOCITIES]:
            f.kx = ZERO  # the engine saw a hit that was none, or not what ended the flight
            f.ky = ZERO
            f.ground_k = ZERO
            f.hitlag = 0
        if hurt and not foreseen and action != LAST_DAMAGE:
            f.vx = ZERO
            f.vy = ZERO
            f.gv = ZERO
            f.kx = ZERO
            f.ky = ZERO
        lag = special_lag(f)
        went_on = f.action >= FIRST_OWN_STATE and f.age == record.action_frame and partner(f) == action
        if went_on:
            f.action = action  # the same move on the floor or in the air, where the engine had it not yet or too soon
        else:
            enter(f, action)
            f.rate = ONE
            guess_counters(f, record, lag)
        if foreseen and before.action == action and record.action_frame > before.action_frame:
            resume_counters(f)  # the engine saw a hit that was none
        resume_ending(f, int(before.action))
    elif f.age != record.action_frame and f.hitlag == 0 and record.hitlag == 0 and not is_walk(action):
        rate = np.float32(record.action_frame - before.action_frame)
        steady = abs(np.float32(f.age - before.action_frame) - f.rate) < NOISE
        # Where the state sets its rate on every frame, the age says nothing of the next one.
        if steady and rate >= 0 and rate <= MAX_RATE:
            f.rate = rate
    windy = agreed and g.stage == DREAM_LAND and feel_wind(g, np.float32(record.x - f.x))
    if not recorded[VELOCITIES] and not windy:
        infer_speeds(g, f, before, record, agreed)
    f.age = record.action_frame
    if f.action == REBIRTH:
        f.var_f[1] = record.x  # the platform comes straight down
    f.x = record.x
    f.y = record.y
    f.facing = record.facing
    if np.float32(record.percent - f.percent) == ONE:
        f.offscreen = 0  # a percent that the engine did not foresee is one of the magnifier's
    f.healing = 1 if abs(np.float32(np.float32(before.percent - record.percent) - ONE)) < NOISE else 0
    f.percent = record.percent
    correct_combo(f, int(before.combo), int(record.combo))
    f.shield = record.shield
    f.stocks = record.stocks
    f.airborne = record.airborne
    f.ground = NO_LINE if unknown or record.ground == NO_GROUND else int(record.ground)
    f.foreign_line = int(record.ground) if unknown else 0
    if recorded[VELOCITIES]:
        f.vx = record.vel_air_x
        f.vy = record.vel_y
        f.gv = record.vel_ground_x
        f.kx = record.knockback_x
        f.ky = record.knockback_y
    recognize_fast_fall(f)
    if f.airborne != 0:
        f.ground_k = np.float32(0)
    elif f.ground != NO_LINE:
        f.normal_x = STAGE_LINES[g.slot, f.ground].normal_x
        f.normal_y = STAGE_LINES[g.slot, f.ground].normal_y
        f.slide_friction = STAGE_LINES[g.slot, f.ground].slide
    elif unknown:
        f.normal_x = ZERO
        f.normal_y = ONE
    if recorded[VELOCITIES] and f.airborne == 0 and f.normal_y > ZERO:
        f.ground_k = np.float32(f.kx / f.normal_y)
    if recorded[HITLAG]:
        f.hitlag = int(record.hitlag)
    f.hitstun = int(record.hitstun)
    f.jumps_used = max(int(ATTRIBUTES[f.character].max_jumps) - record.jumps, 0)
    f.l_cancel = record.l_cancel
    if recorded[INSTANCE]:
        f.instance = record.instance
    if recorded[HURTBOX]:
        if record.hurtbox == 0:
            f.intangible = 0
            f.invincible = 0
        elif record.hurtbox == INVINCIBLE and hurt_status(f) == VULNERABLE:
            f.invincible = 2  # still so on the coming frame; when it ends is not recorded


@entry_point
def sync_games(games, before, leaders, seeds, frames, recorded, scenery, early):
    """Overwrite games ``[N]`` with recorded leaders ``[N, 2]``, RNG seeds and frame numbers.

    ``before`` are the leaders one frame earlier. ``recorded [4] bool`` tells which groups of fields
    are there; the others go on as the engine has them; ``early`` recordings show a frame before its hits
    and before the thrown follow their holders.
    ``scenery [N, 3] float32`` are the heights of Fountain's platforms and the code of Dream Land's wind on the coming
    frame, as the recording's stage events tell them; NaN where it has none.
    """
    for n in range(games.shape[0]):
        g = games[n]
        g.frame = frames[n]
        g.seed = seeds[n]
        g.end_method = 0
        for seat in range(2):
            other = 1 - seat
            dealt = np.float32(leaders[n, other].percent - before[n, other].percent)
            foreseen = g.fighters[other].percent > before[n, other].percent
            correct_hits(g.fighters[seat], leaders[n, seat], dealt, foreseen, recorded[HITLAG])
        if not recorded[HITLAG]:
            infer_hitlag(g, before[n], leaders[n], early)
        blocked = (
            blocked_damage(g.fighters[0], before[n, 0], leaders[n, 0]),
            blocked_damage(g.fighters[1], before[n, 1], leaders[n, 1]),
        )
        for seat in range(2):
            sync_fighter(g, g.fighters[seat], before[n, seat], leaders[n, seat], recorded)
        for seat in range(2):
            o = g.fighters[1 - seat]
            if blocked[seat] > 0:
                learn_block(g.fighters[seat], o, blocked[seat])
            late = early and o.action >= THROW_F
            holder = before[n, 1 - seat] if late else leaders[n, 1 - seat]
            if holder.action == o.action:
                learn_hold(g.fighters[seat], o, holder.x, holder.y, holder.action_frame)
            learn_release(g.fighters[seat], o)
            keep_counters(g.fighters[seat])
        if np.isnan(scenery[n, 0]):
            infer_scenery(g, leaders[n])
        else:
            tell_scenery(g, scenery[n, 0], scenery[n, 1], scenery[n, 2])
