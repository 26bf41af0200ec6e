"""The recovery drill."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from melee_env.envs.drills.drill import edges_of
from melee_env.envs.drills.recovery.starts import draw_position
from melee_env.envs.options import MODELLED_STAGES
from melee_env.envs.task import Task
from melee_env.envs.vector import VersusVectorEnv
from melee_env.envs.versus import VersusEnv
from melee_env.frame import Frames
from melee_env.ids import Stage, parse
from melee_env.observations.features import EDGE_X

CLIFF_CATCH, CLIFF_WAIT = 252, 253
PROGRESS = np.float32(0.02)
"""reward per unit that the fighter comes closer to the edge"""
SUCCESS, FAILURE = np.float32(1), np.float32(-1)


class RecoveryTask(Task):
    """Come back: progress toward the edge pays, standing or hanging there succeeds, a lost stock fails."""

    defaults: dict[str, Any] = {"stage": "FINAL_DESTINATION", "stocks": 2, "opponent_stocks": 2}
    opponent = "scripted:idle"
    frame_skip = 3
    max_frames = 360
    memory_dtype = np.dtype([("frames", "i8"), ("success", "u1")])

    def __init__(self, reward: str | None = None) -> None:
        """The drill has its own reward; a preset replaces it."""
        self._own_reward = reward is None
        super().__init__(reward)

    def draw_start(self, options: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Draw the start beside the stage that is played; a start that was chosen is kept."""
        draw = int(rng.integers(len(MODELLED_STAGES)))
        stage = MODELLED_STAGES[draw] if options["stage"] is None else parse(Stage, options["stage"])
        drawn = {
            "stage": stage.name,
            "position": draw_position(rng, EDGE_X[stage.external]),
            "opponent_position": (0.0, 0.0001),
        }
        chosen = {name: value for name, value in options.items() if value is not None}
        return {**options, **drawn, **chosen}

    def rewards(
        self, memory: NDArray[np.void], previous: Frames, frames: Frames
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """Pay for progress, success and failure."""
        saved, lost = self._saved(frames), self._lost(previous, frames)
        memory["success"] = saved
        if not self._own_reward:
            return super().rewards(memory, previous, frames)
        progress = (self._distance(previous) - self._distance(frames)) * PROGRESS
        progress = np.where(saved | lost, 0, np.clip(progress, -1, 1)).astype(np.float32)
        result = np.where(saved, SUCCESS, np.where(lost, FAILURE, 0)).astype(np.float32)
        return progress + result, {"progress": progress, "result": result}

    def outcome(
        self, memory: NDArray[np.void], frames: Frames
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """End on success, on a lost stock, or after six seconds."""
        own = frames["seats"]["leader"][:, 0]
        over, cut = super().outcome(memory, frames)
        return over | (memory["success"] != 0) | (own["action"] <= 10), cut

    def info(self, memory: NDArray[np.void], frames: Frames) -> dict[str, NDArray[Any]]:
        """Add ``success``."""
        return {**super().info(memory, frames), "success": memory["success"] != 0}

    @staticmethod
    def _saved(frames: Frames) -> NDArray[np.bool_]:
        own = frames["seats"]["leader"][:, 0]
        hanging = (own["action"] == CLIFF_CATCH) | (own["action"] == CLIFF_WAIT)
        return (own["airborne"] == 0) & (own["action"] > 13) | hanging

    @staticmethod
    def _lost(previous: Frames, frames: Frames) -> NDArray[np.bool_]:
        return frames["seats"]["leader"][:, 0]["stocks"] < previous["seats"]["leader"][:, 0]["stocks"]

    @staticmethod
    def _distance(frames: Frames) -> NDArray[np.float32]:
        own = frames["seats"]["leader"][:, 0]
        beside = np.maximum(np.abs(own["x"]) - edges_of(frames), 0)
        return np.hypot(beside, np.maximum(-own["y"], 0)).astype(np.float32)


class RecoveryEnv(VersusEnv):
    """Start beside the stage; come back.

    Observation, action:
        As :class:`VersusEnv`; an action is held for three frames.
    Reward:
        0.02 per unit of progress toward the edge, +1 for standing or hanging, -1 for a lost stock.
    Termination:
        Success or a lost stock (terminated); six seconds (truncated).
    Baseline:
        ``scripted:fighter-9``, with every fighter whose up special the engine plays.
    """

    task_type: ClassVar[type[Task]] = RecoveryTask


make_vector = partial(VersusVectorEnv, task_type=RecoveryTask)
"""the native vector environment of this drill"""
