"""Demonstrations that stay in the mapped files of a tensor store; a window's rows are read when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.bc.lanes import Demonstrations
from demonstrations.shards import RESIDENT_BYTES
from demonstrations.stored_trajectories import StoredTrajectories
from melee_env.errors import OptionError


class StoredObservations:
    """Rows of all parts of a store behind one index, like a tensor ``[N, F]`` that is only read.

    Args:
        trajectories: whose rows.
        rows: ``[N]`` rows counted through all parts.
    """

    def __init__(self, trajectories: StoredTrajectories, rows: NDArray[np.int64]) -> None:
        self._store, self._parts, self._rows = trajectories.store, trajectories.parts, rows
        self._begins = np.cumsum([0, *(len(part) for part in self._parts)])
        self._read = 0
        self.shape = (len(rows), self._store.columns.size)

    def __getitem__(self, at: Tensor) -> Tensor:
        """Return the observations ``[…, F]`` of frames ``[…]``."""
        rows = self._rows[at.numpy().reshape(-1)]
        part_of = np.searchsorted(self._begins, rows, "right") - 1
        columns = self._store.columns
        numbers = np.empty((len(rows), len(columns.plain)), np.float32)
        ids = np.empty((len(rows), len(columns.blocks)), np.uint8)
        for number in np.unique(part_of).tolist():
            here = part_of == number
            inside = rows[here] - self._begins[number]
            numbers[here], ids[here] = self._parts[number].numbers[inside], self._parts[number].ids[inside]
        self._read += numbers.nbytes + ids.nbytes
        if self._read > RESIDENT_BYTES:
            self._store.release()
            self._read = 0
        return torch.from_numpy(columns.unpack(numbers, ids).reshape(*at.shape, columns.size))


class StoredDemonstrations(Demonstrations):
    """:class:`Demonstrations` of a tensor store.

    Args:
        trajectories: the store's.

    Raises:
        OptionError: there is none.
    """

    def __init__(self, trajectories: StoredTrajectories) -> None:
        if not len(trajectories):
            raise OptionError("no demonstrations: the store holds no episode of that kind")
        begins = np.cumsum([0, *(len(part) for part in trajectories.parts)])
        episodes = [episode for _, episode in trajectories.places]
        lengths = np.array([episode.length for episode in episodes])
        firsts = np.array([begins[number] + episode.start for number, episode in trajectories.places])
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        rows = np.repeat(firsts - self.starts, lengths) + np.arange(int(self.ends[-1]))
        self.observations = StoredObservations(trajectories, rows)  # type: ignore[assignment]
        actions = [
            trajectories.parts[number].actions[episode.start : episode.start + episode.length]
            for number, episode in trajectories.places
        ]
        self.actions = torch.from_numpy(np.concatenate(actions).reshape(len(rows), -1))
        self.executed = self.actions
        self.episode_start = torch.zeros(len(rows), dtype=torch.bool)
        self.episode_start[torch.from_numpy(self.starts)] = True
        numbers: dict[str, int] = {}
        self.games = np.array([numbers.setdefault(episode.game, len(numbers)) for episode in episodes])
        self._digest = sha256(
            repr((trajectories.store.manifest, self.starts.tolist(), firsts.tolist())).encode()
        )

    def digest(self) -> str:
        """Return a digest of the store's description and of which of its episodes are used."""
        return self._digest.hexdigest()[:16]


def lay_out(demonstrations: Sequence[Any], observation: str, action: str) -> Demonstrations:
    """Return trajectories as flat arrays, in memory or in the files where they are.

    Raises:
        OptionError: there are none, or the store was made with another observation or action.
    """
    if not isinstance(demonstrations, StoredTrajectories):
        return Demonstrations(demonstrations)
    made = demonstrations.store.settings
    for name, wanted in (("observation", observation), ("action", action)):
        if made[name] != wanted:
            raise OptionError(
                f"{demonstrations.store.root} holds {name} {made[name]!r}, not {wanted!r}; "
                f"train with {name}={made[name]}"
            )
    return StoredDemonstrations(demonstrations)
