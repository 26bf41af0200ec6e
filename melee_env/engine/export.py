"""Writing engine states into frames of the shared schema."""

from __future__ import annotations

import numpy as np

from melee_env.engine import scenery, states
from melee_env.engine.hits import hurt_status
from melee_env.engine.kernel import kernel
from melee_env.engine.state import NO_LINE
from melee_env.engine.states import STATES
from melee_env.engine.tables import ATTRIBUTES
from melee_env.frame import NUM_ITEMS

NO_GROUND = 65535
REFLECTING = 0x10
FAST_FALLING, IN_HITLAG = 0x08, 0x20
SHIELDING = 0x80
IN_HITSTUN = 0x02
IS_DEAD = 0x40
IS_REFLECTOR_FIRST, IS_REFLECTOR_LAST = 360, 369


@kernel
def export_fighter(g, f, out, controller):
    """Fill one fighter record of a frame."""
    flags = STATES[f.character, f.action].flags
    out.present = 1
    out.character = f.character
    out.action = f.action
    out.x = f.x
    out.y = f.y
    out.facing = f.facing
    out.percent = f.percent
    out.shield = f.shield
    out.last_attack = f.last_attack
    out.combo = f.combo
    out.last_hit_by = f.last_hit_by
    out.stocks = f.stocks
    out.action_frame = f.age
    out.flags[0] = REFLECTING if f.action >= IS_REFLECTOR_FIRST and f.action <= IS_REFLECTOR_LAST else 0
    out.flags[1] = (FAST_FALLING if f.fast_fall != 0 else 0) | (IN_HITLAG if f.hitlag > 0 else 0)
    out.flags[2] = SHIELDING if (flags & states.GUARD) != 0 else 0
    out.flags[3] = IN_HITSTUN if f.hitstun > 0 else 0
    out.flags[4] = IS_DEAD if (flags & states.DEAD) != 0 else 0
    out.hitstun = f.hitstun
    out.airborne = f.airborne
    if f.ground != NO_LINE:
        out.ground = f.ground
    else:
        out.ground = NO_GROUND if f.foreign_line == 0 else f.foreign_line
    out.jumps = max(int(ATTRIBUTES[f.character].max_jumps) - f.jumps_used, 0)
    out.l_cancel = f.l_cancel
    out.hurtbox = hurt_status(f)
    out.vel_air_x = f.vx
    out.vel_y = f.vy
    out.knockback_x = f.kx
    out.knockback_y = f.ky
    out.vel_ground_x = f.gv
    out.hitlag = f.hitlag
    out.hit_by_instance = f.hit_by_instance
    out.instance = f.instance
    out.pre_action = f.pre_action
    out.pre_x = f.pre_x
    out.pre_y = f.pre_y
    out.pre_facing = f.pre_facing
    out.pre_percent = f.pre_percent
    out.controller = controller


@kernel
def export_items(g, out):
    """Fill a frame's item slots ``[15]``, which come last first, from the first one on, as a recording does."""
    used = 0
    for i in range(NUM_ITEMS):
        item = g.items[i]
        if item.exists == 0:
            continue
        slot = out[NUM_ITEMS - 1 - used]
        used += 1
        slot.exists = 1
        slot.type = item.type
        slot.state = item.state
        slot.facing = item.facing
        slot.vel_x = item.vx
        slot.vel_y = item.vy
        slot.x = item.x
        slot.y = item.y
        slot.timer = item.timer
        slot.spawn_id = item.spawn_id
        slot.owner = g.fighters[item.owner].port
        slot.instance = item.instance
        for k in range(4):
            slot.misc[k] = item.misc[k]
    for i in range(used, NUM_ITEMS):
        slot = out[NUM_ITEMS - 1 - i]
        if slot.exists != 0:
            clear_item(slot)


@kernel
def clear_item(slot):
    """Zero an item slot."""
    slot.exists = 0
    slot.type = 0
    slot.state = 0
    slot.facing = np.float32(0)
    slot.vel_x = np.float32(0)
    slot.vel_y = np.float32(0)
    slot.x = np.float32(0)
    slot.y = np.float32(0)
    slot.damage = 0
    slot.timer = np.float32(0)
    slot.spawn_id = 0
    slot.owner = 0
    slot.instance = 0
    for k in range(4):
        slot.misc[k] = 0


@kernel
def export_scenery(g, head):
    """Show what moves on the stage."""
    if g.stage == scenery.FOUNTAIN:
        head.fod_left = g.part_y[0]
        head.fod_right = g.part_y[1]
    elif g.stage == scenery.YOSHI:
        head.randall_x = g.part_x[0]
        head.randall_y = g.part_y[0]
    elif g.stage == scenery.DREAM_LAND:
        head.whispy = 0 if g.wind == 0 else (1 if g.wind < 0 else 2)


@kernel
def export_game(g, head, leaders, items, controllers):
    """Fill one frame: its head fields, both leaders, the items."""
    head.frame = g.frame
    head.stage = g.stage
    head.end_method = g.end_method
    head.seed = g.frame_seed
    head.scene_frame = g.frame + 123
    export_scenery(g, head)
    for seat in range(2):
        export_fighter(g, g.fighters[seat], leaders[seat], controllers[seat])
    export_items(g, items)
