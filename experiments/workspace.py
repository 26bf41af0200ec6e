"""A result folder that one job fills at a time, and that shows new results only when they are complete."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from melee_env.errors import MeleeEnvError


@contextmanager
def result_folder(out: Path) -> Iterator[Path]:
    """Give a working folder inside ``out``; what it holds at the end replaces what ``out`` held under those names.

    After an error ``out`` is as it was. Only one job at a time can have the folder.

    Raises:
        MeleeEnvError: another job is working in ``out``.
    """
    import fcntl

    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise MeleeEnvError(
                f"{out}: another job is working here; wait for it or choose another --out"
            ) from None
        work = out / ".new"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            yield work
            for made in sorted(work.iterdir()):
                _replace(made, out / made.name)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _replace(new: Path, target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        old = target.with_name(f".old-{target.name}")
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        new.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    else:
        new.replace(target)
