"""How well an agent copies recorded players: every head, every button, and by what the player is doing.

The player's own inputs are fed back, frame after frame, so that one slip does not spoil the rest: these figures say
what was learned, not how it is played. Intervals take whole games as the units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation.comparison import describe_differences
from experiments.evaluation.intervals import Interval, ratio_interval
from experiments.evaluation.players import one_thread
from experiments.evaluation.reading import recorded_games
from experiments.families import FAMILIES, families
from melee_env.errors import OptionError

if TYPE_CHECKING:
    from torch import Tensor

    from agents import Agent
    from agents.metrics import ImitationMetrics
    from agents.network_agent import NetworkAgent
    from demonstrations.trajectories import Stretch
    from melee_env.frame import Frames

WINDOW = 256
"""frames that go through the network at once; the result does not depend on it"""


@dataclass
class RecordingResults:
    """What was predicted on every game, by family of action states."""

    agent: str
    path: str
    character: str | None
    cells: dict[str, dict[int, ImitationMetrics]]
    """by the game's key and the family's number"""
    skipped: dict[str, str] = field(default_factory=dict)
    """why a file was not used, by its name: it is no such game, or one that was there already"""

    def __post_init__(self) -> None:
        from agents.metrics import ImitationMetrics

        merge = ImitationMetrics.merged
        self.games = [merge(list(cells.values())) for cells in self.cells.values()]
        self.whole = merge(self.games)
        self.nvec = self.whole.nvec

    def summary(self) -> dict[str, Any]:
        """Return what ``melee-env eval --data`` writes: :meth:`agents.metrics.ImitationMetrics.summary` and more.

        ``interval`` stands beside every accuracy, ``f1_interval`` beside F1, and ``press_ratio`` (predicted presses by
        recorded ones) has ``mean``, ``low``, ``high``; ``families`` repeats the accuracies by action-state family,
        ``reliability`` has the share of right choices of all heads by their confidence.
        """
        found = self.whole.summary()
        names = list(found["heads"])
        frames = [game.frames for game in self.games]
        for k, name in enumerate(names):
            correct = [int(game.correct[k]) for game in self.games]
            found["heads"][name]["interval"] = _bounds(ratio_interval(correct, frames))
            if self.nvec[k] == 2:
                button = found["buttons"][name]
                human = np.array([float(game.human[k][1]) for game in self.games])
                predicted = np.array([float(game.predicted[k][1]) for game in self.games])
                hits = np.array([2.0 * int(game.true_presses[k]) for game in self.games])
                button["f1_interval"] = _bounds(ratio_interval(hits, human + predicted))
                ratio = ratio_interval(predicted, human).to_json()
                button["press_ratio"] = {
                    **ratio,
                    "low": None if ratio["low"] is None else max(0.0, ratio["low"]),
                }
        found.pop("histograms")
        return {
            "agent": self.agent,
            "data": self.path,
            "character": self.character,
            "games": len(self.games),
            "skipped": [{"file": file, "reason": reason} for file, reason in self.skipped.items()],
            **found,
            **_accuracy_intervals(self.games),
            "families": self._families(),
            "reliability": self._reliability(),
        }

    def _families(self) -> dict[str, dict[str, Any]]:
        rows = {}
        for number, name in enumerate(FAMILIES):
            games = [cells[number] for cells in self.cells.values() if number in cells]
            if games:
                rows[name] = describe_accuracy(games)
        return dict(sorted(rows.items(), key=lambda item: -item[1]["frames"]))

    def _reliability(self) -> list[dict[str, float]]:
        choices, confidence, right = self.whole.calibration.sum(0).T
        return [
            {"share": float(n / choices.sum()), "confidence": float(c / n), "right": float(r / n)}
            for n, c, r in zip(choices, confidence, right, strict=True)
            if n
        ]

    def per_game(self, name: str) -> NDArray[np.float64]:
        """Return ``accuracy`` or ``exact_accuracy`` of every game."""
        if name == "exact_accuracy":
            return np.array([game.exact / game.frames for game in self.games])
        return np.array([float(game.correct.double().mean()) / game.frames for game in self.games])


def describe_accuracy(games: list[ImitationMetrics]) -> dict[str, Any]:
    """Return accuracies of all heads and of whole actions, their baselines and intervals over ``games``."""
    from agents.metrics import ImitationMetrics

    summary = ImitationMetrics.merged(games).summary()
    keys = ("frames", "accuracy", "majority_baseline", "exact_accuracy", "exact_majority_baseline")
    return {"games": len(games), **{key: summary[key] for key in keys}, **_accuracy_intervals(games)}


def _accuracy_intervals(games: list[ImitationMetrics]) -> dict[str, Any]:
    frames = [game.frames for game in games]
    mean = [float(game.correct.double().mean()) for game in games]
    exact = [game.exact for game in games]
    return {
        "interval": _bounds(ratio_interval(mean, frames)),
        "exact_interval": _bounds(ratio_interval(exact, frames)),
    }


def _bounds(interval: Interval) -> list[float] | None:
    """Return a share's bounds inside 0..1; None without at least two games."""
    if interval.low is None or interval.high is None:
        return None
    return [max(0.0, interval.low), min(1.0, interval.high)]


def evaluate_recordings(
    agent: Agent,
    path: Path,
    *,
    character: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> RecordingResults:
    """Let ``agent`` predict what the players of recordings do next.

    Args:
        agent: a trained network.
        path: a recording, a folder of them, or a store.
        character: only players of this fighter; None for everyone.
        progress: called with the games that are done; their number is not known before.

    Raises:
        OptionError: the agent has no network or holds its actions; there is no game, or nobody plays ``character``.
        ReplayError: ``path`` is one file and is refused.
    """
    from demonstrations.stored_trajectories import is_tensor_store

    network = require_network(agent)
    if is_tensor_store(path):
        raise OptionError(f"{path} holds training tensors; name the recordings or the store they came from")
    cells: dict[str, dict[int, ImitationMetrics]] = {}
    skipped: dict[str, str] = {}
    with one_thread():
        for key, parts in recorded_games(path, character, skipped, network.delay + 2):
            cells[key] = {}
            for stretch in parts:
                _predict(network, stretch, cells[key])
            if progress is not None:
                progress(len(cells), None)
    return RecordingResults(agent.name, Path(path).name, character, cells, skipped)


def require_network(agent: Agent) -> NetworkAgent:
    """Return ``agent`` if it can be shown frames that it does not play.

    Raises:
        OptionError: it has no network, or holds its actions.
    """
    from agents.network_agent import NetworkAgent

    if not isinstance(agent, NetworkAgent):
        raise OptionError(f"{agent.name!r} has no network to show frames to; name a checkpoint folder")
    if agent.frame_skip != 1:
        raise OptionError(
            f"{agent.name!r} holds an action for {agent.frame_skip} frames; name one that decides on every frame"
        )
    return agent


def require_networks(agents: Sequence[Agent]) -> list[NetworkAgent]:
    """Return agents that can be shown frames and whose choices can be compared.

    Raises:
        OptionError: one has no network or holds its actions, or they choose among different actions.
    """
    networks = [require_network(agent) for agent in agents]
    codecs = {network.codec.name for network in networks}
    if len(codecs) > 1:
        raise OptionError(
            f"agents that choose among different actions ({', '.join(sorted(codecs))}) cannot be compared so"
        )
    return networks


def _predict(agent: NetworkAgent, stretch: Stretch, cells: dict[int, ImitationMetrics]) -> None:
    """Add a player's frames to the cells of the families that they belong to."""
    import torch

    from agents.metrics import ImitationMetrics

    kinds = families(stretch.frames["seats"]["leader"]["action"][:, 0])
    for part, hidden, actions in follow(agent, stretch.frames):
        for kind in np.unique(kinds[part]).tolist():
            here = torch.from_numpy(kinds[part] == kind)
            cell = cells.setdefault(kind, ImitationMetrics(agent.policy.config.nvec))
            cell.add(agent.policy.heads(hidden[here]), actions[here])


def follow(agent: NetworkAgent, frames: Frames) -> Iterator[tuple[slice, Tensor, Tensor]]:
    """Show a player's frames to ``agent`` with what the player did on the frame before.

    Args:
        agent: its memory starts with the first frame.
        frames: ``[T]`` without gaps, the player first.

    Yields:
        Which frames, at most :data:`WINDOW` at once, the network's output ``[n, H]`` for its action heads, and the
        player's actions ``[n, heads]``; together ``T - 1`` frames, less the agent's action delay.
    """
    import torch

    from demonstrations.trajectories import observe

    _, obs, acts = observe(frames, agent.encoder, agent.codec, agent.delay)
    actions = torch.from_numpy(acts.astype(np.int64).reshape(len(acts), -1))
    before = torch.cat([actions[:1], actions[:-1]])  # of the first frame it is blank
    start = torch.zeros(1, len(actions), dtype=torch.bool)
    start[0, 0] = True
    state = None
    with torch.inference_mode():
        for begin in range(0, len(acts), WINDOW):
            part = slice(begin, min(begin + WINDOW, len(acts)))
            seen = torch.from_numpy(obs[part])[None]
            hidden, state = agent.policy.hidden(seen, state, start[:, part], before[part][None])
            yield part, hidden[0], actions[part]


def compare_recordings(ours: RecordingResults, baseline: RecordingResults) -> Mapping[str, Any]:
    """Compare two agents on the same recordings, game by game; see :func:`~.comparison.compare`.

    Raises:
        OptionError: the games are not the same.
    """
    if list(ours.cells) != list(baseline.cells):
        raise OptionError("only agents that were shown the same games can be compared pairwise")
    return {
        name: describe_differences(ours.per_game(name) - baseline.per_game(name), 0)
        for name in ("accuracy", "exact_accuracy")
    }
