"""How an agent does where its training data have not been: on and off the manifold of recorded situations.

A situation is an action state with its animation frame. One is *on the manifold* when a recorded player of the same
fighter has been in it. An expert that labels every frame tells how often an agent's most likely action is right on
the manifold and off it. That share depends on the frames as much as on the agent: read it as the difference of two
agents on the same games, never alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation.comparison import describe_differences
from experiments.evaluation.games import GameResults
from experiments.evaluation.intervals import ratio_interval
from experiments.evaluation.players import one_thread
from experiments.evaluation.reading import recorded_games
from experiments.evaluation.recordings import describe_accuracy, follow, require_networks
from experiments.families import state_name
from melee_env.controller import Controllers
from melee_env.frame import Frames
from melee_env.ids import Character, parse

if TYPE_CHECKING:
    from agents import Agent
    from agents.metrics import ImitationMetrics
    from agents.network_agent import NetworkAgent

LONGEST = 1 << 16
"""animation frames that a situation's number has room for"""
PLACES = ("all", "on", "off")


@dataclass(frozen=True)
class Manifold:
    """The situations in which recorded players of one fighter have been."""

    situations: NDArray[np.int64]
    """their numbers, in order; see :func:`situations`"""
    source: str
    """name of the file, folder or store"""
    games: int
    """how many games hold a player of the fighter"""
    skipped: Mapping[str, str]
    """why a file was not used, by its name"""

    def holds(self, fighter: Frames) -> NDArray[np.bool_]:
        """Say which frames ``[...]`` of ``FIGHTER_DTYPE`` are on the manifold."""
        return np.isin(situations(fighter), self.situations)


def situations(fighter: Frames) -> NDArray[np.int64]:
    """Return the number of the situation, action state and whole animation frame, of frames ``[...]``."""
    age = np.clip(np.floor(np.nan_to_num(fighter["action_frame"])) + 2, 0, LONGEST - 1)
    return fighter["action"].astype(np.int64) * LONGEST + age.astype(np.int64)


def learn_manifold(path: Path, character: str | Character) -> Manifold:
    """Collect the situations of recorded players of ``character``.

    Args:
        path: a recording, a folder of them, or a store: what the agent was trained on.
        character: the fighter.

    Raises:
        OptionError: nobody plays the fighter there.
        ReplayError: ``path`` is one file and is refused.
    """
    seen: set[int] = set()
    games = set()
    skipped: dict[str, str] = {}
    for key, parts in recorded_games(path, parse(Character, character).name, skipped):
        games.add(key)
        for stretch in parts:
            seen.update(np.unique(situations(stretch.frames["seats"]["leader"][:, 0])).tolist())
    return Manifold(np.array(sorted(seen), np.int64), Path(path).name, len(games), skipped)


@dataclass
class RolloutResults:
    """What an agent's own games hold, frame by frame."""

    manifold: Manifold
    on: list[NDArray[np.bool_]] = field(default_factory=list)
    """per game, ``[T]``: the frame is on the manifold"""
    visited: list[NDArray[np.int64]] = field(default_factory=list)
    """per game, ``[T]``: the situation"""
    expert: str | None = None
    agreement: dict[str, list[dict[str, ImitationMetrics]]] = field(default_factory=dict)
    """per agent and game, how it agrees with the expert ``on`` and ``off`` the manifold, where there are frames"""

    def summary(self) -> dict[str, Any]:
        """Return what ``melee-env eval --seen`` writes as ``manifold``.

        ``on`` is the share of frames on the manifold, ``unseen`` the action states visited most off it. With
        an expert, ``agreement`` has per agent and place (``all``, ``on``, ``off``) the share of heads, and of whole
        actions, in which the most likely action is the expert's, beside that of the expert's most frequent choice;
        ``difference`` is the first agent's minus the second's, game by game, of whole actions.
        """
        lengths = [len(on) for on in self.on]
        found: dict[str, Any] = {
            "seen": self.manifold.source,
            "seen_games": self.manifold.games,
            "seen_situations": len(self.manifold.situations),
            "skipped": [{"file": file, "reason": why} for file, why in self.manifold.skipped.items()],
            "frames": sum(lengths),
            "on": ratio_interval([int(on.sum()) for on in self.on], lengths).to_json(),
            "unseen": self.unseen(),
        }
        if self.expert is not None:
            found["expert"] = self.expert
            found["agreement"] = {
                name: {
                    place: describe_accuracy(list(parts.values()))
                    for place in PLACES
                    if (parts := self._parts(name, place))
                }
                for name in self.agreement
            }
            if len(self.agreement) == 2:
                found["difference"] = self.difference()
        return found

    def unseen(self, count: int = 10) -> list[dict[str, Any]]:
        """Return the ``count`` action states in which most frames off the manifold were spent, the most first.

        ``action_frames`` are the first and the last unseen animation frame of the state, ``games`` how many games
        were there.
        """
        total = sum(len(on) for on in self.on)
        off = [visited[~on] for on, visited in zip(self.on, self.visited, strict=True)]
        numbers = np.concatenate(off)
        states, frames = np.unique(numbers // LONGEST, return_counts=True)
        rows = []
        for state, visits in sorted(
            zip(states.tolist(), frames.tolist(), strict=True), key=lambda row: -row[1]
        ):
            ages = numbers[numbers // LONGEST == state] % LONGEST - 2
            rows.append(
                {
                    "state": state_name(state),
                    "action_frames": [int(ages.min()), int(ages.max())],
                    "frames": visits,
                    "share": visits / total,
                    "games": sum(bool((one // LONGEST == state).any()) for one in off),
                }
            )
        return rows[:count]

    def difference(self) -> dict[str, Any]:
        """Return the paired differences by place; see :func:`experiments.evaluation.comparison.compare`."""
        ours, theirs = self.agreement
        found = {}
        for place in PLACES:
            mine, other = self._parts(ours, place), self._parts(theirs, place)
            if mine:
                differences = [(mine[n].exact - other[n].exact) / mine[n].frames for n in mine]
                found[place] = describe_differences(differences, 0)
        return found

    def _parts(self, name: str, place: str) -> dict[int, ImitationMetrics]:
        """Return an agent's agreement by the number of the game, of games that have been in ``place``."""
        from agents.metrics import ImitationMetrics

        games = dict(enumerate(self.agreement[name]))
        if place == "all":
            return {n: ImitationMetrics.merged(list(parts.values())) for n, parts in games.items()}
        return {n: parts[place] for n, parts in games.items() if place in parts}


def evaluate_rollout(
    results: GameResults,
    manifold: Manifold,
    expert: Agent | None = None,
    agents: Mapping[str, Agent] | None = None,
) -> RolloutResults:
    """Look at games that were played: where they left the manifold, and who would do there what an expert would do.

    Every agent is shown the same frames with what was played on the frame before, and has no hand in them.

    Args:
        results: all its games recorded; the frames are those of ``results.agent``.
        manifold: the situations of its training data.
        expert: labels every frame; None for no agreement.
        agents: one or two networks by name, the first is the one whose games they are; not read without an expert.

    Raises:
        OptionError: an agent has no network, or two agents have different actions.
    """
    from demonstrations.trajectories import stretches

    parts = [
        stretch
        for number, game in results.recordings.items()
        for stretch in stretches(game, (int(results.seats[number]),))
    ]
    found = RolloutResults(manifold)
    for stretch in parts:
        own = stretch.frames["seats"]["leader"][:, 0]
        found.on.append(manifold.holds(own))
        found.visited.append(situations(own))
    if expert is None or agents is None:
        return found
    networks = dict(zip(agents, require_networks(list(agents.values())), strict=True))
    found.expert = expert.name
    with one_thread():
        labels = _labels(expert, [stretch.frames for stretch in parts])
        for name, network in networks.items():
            found.agreement[name] = [
                _agree(network, stretch.frames, label, on)
                for stretch, label, on in zip(parts, labels, found.on, strict=True)
            ]
    return found


def _labels(expert: Agent, games: Sequence[Frames]) -> list[Controllers]:
    """Return what ``expert`` would do after every frame of every game, ``[T]`` each."""
    expert.reset(len(games), 0)
    lengths = np.array([len(frames) for frames in games])
    start, answers = np.ones(len(games), bool), []
    for t in range(int(lengths.max())):
        now = np.array([frames[min(t, len(frames) - 1)] for frames in games])
        answers.append(expert.act(now, start))
        start = np.zeros(len(games), bool)
    return [np.array(answers)[:length, n] for n, length in enumerate(lengths)]


def _agree(
    network: NetworkAgent, frames: Frames, labels: Controllers, on: NDArray[np.bool_]
) -> dict[str, ImitationMetrics]:
    """Compare the network's choices in one game with the expert's, by place."""
    import torch

    from agents.metrics import ImitationMetrics

    # What is chosen on frame t acts on the step after frame t + delay, which is what the expert has to say there.
    expected = torch.from_numpy(
        np.asarray(network.codec.encode(labels[network.delay :]), np.int64).reshape(
            len(labels) - network.delay, -1
        )
    )
    places: dict[str, ImitationMetrics] = {}
    for part, hidden, _ in follow(network, frames):
        for place, mask in (("on", on[part]), ("off", ~on[part])):
            if mask.any():
                here = torch.from_numpy(mask)
                cell = places.setdefault(place, ImitationMetrics(network.policy.config.nvec))
                cell.add(network.policy.heads(hidden[here]), expected[part][here])
    return places
