"""Windows of training tensors: fixed length, never across a game, read lazily, aligned and augmented.

Time runs in decisions. Decision ``t`` of an episode sees the observation of row ``t - frame_delay`` and is
labelled with the action of row ``t + action_delay``; the previous action is that of the row before the label.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demonstrations.columns import Columns
from demonstrations.shards import RESIDENT_BYTES, TensorStore
from demonstrations.tensors import Episode, Rows
from melee_env.actions import make_codec
from melee_env.actions.multidiscrete import mirrored
from melee_env.engine.kernel import entry_point
from melee_env.errors import MissingExtra, OptionError

SIDEWAYS = ("x", "facing", "vel_air_x", "vel_ground_x", "knockback_x", "dx", "vel_x", "stick_x", "cstick_x")
"""Last parts of the names of numbers that change their sign in a mirror."""
MEASURED = (*SIDEWAYS, "y", "vel_y", "knockback_y", "dy", "edge", "percent", "shield")
"""Last parts of the names of numbers that noise is added to (``facing`` excepted)."""

MIXED_PARTS = 8
"""Parts (batches of shards) whose windows are shuffled together: about 500 games."""


@dataclass(frozen=True)
class Batch:
    """Windows; arrays have ``[B, L]`` in front (``[L]`` for a single window)."""

    numbers: NDArray[np.float32]
    """``[B, L, plain columns]``"""
    ids: NDArray[np.uint8]
    """``[B, L, one-hot blocks]``"""
    actions: NDArray[Any]
    """``[B, L, …]`` the labels"""
    previous_actions: NDArray[Any]
    """``[B, L, …]`` neutral before the first"""
    episode_start: NDArray[np.bool_]
    """``[B, L]`` an episode's first decision"""
    weights: NDArray[np.float32]
    """``[B, L]`` 1, or ``transition_weight`` where the action changes"""
    rewards: NDArray[np.float32]
    """``[B, L]`` of the step that the label acts on"""
    frame_delay: NDArray[np.int64]
    """``[B]`` frames by which the observations are late"""


@dataclass(frozen=True)
class Settings:
    """How windows are cut, aligned and augmented."""

    length: int = 64
    """decisions in a window"""
    stride: int = 0
    """decisions between the beginnings of two windows; 0 for ``length``"""
    frame_delay: int | tuple[int, int] = 0
    """frames by which observations are late; a pair draws it for every window, both ends included"""
    action_delay: int = 0
    """frames from decision to effect"""
    mirror: float = 0.0
    """share of windows with left and right exchanged"""
    noise: float = 0.0
    """standard deviation of what is added to positions, speeds and percents, in encoded units"""
    oversample: float = 1.0
    """how much likelier a window is for each of its decisions that changes the action; 1 draws all windows once"""
    transition_weight: float = 1.0
    """weight of a decision that changes the action"""
    seed: int = 0
    """of order and augmentation"""

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        low, high = self.delays
        if self.length < 1 or self.stride < 0:
            raise OptionError(f"length and stride must be positive, not {self.length} and {self.stride}")
        if not 0 <= low <= high or self.action_delay < 0:
            raise OptionError(
                f"delays must be 0 or more frames, not {self.frame_delay} and {self.action_delay}"
            )
        if not 0 <= self.mirror <= 1 or self.noise < 0 or self.oversample < 1 or self.transition_weight < 0:
            raise OptionError(
                "mirror is a share, noise and transition_weight are 0 or more, oversample 1 or more"
            )

    @property
    def delays(self) -> tuple[int, int]:
        """Lowest and highest frame delay."""
        return (
            self.frame_delay if isinstance(self.frame_delay, tuple) else (self.frame_delay, self.frame_delay)
        )


class Windows:
    """All windows inside episodes; a map-style data set for ``torch.utils.data.DataLoader`` as it is.

    An episode that is too short has no window. The last window of an episode ends with its last label, so every
    decision of a long enough episode is in some window.

    Args:
        parts: rows with their episodes, e.g. ``TensorStore.parts()``.
        columns: which columns the rows hold.
        names: names of all numbers of an observation.
        settings: see :class:`Settings`.
        action: name of the action codec.
        keep: which episodes to use; None for all.
        release: called when :data:`RESIDENT_BYTES` have been read.

    Raises:
        OptionError: mirroring with another codec than ``multidiscrete``.
    """

    def __init__(
        self,
        parts: Sequence[Rows],
        columns: Columns,
        names: Sequence[str],
        settings: Settings | None = None,
        action: str = "multidiscrete",
        keep: Callable[[Episode], bool] | None = None,
        release: Callable[[], None] | None = None,
    ) -> None:
        self.settings = settings = settings or Settings()
        if settings.mirror and action != "multidiscrete":
            raise OptionError(f"actions {action!r} cannot be mirrored; use 'multidiscrete' or mirror=0")
        self.parts, self.columns, self.epoch = parts, columns, 0
        self._neutral, self._release, self._read = make_codec(action).neutral(), release, 0
        last = [names[column].rpartition(".")[2] for column in columns.plain]
        self._signs = np.where(np.isin(last, SIDEWAYS), -1, 1).astype(np.float32)
        self._noisy = (np.isin(last, MEASURED) & (np.array(last) != "facing")).astype(np.float32)
        latest = settings.delays[1]
        stride, places = settings.stride or settings.length, []
        for number, part in enumerate(parts):
            for episode in part.episodes:
                if keep is not None and not keep(episode):
                    continue
                end = episode.length - settings.action_delay - settings.length
                begins = np.arange(latest, end + 1, stride)
                if len(begins) and begins[-1] != end:
                    begins = np.append(begins, end)
                fixed = np.array([number, episode.start])
                places.append(np.column_stack([np.tile(fixed, (len(begins), 1)), begins]))
        self.places: NDArray[np.int64] = np.concatenate(places) if places else np.zeros((0, 3), np.int64)
        """``[windows, 3]``: part, the episode's first row, the window's first decision"""

    @classmethod
    def of_store(
        cls,
        store: TensorStore,
        settings: Settings | None = None,
        keep: Callable[[Episode], bool] | None = None,
    ) -> Windows:
        """Return the windows of a folder of tensors.

        Raises:
            OptionError: an action delay with observations that show committed actions: they were encoded without.
        """
        action, settings = store.settings["action"], settings or Settings()
        if settings.action_delay and (store.previous or store.shows_delay):
            raise OptionError(
                f"observation {store.settings['observation']!r} shows previous actions or the delay as without a "
                "delay; encode with previous=0,delay=off, or load_trajectories(…, action_delay=…)"
            )
        return cls(store.parts(), store.columns, store.names, settings, action, keep, store.release)

    def __len__(self) -> int:
        """Number of windows."""
        return len(self.places)

    def __getitem__(self, index: int) -> Batch:
        """Return one window, without a batch axis."""
        batch = self.__getitems__([index])
        return Batch(**{name: values[0] for name, values in vars(batch).items()})

    def __getitems__(self, indices: Sequence[int]) -> Batch:
        """Return windows by their numbers; the same number in the same epoch is augmented the same way."""
        settings, count = self.settings, len(indices)
        part = self.parts[0]
        shape = (count, settings.length)
        batch = Batch(
            np.empty((*shape, part.numbers.shape[1]), np.float32),
            np.empty((*shape, part.ids.shape[1]), np.uint8),
            np.empty((*shape, *part.actions.shape[1:]), part.actions.dtype),
            np.empty((*shape, *part.actions.shape[1:]), part.actions.dtype),
            np.zeros(shape, bool),
            np.ones(shape, np.float32),
            np.empty(shape, np.float32),
            np.zeros(count, np.int64),
        )
        at = self.places[np.asarray(indices, np.int64)]
        rngs = self._draw(indices, batch)
        seen = at[:, 1] + at[:, 2] - batch.frame_delay
        acted = at[:, 1] + at[:, 2] + settings.action_delay
        for number in np.unique(at[:, 0]).tolist():
            windows, part = np.flatnonzero(at[:, 0] == number), self.parts[number]
            for target, source, rows in (
                (batch.numbers, part.numbers, seen),
                (batch.ids, part.ids, seen),
                (batch.actions, part.actions, acted),
                (batch.rewards, part.rewards, acted),
                (batch.previous_actions, part.actions, acted - 1),
            ):
                copy_windows(_bytes(source), rows, windows, _bytes(target, 2))
        batch.previous_actions[acted == at[:, 1], 0] = self._neutral
        batch.episode_start[:, 0] = at[:, 2] == settings.delays[1]
        self._augment(batch, rngs)
        if settings.transition_weight != 1:
            changed = batch.actions != batch.previous_actions
            changed = changed.reshape(*shape, -1).any(-1) & ~batch.episode_start
            batch.weights[changed] = settings.transition_weight
        self._read += batch.numbers.nbytes + batch.ids.nbytes + 2 * batch.actions.nbytes
        if self._release is not None and self._read > RESIDENT_BYTES:
            self._release()
            self._read = 0
        return batch

    def _draw(self, indices: Sequence[int], batch: Batch) -> list[np.random.Generator]:
        """Fill the frame delays; return a generator per window, none if nothing is drawn."""
        settings, (low, high) = self.settings, self.settings.delays
        batch.frame_delay[:] = low
        if low == high and not settings.mirror and not settings.noise:
            return []
        rngs = [np.random.default_rng([settings.seed, self.epoch, int(index)]) for index in indices]
        batch.frame_delay[:] = [rng.integers(low, high + 1) for rng in rngs]
        return rngs

    def _augment(self, batch: Batch, rngs: list[np.random.Generator]) -> None:
        settings = self.settings
        if not rngs:
            return
        turned = np.array([rng.random() < settings.mirror for rng in rngs])
        if turned.any():
            batch.numbers[turned] *= self._signs
            batch.actions[turned] = mirrored(batch.actions[turned])
            batch.previous_actions[turned] = mirrored(batch.previous_actions[turned])
        if settings.noise:
            scale = self._noisy * np.float32(settings.noise)
            for numbers, rng in zip(batch.numbers, rngs, strict=True):
                numbers += rng.standard_normal(numbers.shape, np.float32) * scale

    def order(self, epoch: int) -> NDArray[np.int64]:
        """Return the numbers of an epoch's windows: every one once, or drawn by :attr:`Settings.oversample`.

        Windows of at most :data:`MIXED_PARTS` parts are mixed at a time, other ones in every epoch: a store that is
        larger than memory is read shard by shard, not at random.
        """
        rng = np.random.default_rng([self.settings.seed, epoch])
        if self.settings.oversample == 1:
            drawn = rng.permutation(len(self))
        else:
            chance = self.chances()
            drawn = rng.choice(len(self), len(self), p=chance / chance.sum())
        if len(self.parts) <= MIXED_PARTS:
            return drawn
        group = rng.permutation(len(self.parts)) // MIXED_PARTS
        return drawn[np.argsort(group[self.places[drawn, 0]], kind="stable")]

    def chances(self) -> NDArray[np.float64]:
        """Return how likely each window is: 1 plus ``oversample - 1`` per share of decisions that change the action."""
        changes = []
        for part in self.parts:
            flat = part.actions.reshape(len(part.actions), -1)
            changed = np.zeros(len(flat) + 1, np.int64)
            changed[2:] = np.cumsum((flat[1:] != flat[:-1]).any(-1))
            changes.append(changed)
        length = self.settings.length
        shares = np.empty(len(self))
        first = self.places[:, 1] + self.places[:, 2] + self.settings.action_delay
        for number, changed in enumerate(changes):
            of_part = self.places[:, 0] == number
            at = first[of_part]
            shares[of_part] = (changed[at + length] - changed[at]) / length
        return 1 + (self.settings.oversample - 1) * shares

    def batches(self, size: int, epoch: int = 0) -> Iterator[Batch]:
        """Yield an epoch's windows in batches of ``size``; the last one may be smaller."""
        self.epoch = epoch
        order = self.order(epoch)
        for first in range(0, len(order), size):
            yield self.__getitems__(order[first : first + size].tolist())

    def observations(self, batch: Batch) -> NDArray[np.float32]:
        """Return a batch's observations ``[B, L, F]``, to the bit what the encoder gives (before augmentation)."""
        return self.columns.unpack(batch.numbers, batch.ids)


def _bytes(array: NDArray[Any], leading: int = 1) -> NDArray[np.uint8]:
    """View an array as bytes, its axes behind the first ``leading`` laid flat."""
    flat = array.reshape(*array.shape[:leading], -1)
    return flat.view(np.uint8)


@entry_point
def copy_windows(source, rows, windows, out):
    """Copy ``source[rows[k] :]`` to ``out[k]`` for every ``k`` of ``windows``; a row -1 is left out.

    Args:
        source: ``[N, bytes]``.
        rows: ``[B]`` first row of each window.
        windows: which windows to copy.
        out: ``[B, L, bytes]``.
    """
    for k in windows:
        first = max(rows[k], 0)
        skipped = first - rows[k]
        out[k, skipped:] = source[first : first + out.shape[1] - skipped]


def to_torch(batch: Batch) -> dict[str, Any]:
    """Return a batch as tensors, ids and actions as int64; the ``collate_fn`` for a ``DataLoader`` over windows.

    Raises:
        MissingExtra: torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "train") from error
    tensors = {name: torch.from_numpy(np.ascontiguousarray(values)) for name, values in vars(batch).items()}
    for name, tensor in tensors.items():
        if name in ("ids", "actions", "previous_actions") and not tensor.is_floating_point():
            tensors[name] = tensor.long()
    return tensors
