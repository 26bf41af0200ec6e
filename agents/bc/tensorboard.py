"""What a trainer reports, as curves for TensorBoard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agents.base import Progress

FOLDER = "tensorboard"


@contextmanager
def with_tensorboard(report: Progress, out: Path, epochs_done: int) -> Iterator[Progress]:
    """Give a ``report`` that also writes event files into ``out``; curves of later epochs are dropped from them.

    Updates are written against their number, everything else, dotted, against the epoch.
    """
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(out / FOLDER), purge_step=epochs_done or None) as writer:

        def both(event: Mapping[str, Any]) -> None:
            if event["event"] == "update":
                for key in ("loss", "learning_rate"):
                    writer.add_scalar(f"update.{key}", event[key], event["update"])
            else:
                for key, value in _numbers(event):
                    writer.add_scalar(key, value, event["epoch"])
            report(event)

        yield both


def _numbers(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{prefix}{key}.")
        elif isinstance(value, (int, float)):
            yield prefix + key, float(value)
