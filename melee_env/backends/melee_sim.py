"""kyhavlov's ``melee_sim`` as a backend, where the user has installed it and extracted its data from his own disc.

It is a port of the game itself, batched and deterministic; it is on no package index and its data on no server. This
adapter is written after its public interface (``API.md`` and ``melee_sim/*.py`` of kyhavlov/melee-sim-light) and
tested against a double of that interface, not against the engine.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.backends.base import Capabilities, MatchOptions
from melee_env.controller import Controllers, encode_stick, encode_trigger, neutral
from melee_env.errors import BackendError, OptionError, StateVersionError
from melee_env.frame import NUM_ITEMS, NUM_SEATS, Frames, empty_frames

HOME = "github.com/kyhavlov/melee-sim-light"
STOCK_OUT, TIME = 2, 1
TAG = b"melee_sim "
FIXED = ("percents", "positions")
"""Options that its matches cannot start with."""
FIGHTER = {
    "present": "present",
    "char_id": "character",
    "action_id": "action",
    "action_frame": "action_frame",
    "pos_x": "x",
    "pos_y": "y",
    "percent": "percent",
    "shield_hp": "shield",
    "stocks": "stocks",
    "hitstun": "hitstun",
    "hitlag": "hitlag",
    "jumps_left": "jumps",
    "hurtbox_state": "hurtbox",
    "speed_air_x_self": "vel_air_x",
    "speed_y_self": "vel_y",
    "speed_x_attack": "knockback_x",
    "speed_y_attack": "knockback_y",
    "speed_ground_x_self": "vel_ground_x",
}
"""Its fields of a player and ours; facing and on_ground are turned around, everything else stays zero."""
ITEM = {
    "exists": "exists",
    "type": "type",
    "state": "state",
    "direction": "facing",
    "vel_x": "vel_x",
    "vel_y": "vel_y",
    "pos_x": "x",
    "pos_y": "y",
    "damage": "damage",
    "timer": "timer",
    "spawn_id": "spawn_id",
    "owner": "owner",
    "attack_instance": "instance",
}
BEFORE = {
    "pre_action": "action",
    "pre_x": "x",
    "pre_y": "y",
    "pre_facing": "facing",
    "pre_percent": "percent",
}
"""What a replay says of the moment when input is read: here, the frame before."""


class MeleeSimBackend:
    """``num_games`` matches in one batch. See :class:`melee_env.backends.base.Backend`.

    Frames hold what its observation has; Nana, state flags and combo counters are not in it and stay zero.
    """

    capabilities = Capabilities(save_states=True, vector=True, rng=True)

    def __init__(
        self, num_games: int = 1, data_dir: str | os.PathLike[str] | None = None, ucf: bool = True
    ) -> None:
        """Load the engine and its data.

        Args:
            num_games: matches that advance together.
            data_dir: the extracted data; None leaves it to ``MSL_DATA_DIR`` or ``data`` in the working directory.
            ucf: controllers with the Universal Controller Fix.

        Raises:
            BackendError: it is not installed, has no data or another interface.
        """
        self._module = _import()
        self.num_games = num_games
        # A matches' state is inside the engine; its buffers are only in- and outputs, so one row of them is enough.
        self._batch = self._make_batch(data_dir, ucf)
        self._starts = self._make_batch(data_dir, ucf)
        self._frames = empty_frames(num_games)
        self._limits = np.zeros(num_games, np.int64)

    def _make_batch(self, data_dir: str | os.PathLike[str] | None, ucf: bool) -> Any:
        kind = _attribute(self._module, "EnvBatch")
        try:
            return kind(
                self.num_games,
                length=1,
                num_players=NUM_SEATS,
                data_dir=data_dir,
                action_format="raw",
                ucf_enabled=ucf,
            )
        except TypeError as error:
            raise BackendError(
                f"melee_sim.EnvBatch takes other arguments ({error}): use another version"
            ) from error
        except (OSError, RuntimeError, ValueError) as error:
            raise BackendError(
                f"melee_sim cannot start ({error}); extract its data from your own disc as {HOME} says and give "
                "data_dir= or MSL_DATA_DIR"
            ) from error

    def reset(
        self,
        seeds: NDArray[np.uint32],
        options: Sequence[MatchOptions],
        mask: NDArray[np.bool_] | None = None,
    ) -> Frames:
        """Start new matches where ``mask`` is true (None: everywhere).

        They begin in a batch of their own, because a batch cannot advance one match and leave another where it is.

        Raises:
            OptionError: a fighter, stage or start that the engine does not have.
        """
        lanes = [lane for lane in range(self.num_games) if mask is None or mask[lane]]
        configs = [self._config(options[lane], int(seeds[lane])) for lane in lanes]
        if not lanes:
            return self._frames
        _call(self._starts, "configure_matches", configs, env_ids=np.array(lanes))
        _call(self._starts, "reset_all")
        rest = neutral(self.num_games, NUM_SEATS)
        shown, pending = _attribute(self._starts, "gamestate_view")[0], set(lanes)
        while True:
            for lane in sorted(pending):
                if shown["frame_id"][lane] >= options[lane].start_frame - 1:
                    self._copy(lane)
                    self._limits[lane] = options[lane].time_limit
                    self._frames[lane] = 0
                    self._show(shown, rest, np.array([lane]))
                    pending.remove(lane)
            if not pending:
                return self._frames
            shown = self._advance(self._starts, rest)

    def _copy(self, lane: int) -> None:
        if hasattr(self._batch, "copy_matches_from"):
            self._batch.copy_matches_from(self._starts, [lane], [lane])
        else:
            _call(self._batch, "restore", lane, _call(self._starts, "save", lane))

    def step(self, controllers: Controllers) -> Frames:
        """Advance every running match by one frame with controllers ``[num_games, 2]``."""
        if controllers.shape != (self.num_games, NUM_SEATS):
            raise BackendError(
                f"controllers must have shape {(self.num_games, NUM_SEATS)}, got {controllers.shape}"
            )
        running = np.flatnonzero(self._frames["end_method"] == 0)
        shown = self._advance(self._batch, controllers)
        self._show(shown, controllers, running)
        done = np.asarray(_call(self._batch, "done_at", 0)).astype(bool)
        stocks = self._frames["seats"]["leader"]["stocks"]
        ended = np.where((stocks == 0).any(1), STOCK_OUT, np.where(done, TIME, 0))
        ended = np.where((ended == 0) & (self._frames["frame"] >= self._limits), TIME, ended)
        self._frames["end_method"][running] = ended[running]
        return self._frames

    def _advance(self, batch: Any, controllers: Controllers) -> NDArray[np.void]:
        """Play one frame; returns the row of game states after it."""
        _call(batch, "reset_cursor")
        players = _attribute(batch, "raw_action_view")[0]["p"]
        for ours, theirs, processed in (
            ("raw_x", "main_x", "stick_x"),
            ("raw_y", "main_y", "stick_y"),
            ("raw_cx", "c_x", "cstick_x"),
            ("raw_cy", "c_y", "cstick_y"),
        ):
            # A recording of an old version has only the processed value.
            raw = controllers[ours]
            players[theirs][:, :NUM_SEATS] = np.where(raw == 0, encode_stick(controllers[processed]), raw)
        for ours, theirs in (("trigger_l", "l"), ("trigger_r", "r")):
            players[theirs][:, :NUM_SEATS] = encode_trigger(controllers[ours])
        players["buttons"][:, :NUM_SEATS] = controllers["buttons"]
        _call(batch, "step")
        row: NDArray[np.void] = _attribute(batch, "gamestate_view")[1]
        return row

    def _show(self, shown: NDArray[np.void], controllers: Controllers, lanes: NDArray[np.int64]) -> None:
        frames = self._frames
        frames["frame"][lanes] = shown["frame_id"][lanes]
        frames["stage"][lanes] = shown["stage_id"][lanes]
        frames["seed"][lanes] = shown["frame_pre_random_seed"][lanes]
        _show_stage(frames, shown["stage"], lanes)
        frames["seats"]["port"][lanes] = np.arange(NUM_SEATS)
        fighters, slots = frames["seats"]["leader"], shown["slots"]
        for lane in lanes:
            for slot in range(NUM_SEATS):
                seat = int(slots["source_player"][lane, slot])
                for ours, same in BEFORE.items():
                    fighters[ours][lane, seat] = fighters[same][lane, seat]
                for theirs, ours in FIGHTER.items():
                    fighters[ours][lane, seat] = slots[theirs][lane, slot]
                fighters["facing"][lane, seat] = 1 if slots["facing"][lane, slot] else -1
                fighters["airborne"][lane, seat] = not slots["on_ground"][lane, slot]
        fighters["last_hit_by"][lanes] = 6  # nobody that it tells
        fighters["controller"][lanes] = controllers[lanes]
        for theirs, ours in ITEM.items():
            frames["items"][ours][lanes] = shown["items"][theirs][lanes, :NUM_ITEMS]
        for number in range(4):
            frames["items"]["misc"][lanes, :, number] = shown["items"][f"misc{number}"][lanes, :NUM_ITEMS]

    def save(self, game: int) -> bytes:
        """Return the whole state of one match, tagged."""
        frame = self._frames[game : game + 1].tobytes()
        limit = int(self._limits[game]).to_bytes(8, "big")
        return TAG + limit + frame + bytes(_call(self._batch, "save", game))

    def load(self, game: int, state: bytes) -> Frames:
        """Put a saved state into one match and return all frames.

        Raises:
            StateVersionError: the state is not of this backend or not of this version of the engine.
        """
        head = len(TAG) + 8 + self._frames.itemsize
        if not state.startswith(TAG) or len(state) <= head:
            raise StateVersionError("this is not a state of the melee_sim backend")
        try:
            _call(self._batch, "restore", game, state[head:])
        except (ValueError, RuntimeError) as error:
            raise StateVersionError(f"melee_sim refuses this state: {error}") from error
        self._limits[game] = int.from_bytes(state[len(TAG) : len(TAG) + 8], "big")
        self._frames[game] = np.frombuffer(state[len(TAG) + 8 : head], self._frames.dtype)[0]
        return self._frames

    def close(self) -> None:
        """Release the engine; calling it twice is fine."""
        for batch in (self._batch, self._starts):
            _call(batch, "close")

    def _config(self, options: MatchOptions, seed: int) -> Any:
        standard = MatchOptions()
        for name in FIXED:
            if getattr(options, name) != getattr(standard, name):
                raise OptionError(
                    f"melee_sim starts matches with nobody hurt, where its stages place them: {name} must be "
                    f"{getattr(standard, name)}, not {getattr(options, name)}"
                )
        player, match = _attribute(self._module, "PlayerConfig"), _attribute(self._module, "MatchConfig")
        players = tuple(
            player(character=self._member("Character", character.internal, character.name), costume=costume)
            for character, costume in zip(options.characters, options.costumes, strict=True)
        )
        if options.stocks[0] != options.stocks[1]:
            raise OptionError(f"melee_sim gives both players the same stocks, not {options.stocks}")
        stage = self._member("Stage", options.stage.external, options.stage.name)
        return match(
            stage=stage,
            players=players,
            **{
                _field(match, "seed", "frame_pre_random_seed"): seed,
                _field(match, "stocks", "stock_count"): options.stocks[0],
            },
        )

    def _member(self, kind: str, number: int, name: str) -> Any:
        members = _attribute(self._module, kind)
        try:
            return members(number)
        except ValueError:
            known = ", ".join(member.name for member in members)
            raise OptionError(f"melee_sim has no {kind.lower()} {name}; it has {known}") from None


def _show_stage(frames: Frames, stage: NDArray[np.void], lanes: NDArray[np.int64]) -> None:
    """Take over the moving platforms; a version that does not tell one leaves it at zero."""
    names = stage.dtype.names or ()
    if "randall" in names:
        there = stage["randall"]["exists"][lanes] != 0
        frames["randall_x"][lanes] = np.where(there, stage["randall"]["x"][lanes], 0)
        frames["randall_y"][lanes] = np.where(there, stage["randall"]["y"][lanes], 0)
    if "fod_platforms" in names:
        frames["fod_left"][lanes] = stage["fod_platforms"]["left"][lanes]
        frames["fod_right"][lanes] = stage["fod_platforms"]["right"][lanes]


def _import() -> Any:
    try:
        return importlib.import_module("melee_sim")
    except ImportError as error:
        raise BackendError(
            f"melee_sim is not installed ({error}): install it from a checkout of {HOME} (it needs GCC), extract its "
            "data from your own disc, and set MSL_DATA_DIR"
        ) from error


def _attribute(owner: Any, name: str) -> Any:
    """Look a part of its interface up, whose names change between versions.

    Raises:
        BackendError: names what is missing.
    """
    try:
        return getattr(owner, name)
    except AttributeError:
        where = getattr(owner, "__name__", type(owner).__name__)
        raise BackendError(
            f"{where} has no {name!r}: this version of melee_sim has another interface; see docs/melee_sim.md"
        ) from None


def _call(owner: Any, name: str, *arguments: Any, **named: Any) -> Any:
    return _attribute(owner, name)(*arguments, **named)


def _field(kind: Any, *names: str) -> str:
    """Return the first of some names that a configuration has."""
    known = {field.name for field in dataclasses.fields(kind)}
    for name in names:
        if name in known:
            return name
    raise BackendError(
        f"{kind.__name__} has none of {', '.join(names)}: this version of melee_sim has another interface; "
        "see docs/melee_sim.md"
    )
