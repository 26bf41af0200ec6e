"""Figures over many games: shares of right frames, hits found, lengths of free runs, most frequent misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.families import FAMILIES, families
from experiments.fidelity.formulas import count
from experiments.fidelity.free_run import run_free
from experiments.fidelity.one_step import OneStep, compare
from melee_env.game import Game
from melee_env.ids import character_from_internal, stage_from_external

TOP_MISSES = 10


@dataclass
class Group:
    """Sums over one set of fighter frames."""

    frames: int = 0
    state: int = 0
    all_fields: int = 0
    bit_exact: int = 0
    speeds_told: int = 0
    speeds_exact: int = 0
    predicted_hits: int = 0
    predicted_right: int = 0
    predicted_exact: int = 0
    recorded_hits: int = 0
    recorded_found: int = 0
    recorded_exact: int = 0
    runs: list[int] = field(default_factory=list)

    def add(self, columns: dict[str, NDArray[np.bool_]], keep: NDArray[np.bool_]) -> None:
        """Add the fighter frames ``keep [T, 2]``."""
        self.frames += int(keep.sum())
        for name, column in columns.items():
            setattr(self, name, getattr(self, name) + int((column & keep).sum()))

    def as_json(self) -> dict[str, Any]:
        """Return the figures; a share without cases is None."""
        runs = np.array(self.runs)
        return {
            "one_step": {
                "state": _share(self.state, self.frames),
                "all_fields": _share(self.all_fields, self.frames),
                "kinematics_bit_exact": _share(self.bit_exact, self.frames),
                "velocities_bit_exact": _share(self.speeds_exact, self.speeds_told),
            },
            "free_run": {
                "runs": len(runs),
                "median_frames": float(np.median(runs)) if len(runs) else None,
                "p90_frames": float(np.percentile(runs, 90)) if len(runs) else None,
                "longest_frames": int(runs.max()) if len(runs) else None,
            },
            "hits": self.hits(),
            "fighter_frames": self.frames,
        }

    def hits(self) -> dict[str, Any]:
        """Return the figures of hits: within one frame, and on the very frame."""
        return {
            "recorded": self.recorded_hits,
            "predicted": self.predicted_hits,
            "precision": _share(self.predicted_right, self.predicted_hits),
            "recall": _share(self.recorded_found, self.recorded_hits),
            "exact_precision": _share(self.predicted_exact, self.predicted_hits),
            "exact_recall": _share(self.recorded_exact, self.recorded_hits),
        }


class Summary:
    """Collects games; :meth:`as_json` gives the figures named in the command's documentation."""

    def __init__(self) -> None:
        """Start empty."""
        self.games = 0
        self.total = Group()
        self.parts: dict[str, dict[str, Group]] = {"by_character": {}, "by_family": {}, "by_stage": {}}
        self.by_victim_state: dict[int, Group] = {}
        self.fields: dict[str, list[int]] = {}
        self.formulas: dict[str, list[int]] = {}
        self.misses: Counter[tuple[int, int, int, str]] = Counter()
        self.examples: dict[tuple[int, int, int, str], dict[str, Any]] = {}

    def add(self, name: str, game: Game) -> OneStep:
        """Check one game, add it under ``name`` and return its check."""
        result = compare(game)
        lengths = [int(length) for length in run_free(game, result.starts)]
        columns = _columns(result)
        everything = np.ones_like(columns["state"])
        self.games += 1
        self.total.add(columns, everything)
        stage = stage_from_external(game.info.stage).name
        for group in (self.total, self._part("by_stage", stage)):
            group.runs += lengths
        self._part("by_stage", stage).add(columns, everything)
        played = result.recorded["character"]
        for internal in np.unique(played):
            group = self._part("by_character", character_from_internal(int(internal)).name)
            group.add(columns, played == internal)
            group.runs += lengths
        kinds = families(result.before["action"])
        for kind in np.unique(kinds):
            self._part("by_family", FAMILIES[kind]).add(columns, kinds == kind)
        struck = columns["predicted_hits"] | columns["recorded_hits"]
        victims = result.before["action"]
        for action in np.unique(victims[struck]):
            group = self.by_victim_state.setdefault(int(action), Group())
            group.add(columns, struck & (victims == action))
        for field_name, passed in result.passed.items():
            sums = self.fields.setdefault(field_name, [0, 0])
            sums[0] += int(passed.sum())
            sums[1] += passed.size
        for formula, (right, of) in count(result).items():
            sums = self.formulas.setdefault(formula, [0, 0])
            sums[0] += right
            sums[1] += of
        self._count_misses(name, result)
        return result

    def _part(self, kind: str, name: str) -> Group:
        return self.parts[kind].setdefault(name, Group())

    def _count_misses(self, name: str, result: OneStep) -> None:
        for t, seat in zip(*np.nonzero(~result.all_passed), strict=True):
            wrong = [field_name for field_name, passed in result.passed.items() if not passed[t, seat]]
            states = (result.before, result.predicted, result.recorded)
            before, ours, theirs = (int(part["action"][t, seat]) for part in states)
            key = (before, ours, theirs, wrong[0])
            self.misses[key] += 1
            if key not in self.examples:
                self.examples[key] = {
                    "file": name,
                    "frame": int(result.frames[t]),
                    "seat": int(seat),
                    "diff": {
                        field_name: [
                            part[field_name][t, seat].item() for part in (result.predicted, result.recorded)
                        ]
                        for field_name in wrong
                    },
                }

    def as_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "games": self.games,
            **self.total.as_json(),
            "by_field": {name: _share(*sums) for name, sums in self.fields.items()},
            "by_formula": {name: {"right": right, "of": of} for name, (right, of) in self.formulas.items()},
            **{
                kind: {name: group.as_json() for name, group in sorted(groups.items())}
                for kind, groups in self.parts.items()
            },
            "hits_by_victim_state": {
                str(action): group.hits() for action, group in sorted(self.by_victim_state.items())
            },
            "top_misses": [
                {"count": count, "before": key[0], "ours": key[1], "recorded": key[2], **self.examples[key]}
                for key, count in self.misses.most_common(TOP_MISSES)
            ],
        }


def summarise(games: Iterable[tuple[str, Game]]) -> Summary:
    """Check named games one after the other."""
    summary = Summary()
    for name, game in games:
        summary.add(name, game)
    return summary


def _columns(result: OneStep) -> dict[str, NDArray[np.bool_]]:
    # A hit raises the percent and stops the victim; Slippi before 3.8 does not tell the second.
    told = "hitlag" in result.passed
    ours, theirs = (
        (fighters["percent"] > result.before["percent"]) & ((fighters["hitlag"] > 0) | (not told))
        for fighters in (result.predicted, result.recorded)
    )
    speeds = result.speeds_exact
    return {
        "state": result.passed["action"],
        "all_fields": result.all_passed,
        "bit_exact": result.bit_exact,
        "speeds_told": np.full(ours.shape, speeds is not None),
        "speeds_exact": np.zeros_like(ours) if speeds is None else speeds,
        "predicted_hits": ours,
        "predicted_right": ours & _within_one(theirs),
        "predicted_exact": ours & theirs,
        "recorded_hits": theirs,
        "recorded_found": theirs & _within_one(ours),
        "recorded_exact": ours & theirs,
    }


def _within_one(hits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Frames ``[T, 2]`` with a hit on them or on a neighbour."""
    near = hits.copy()
    near[1:] |= hits[:-1]
    near[:-1] |= hits[1:]
    return near


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
