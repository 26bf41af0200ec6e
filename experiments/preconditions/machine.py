"""The machine and this installation: Python, packages, caches, the engine, graphics."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator

from experiments.preconditions.check import Check

CORE = ("numpy", "numba", "gymnasium", "pettingzoo", "rich", "typer")
EXTRAS = {
    "train": ("torch", "stable_baselines3", "sb3_contrib", "safetensors"),
    "imitation": ("imitation", "datasets"),
    "replays": ("peppi_py", "pyarrow"),
    "dolphin": ("melee", "psutil"),
    "view": ("pygame", "imageio", "PIL"),
    "dashboard": ("jinja2", "scipy"),
}
DISTRIBUTION = "melee-env-suite"
NEEDED_DISK_GIB = 1.0


def check_python() -> Iterator[Check]:
    """Python is 3.11."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check(
        "Python", sys.version_info[:2] == (3, 11), version, "use Python 3.11: make setup PYTHON=python3.11"
    )


def check_packages() -> Iterator[Check]:
    """The core's packages are installed; extras are there or not."""
    missing = [name for name in CORE if importlib.util.find_spec(name) is None]
    yield Check(
        "core packages", not missing, "all there" if not missing else f"no {', '.join(missing)}", "make setup"
    )
    for extra, names in EXTRAS.items():
        missing = [name for name in names if importlib.util.find_spec(name) is None]
        detail = "all there" if not missing else f"no {', '.join(missing)}"
        fix = f"pip install 'melee-env-suite[{extra}]'"
        yield Check(f"extra {extra}", not missing, detail, fix, needed=False)


def check_versions() -> Iterator[Check]:
    """Every installed package has a version that this one was made for."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        yield Check("package versions", False, "cannot be compared", "pip install packaging", needed=False)
        return
    wrong, fixes, seen = [], [], 0
    for line in importlib.metadata.requires(DISTRIBUTION) or ():
        wanted = Requirement(line)
        try:
            found = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            continue
        seen += 1
        if not wanted.specifier.contains(found, prereleases=True):
            wrong.append(f"{wanted.name} {found} is not {wanted.specifier}")
            fixes.append(f"'{wanted.name}{wanted.specifier}'")
    yield Check(
        "package versions",
        not wrong,
        "; ".join(wrong) or f"{seen} packages as wanted",
        f"pip install {' '.join(fixes)}",
    )


def check_graphics() -> Iterator[Check]:
    """A graphics card computes; without one networks run on the processor."""
    if importlib.util.find_spec("torch") is None:
        yield Check(
            "GPU", False, "torch is not installed", f"pip install '{DISTRIBUTION}[train]'", needed=False
        )
        return
    import torch

    if torch.cuda.is_available():
        yield Check("GPU", True, f"{torch.cuda.get_device_name(0)}, CUDA {torch.version.cuda}")
        return
    yield Check(
        "GPU",
        False,
        "torch sees none; networks run on the processor",
        "install the driver and a torch build for it, if there is a card",
        needed=False,
    )


def check_cache() -> Iterator[Check]:
    """Compiled engines can be kept."""
    from melee_env.engine.kernel import cache_folder

    folder = cache_folder()
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    fix = "set MELEE_ENV_CACHE to a folder that you can write to"
    if not os.access(place, os.W_OK):
        yield Check("compile cache", False, f"{place} is read-only", fix)
        return
    free = shutil.disk_usage(place).free / 2**30
    yield Check("compile cache", free > 0.1, f"{folder} ({free:.1f} GiB free)", fix)


def check_engine() -> Iterator[Check]:
    """The engine plays a frame."""
    import numpy as np

    from melee_env.backends.base import MatchOptions, make_backend
    from melee_env.controller import neutral

    backend = make_backend("embedded", 1)
    before = int(backend.reset(np.zeros(1, np.uint32), [MatchOptions()])["frame"][0])
    after = int(backend.step(neutral(1, 2))["frame"][0])
    backend.close()
    yield Check("engine", after == before + 1, f"frame {before} -> {after}", "melee-env warmup --debug")


def check_plug_ins() -> Iterator[Check]:
    """Every agent plug-in loads."""
    import warnings

    import agents

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = agents.specs()
    broken = [str(w.message) for w in caught if "plug-in" in str(w.message)]
    detail = "; ".join(broken) or f"{len(names)} agents"
    yield Check("agents", not broken, detail, "repair or uninstall the package", needed=False)


def check_disk() -> Iterator[Check]:
    """Results can be written here."""
    try:
        with tempfile.TemporaryFile(dir="."):
            pass
    except OSError as error:
        yield Check("working folder", False, str(error.strerror), "change to a folder that you can write to")
        return
    free = shutil.disk_usage(".").free / 2**30
    yield Check(
        "working folder", free > NEEDED_DISK_GIB, f"{free:.1f} GiB free", "make room: 1 GiB is needed"
    )


MACHINE_CHECKS: dict[str, Callable[[], Iterator[Check]]] = {
    "Python": check_python,
    "packages": check_packages,
    "package versions": check_versions,
    "GPU": check_graphics,
    "compile cache": check_cache,
    "engine": check_engine,
    "agents": check_plug_ins,
    "working folder": check_disk,
}
