"""A double of ``melee_sim``'s public interface: its buffers, cursor and configuration, with toy physics.

Fighters slide by the main stick from frame -39 on, B costs the other one 10 %, holding down and A takes an own stock.
"""

from __future__ import annotations

import dataclasses
import enum
import pickle
from types import ModuleType

import numpy as np

PLAYER = np.dtype(
    [(name, "u1") for name in ("present", "source_player", "team_relation", "team_id")]
    + [
        (name, "<f4")
        for name in (
            *("pos_x", "pos_y", "speed_air_x_self", "speed_ground_x_self", "speed_y_self"),
            *("speed_x_attack", "speed_y_attack", "percent", "shield_hp"),
        )
    ]
    + [("action_id", "<u2"), ("action_frame", "<i2"), ("hitlag", "<u2"), ("hitstun", "<u2")]
    + [
        (name, "u1")
        for name in (
            "char_id",
            "stocks",
            "facing",
            "on_ground",
            "jumps_left",
            "hurtbox_state",
            "invulnerable",
        )
    ]
)
ITEM = np.dtype(
    [("exists", "u1"), ("state", "u1"), ("type", "<u2"), ("owner", "i1")]
    + [(name, "<u2") for name in ("instance_id", "attack_id", "attack_instance")]
    + [(name, "<f4") for name in ("direction", "vel_x", "vel_y", "pos_x", "pos_y")]
    + [("damage", "<u2"), ("timer", "<f4"), ("spawn_id", "<u4")]
    + [(f"misc{n}", "u1") for n in range(4)]
)
STAGE = np.dtype(
    [
        ("randall", [("exists", "u1"), ("x", "<f4"), ("y", "<f4")]),
        ("fod_platforms", [("left", "<f4"), ("right", "<f4")]),
    ]
)
STATE = np.dtype(
    [("frame_id", "<i4"), ("frame_pre_random_seed", "<u4"), ("stage_id", "<u4")]
    + [("num_players", "u1"), ("viewpoint_player", "u1"), ("stage", STAGE)]
    + [("slots", PLAYER, (4,)), ("items", ITEM, (15,))]
)
INPUT = np.dtype(
    [
        (
            "p",
            [("buttons", "<u2")]
            + [(name, "i1") for name in ("main_x", "main_y", "c_x", "c_y")]
            + [("l", "u1"), ("r", "u1")],
            (4,),
        )
    ]
)


class Character(enum.IntEnum):
    FOX, MARTH, FALCO = 1, 18, 22


class Stage(enum.IntEnum):
    YOSHIS_STORY, BATTLEFIELD, FINAL_DESTINATION = 8, 31, 32


@dataclasses.dataclass(frozen=True)
class PlayerConfig:
    character: int
    costume: int = 0


@dataclasses.dataclass(frozen=True)
class MatchConfig:
    stage: int = 32
    players: tuple = ()
    seed: int | None = None
    max_frame: int = -1
    stocks: int = 4


@dataclasses.dataclass(frozen=True)
class OldMatchConfig:
    stage: int = 32
    players: tuple = ()
    frame_pre_random_seed: int | None = None
    stock_count: int = 4


class EnvBatch:
    """Time-major buffers of ``length`` steps; ``step`` reads row ``t`` and writes row ``t + 1``."""

    def __init__(
        self,
        batch_size: int,
        length: int = 256,
        num_players: int = 2,
        *,
        data_dir=None,
        action_format: str = "controller",
        ucf_enabled: bool = True,
    ) -> None:
        if data_dir is not None and str(data_dir) == "missing":
            raise FileNotFoundError("no manifest.json in missing")
        assert action_format == "raw" and num_players == 2
        self.batch_size, self.length, self.t, self.closed = batch_size, length, 0, 0
        self.raw_action_view = np.zeros((length, batch_size), INPUT)
        self.gamestate_view = np.zeros((length + 1, batch_size), STATE)
        self._done = np.zeros((length, batch_size), "u1")
        self._matches = np.zeros(batch_size, STATE)
        self._configs: list = [MatchConfig()] * batch_size

    def configure_matches(self, configs, *, env_ids=None) -> None:
        for lane, config in zip(env_ids, configs, strict=True):
            self._configs[int(lane)] = config

    def reset_all(self) -> None:
        for lane, config in enumerate(self._configs):
            match = np.zeros((), STATE)
            match["frame_id"], match["stage_id"], match["num_players"] = -123, config.stage, 2
            seed = config.seed if hasattr(config, "seed") else config.frame_pre_random_seed
            match["frame_pre_random_seed"] = seed or 0
            match["stage"]["randall"] = (config.stage == 8, 30.0, -13.0)
            for n, player in enumerate(config.players):
                slot = match["slots"][n]
                slot["present"], slot["source_player"], slot["char_id"] = 1, n, player.character
                slot["stocks"] = getattr(config, "stocks", None) or config.stock_count
                slot["pos_x"], slot["facing"], slot["on_ground"] = (-30.0, 30.0)[n], n == 0, 1
                slot["shield_hp"], slot["jumps_left"], slot["action_id"] = 60, 2, 14
            self._matches[lane] = match
        self.t = 0
        self.gamestate_view[0] = self._matches

    def reset_cursor(self) -> None:
        self.t = 0

    def step(self) -> None:
        if self.t >= self.length:
            raise RuntimeError("buffer length exhausted")
        for lane in range(self.batch_size):
            self._done[self.t, lane] = self._play(
                self._matches[lane], self.raw_action_view[self.t, lane]["p"]
            )
        self.t += 1
        self.gamestate_view[self.t] = self._matches

    def _play(self, match, pads) -> bool:
        match["frame_id"] += 1
        match["frame_pre_random_seed"] = int(match["frame_pre_random_seed"]) * 214013 + 2531011 & 0xFFFFFFFF
        for n in range(2):
            slot, pad = match["slots"][n], pads[n]
            slot["action_frame"] += 1
            if match["frame_id"] < -39:
                continue
            slot["pos_x"] += pad["main_x"] / 80
            slot["speed_ground_x_self"] = pad["main_x"] / 80
            if pad["buttons"] & 0x200:
                match["slots"][1 - n]["percent"] += 10
                match["items"][0]["exists"], match["items"][0]["misc1"] = 1, 7
            if pad["buttons"] & 0x100 and pad["main_y"] == -80:
                slot["stocks"] = max(0, int(slot["stocks"]) - 1)
        return bool((match["slots"][:2]["stocks"] == 0).any())

    def done_at(self, t: int):
        return self._done[t]

    def save(self, index: int) -> bytes:
        return pickle.dumps(self._matches[index].tobytes())

    def restore(self, index: int, state: bytes) -> None:
        try:
            self._matches[index] = np.frombuffer(pickle.loads(state), STATE)[0]
        except pickle.UnpicklingError as error:
            raise ValueError("other build") from error

    def close(self) -> None:
        self.closed += 1


def make_module(**changes: object) -> ModuleType:
    """Return the double as a module; ``None`` removes a name."""
    module = ModuleType("melee_sim")
    for part in (Character, Stage, PlayerConfig, MatchConfig, EnvBatch):
        setattr(module, part.__name__, part)
    for name, value in changes.items():
        if value is None:
            delattr(module, name)
        else:
            setattr(module, name, value)
    return module
