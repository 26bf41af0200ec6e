"""The trajectories of a folder of training tensors: made when they are asked for, so that memory stays flat."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from demonstrations.shards import MANIFEST, TensorStore
from demonstrations.tensors import Episode
from melee_env.errors import MissingExtra

if TYPE_CHECKING:
    from imitation.data.types import TrajectoryWithRew


def is_tensor_store(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is a folder that ``data encode`` made."""
    return os.path.exists(os.path.join(path, MANIFEST)) and os.path.exists(
        os.path.join(path, "settings.json")
    )


class StoredTrajectories(Sequence[Any]):
    """What :func:`demonstrations.load_trajectories` would give, out of a folder of tensors, without an action delay.

    Args:
        root: the folder that :func:`demonstrations.encode.encode` made.
        keep: which episodes; None for all.

    Raises:
        OptionError: see :class:`TensorStore`.
        MissingExtra: pyarrow is not installed.
    """

    def __init__(self, root: str | os.PathLike[str], keep: Callable[[Episode], bool] | None = None) -> None:
        self.store = TensorStore(root)
        self.parts = self.store.parts()
        self.places = [
            (number, episode)
            for number, part in enumerate(self.parts)
            for episode in part.episodes
            if keep is None or keep(episode)
        ]
        """part and episode of every trajectory"""

    def __len__(self) -> int:
        """Number of trajectories."""
        return len(self.places)

    def __iter__(self) -> Iterator[TrajectoryWithRew]:
        """Make one trajectory after the other."""
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> TrajectoryWithRew: ...
    @overload
    def __getitem__(self, index: slice) -> list[TrajectoryWithRew]: ...
    def __getitem__(self, index: int | slice) -> TrajectoryWithRew | list[TrajectoryWithRew]:
        """Make a trajectory; its arrays are its own.

        Raises:
            MissingExtra: ``imitation`` is not installed.
        """
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        try:
            from imitation.data.types import TrajectoryWithRew
        except ImportError as error:
            raise MissingExtra("imitation", "imitation") from error
        number, episode = self.places[index]
        part = self.parts[number]
        steps = slice(episode.start, episode.start + episode.length)
        seen = slice(episode.start, episode.start + episode.length + 1)
        infos = {key: getattr(episode, key) for key in ("game", "seat", "port", "player")}
        return TrajectoryWithRew(
            obs=self.store.columns.unpack(part.numbers[seen], part.ids[seen]),
            acts=_as_codec_gives(part.actions[steps]),
            infos=np.array([infos] * episode.length, object),
            terminal=episode.terminal,
            rews=part.rewards[steps].copy(),
        )


def _as_codec_gives(actions: NDArray[Any]) -> NDArray[Any]:
    return actions.astype(np.int64) if actions.dtype.kind == "u" else actions.copy()
