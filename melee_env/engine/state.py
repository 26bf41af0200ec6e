"""The engine's whole state: one structured array of games, nothing outside it.

Everything that the next frame needs is here, also what Slippi does not record (stick history, ECB,
lock timers, stale queue, victim lists, RNG), so saving a game is copying one record. Names follow the
game's own; offsets such as ``x670`` in comments are those of doldecomp/melee's Fighter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from melee_env.frame import NUM_ITEMS, NUM_SEATS

NO_LINE = -1
"""No floor line; recorded as 65535."""
ECB_LOCK = 10
"""frames for which the diamond's lowest point stays where it was when the floor or ledge was left"""
LONG_AGO = 254
"""Value of an input timer that stands for "long ago"."""

FIGHTER_STATE = np.dtype(
    [
        # who
        ("seat", "i4"),
        ("port", "i4"),
        ("character", "i4"),
        ("stocks", "i4"),
        # action state
        ("action", "i4"),
        ("age", "f4"),  # animation frame as recorded
        ("rate", "f4"),  # animation frames per frame
        ("facing", "f4"),
        ("instance", "i4"),  # attack instance of the running state
        # position and speeds
        ("x", "f4"),
        ("y", "f4"),
        ("prev_x", "f4"),
        ("prev_y", "f4"),
        ("shift_x", "f4"),  # this frame's ASDI
        ("shift_y", "f4"),
        ("vx", "f4"),  # own speed
        ("vy", "f4"),
        ("gv", "f4"),  # own speed along the floor
        ("ground_accel", "f4"),  # xE4, added to gv at integration
        ("ground_impulse", "f4"),  # xE8, dash start or rebound
        ("accel_x", "f4"),  # x74, added to the own speed at integration
        ("accel_y", "f4"),
        ("kx", "f4"),  # knockback
        ("ky", "f4"),
        ("slide_friction", "f4"),  # the floor's friction for knockback slides
        ("ground_k", "f4"),  # xF0, knockback along the floor
        ("push_x", "f4"),  # x98, attacker's push from a shield
        ("push_y", "f4"),
        ("ground_push", "f4"),  # xF4
        ("nudge", "f4"),  # xF8, body push of this frame
        # contact with the stage
        ("airborne", "i4"),
        ("ground", "i4"),
        ("foreign_line", "i4"),  # floor that only a recording names (the stage between its shapes); 0: none
        ("floor_skip", "i4"),  # line that a platform drop ignores
        ("normal_x", "f4"),
        ("normal_y", "f4"),
        ("jumps_used", "i4"),
        ("wall_jumps", "i4"),
        ("fast_fall", "i4"),
        ("ecb_top", "f4"),
        ("ecb_bottom", "f4"),
        ("ecb_half", "f4"),
        ("ecb_side", "f4"),  # height of the side points; a locked bottom does not hold it
        ("ecb_lock", "i4"),
        ("sub_steps", "i4"),  # the diamond jumps on this frame: collision moves in two steps
        ("ledge_cooldown", "i4"),  # x2064
        ("on_ledge", "i4"),  # ledge number + 1 while holding one (x221D_b7)
        # input (x620.., dead zones applied)
        ("stick_x", "f4"),
        ("stick_y", "f4"),
        ("prev_stick_x", "f4"),
        ("prev_stick_y", "f4"),
        ("cstick_x", "f4"),
        ("cstick_y", "f4"),
        ("prev_cstick_x", "f4"),
        ("prev_cstick_y", "f4"),
        ("trigger", "f4"),
        ("prev_trigger", "f4"),
        ("held", "u4"),
        ("pressed", "u4"),
        ("tilt_x", "i4"),  # x670, frames since the stick crossed 0.25
        ("tilt_y", "i4"),  # x671
        ("flick_x", "i4"),  # x676, frames since the stick last went to a side
        ("flick_side", "i4"),  # x2228_b7, that side
        ("trigger_timer", "i4"),  # x672..
        ("shield_press", "i4"),  # x67F, frames since the last press of the LR bit
        ("lr_press", "i4"),  # x680, frames since the last digital L/R press
        ("lr_before", "i4"),  # x684, frames between that press and the one before
        ("special_memory", "i4", (4,)),  # frames since B with side, up, neutral, down was pressed
        ("raw_x", "i4", (3,)),  # stick bytes now, 1 and 2 frames ago (UCF)
        ("raw_y", "i4", (3,)),
        ("ucf", "i4"),  # the controller is fixed: UCF's dash back and shield drop
        ("cpu", "i4"),
        # health
        ("percent", "f4"),
        ("shield", "f4"),
        ("healing", "i4"),  # x18F0, an eaten item heals a percent a frame
        ("offscreen", "i4"),  # x1910, frames out of the camera's reach
        ("light", "f4"),  # shield depth 0..1, 1 is the hard shield
        ("hitlag", "i4"),
        ("hitstun", "i4"),
        ("intangible", "i4"),  # x1988-like timer: frames of state 2
        ("invincible", "i4"),  # x198C-like timer: frames of state 1
        ("since_hit", "i4"),  # frames since the last launch (knockback stacking)
        ("tumble", "i4"),
        ("launch_angle", "f4"),  # degrees, of the running launch (tumble animation, meteor cancel)
        # attack bookkeeping
        ("attack_id", "i4"),
        ("stale_ids", "i2", (10,)),
        ("stale_instances", "i4", (10,)),
        ("stale_head", "i4"),
        ("stale_factor", "f4"),  # frozen when the running hitbox window was created
        ("hit_window", "i4"),  # hitbox window whose victim list is kept
        ("doubt", "f4"),  # by how much deeper a touch must be, as a recording has refuted less deep ones
        ("victims", "u1", (8,)),  # by group: bit 0 opponent body or shield hit, bit 1 clank
        ("smash_charge", "i4"),
        ("last_attack", "i4"),
        ("combo", "i4"),
        ("combo_grace", "i4"),  # frames after hitstun in which the opponent's combo still goes on
        ("step_back", "i4"),  # x2092, frames in which an attacker of many hits is driven back
        ("last_hit_by", "i4"),
        ("hit_by_instance", "i4"),
        ("l_cancel", "i4"),
        # what happened to this fighter in this frame's hit detection, applied at the end of the frame
        ("pending_damage", "f4"),
        ("pending_kb", "f4"),
        ("pending_angle", "f4"),
        ("pending_facing", "f4"),
        ("pending_element", "i4"),
        ("pending_height", "i4"),
        ("body_forward", "f4"),  # what recorded throws showed the table of bodies to miss of this one
        ("body_up", "f4"),
        ("thrown_damage", "f4"),  # of the throw that lets go on this frame
        ("pending_hits", "i4"),
        ("pending_hitlag", "i4"),
        ("pending_dealt", "i4"),
        ("pending_shield", "i4"),  # strongest hit on the shield
        ("pending_shield_sum", "i4"),
        ("pending_shield_facing", "f4"),
        ("pending_shield_dealt", "i4"),
        ("pending_clank", "i4"),
        ("pending_rebound", "i4"),  # damage of the clanked hitbox, 0 without rebound
        ("pending_rebound_facing", "f4"),
        ("pending_reflect", "f4"),  # facing that a reflected projectile gives, 0 without one
        ("pending_push", "f4"),  # shield depth times damage of a hit on a shield
        ("pending_push_side", "f4"),  # where the shield was, 0 without a push
        # grabs
        ("grab_timer", "f4"),
        ("mash_x", "i4"),  # side of the stick when it last left the middle
        ("mash_y", "i4"),
        # kept between specials
        ("stored", "i4"),  # needles, float frames
        ("spent", "i4"),  # what works once in the air has: Marth's lift, Peach's float and Toad
        # variables of the running state, meaning set by the state (the game's mv union)
        ("var_i", "i4", (8,)),
        ("var_f", "f4", (6,)),
        ("kept_i", "i4", (8,)),  # what a recording's last frame left of var_i, var_f and rate
        ("kept_f", "f4", (6,)),
        ("kept_rate", "f4"),
        # record of the frame (what the pre-frame event shows)
        ("pre_action", "i4"),
        ("pre_x", "f4"),
        ("pre_y", "f4"),
        ("pre_facing", "f4"),
        ("pre_percent", "f4"),
    ],
    align=True,
)
"""One fighter."""

ITEM_STATE = np.dtype(
    [
        ("exists", "i4"),
        ("type", "i4"),
        ("kind", "i4"),  # row of its figures
        ("state", "i4"),
        ("age", "i4"),
        ("owner", "i4"),  # seat
        ("facing", "f4"),
        ("x", "f4"),
        ("y", "f4"),
        ("prev_x", "f4"),
        ("prev_y", "f4"),
        ("vx", "f4"),
        ("vy", "f4"),
        ("lead_x", "f4"),  # where a ghost goes next, or a needle starts from its owner
        ("lead_y", "f4"),
        ("timer", "f4"),
        ("spawn_id", "u4"),
        ("instance", "i4"),
        ("attack_id", "i4"),
        ("damage", "i4"),
        ("stale_factor", "f4"),
        ("victims", "i4"),  # bit per seat
        ("misc", "u1", (4,)),
    ],
    align=True,
)
"""One item or article (lasers, illusions)."""

GAME_STATE = np.dtype(
    [
        ("frame", "i4"),
        ("stage", "i4"),  # external id
        ("slot", "i4"),  # row of the stage tables
        ("seed", "u4"),
        ("frame_seed", "u4"),  # seed at the start of the frame, as recorded
        ("end_method", "i4"),
        ("time_limit", "i4"),
        ("cardinals", "i4"),  # UCF 0.84 straightens sticks near an axis
        ("instances", "i4"),  # attack instance counter
        ("spawned", "u4"),  # item counter
        ("live_items", "i4"),
        ("respawns", "i4", (NUM_SEATS,)),
        # the stage
        ("told", "i4"),  # what moves on the stage is told by a recording
        ("form", "i4"),  # Stadium's shape, 1 the plain one
        ("wind", "i4"),  # -1 to the left, 1 to the right
        ("part_x", "f4", (2,)),  # where the moving parts are
        ("part_y", "f4", (2,)),
        ("part_dx", "f4", (2,)),  # and how far they moved on this frame
        ("part_dy", "f4", (2,)),
        ("part_goal", "f4", (2,)),
        ("part_timer", "i4", (2,)),
        ("fighters", FIGHTER_STATE, (NUM_SEATS,)),
        ("items", ITEM_STATE, (NUM_ITEMS,)),
    ],
    align=True,
)
"""One game."""


def allocate(num_games: int) -> NDArray[np.void]:
    """Return zeroed states of ``num_games`` games ``[num_games]`` of :data:`GAME_STATE`."""
    return np.zeros(num_games, GAME_STATE)
