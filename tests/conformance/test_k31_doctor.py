"""K31: every precondition, broken in turn, is found by ``melee-env doctor``, named, and comes with a fix."""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.cli import main
from experiments.preconditions import emulator, machine
from experiments.preconditions.check import Check, run_checks
from experiments.preconditions.emulator import emulator_checks
from experiments.preconditions.machine import MACHINE_CHECKS
from melee_env.engine.engine import warm_up

pytest.importorskip("melee")
MEASURES = ["Python", "packages", "package versions", "compile cache", "engine", "agents", "working folder"]
Break = Callable[[pytest.MonkeyPatch, Path], dict[str, str]]


def program(folder: Path, text: str) -> str:
    path = folder / "dolphin"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def old_python(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    patch.setattr(sys, "version_info", (3, 8, 0))
    return {"check": "Python"}


def no_numba(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    patch.setattr(machine, "CORE", (*machine.CORE, "no_such_package"))
    return {"check": "packages"}


def old_package(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    known = importlib.metadata.version
    patch.setattr(importlib.metadata, "version", lambda name: "0.30.0" if name == "melee" else known(name))
    return {"check": "package versions"}


def no_graphics(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    torch = pytest.importorskip("torch")
    patch.setattr(torch.cuda, "is_available", lambda: False)
    return {"check": "GPU"}


def cache_in_a_file(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    patch.setattr(os, "access", lambda place, mode: False)
    return {"check": "compile cache"}


def broken_engine(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    from melee_env.backends.base import BACKENDS

    patch.setitem(BACKENDS.built_in, "embedded", "melee_env.no_such_module:Backend")
    return {"check": "engine"}


def full_disk(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    usage = shutil.disk_usage(folder)
    patch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=0))
    return {"check": "working folder"}


def no_libmelee(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    patch.setitem(sys.modules, "enet", None)
    return {"check": "libmelee"}


def no_dolphin(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    return {"check": "Dolphin build", "dolphin": str(folder / "missing")}


def other_program(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    return {"check": "Dolphin build", "dolphin": program(folder, "echo something else")}


def missing_library(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    (folder / "ldd").write_text("#!/bin/sh\necho '  libusb-1.0.so.0 => not found'\n")
    (folder / "ldd").chmod(0o755)
    patch.setenv("PATH", str(folder), prepend=os.pathsep)
    return {"check": "Dolphin libraries", "dolphin": os.path.realpath(sys.executable)}


def no_screen(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    patch.setenv("VIRTUAL_DOLPHIN_BUILD", "ishiiruka")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        patch.delenv(name, raising=False)
    return {"check": "Dolphin headless"}


def no_menu_code(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    import melee

    (folder / "GALE01r2.ini").write_text("[Gecko_Enabled]\n[Gecko]\n")
    patch.setattr(melee, "__file__", str(folder / "__init__.py"))
    return {"check": "gecko codes"}


def no_fifos(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    def refuse(path: Path) -> None:
        raise OSError(1, "Operation not permitted")

    patch.setattr(os, "mkfifo", refuse)
    return {"check": "user directory"}


def no_ports(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    from melee_env.backends.dolphin import process

    def refuse() -> int:
        raise OSError(1, "Operation not permitted")

    patch.setattr(process, "free_port", refuse)
    return {"check": "ports"}


def no_disc(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    return {"check": "disc", "iso": str(folder / "missing.iso")}


def packed_disc(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    (folder / "disc.rvz").write_bytes(b"RVZ\x01" + bytes(100))
    return {"check": "disc", "iso": str(folder / "disc.rvz")}


def older_disc(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    return {"check": "disc", "iso": str(disc(folder, revision=0))}


def changed_disc(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    return {"check": "disc", "iso": str(disc(folder))}


def silent_dolphin(patch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    patch.setenv("VIRTUAL_DOLPHIN_FAULT", "exit:127")
    return {"check": "Dolphin start"}


def disc(folder: Path, revision: int = 2) -> Path:
    """Write the header of a disc image, and nothing of the game."""
    header = bytearray(0x20)
    header[:6], header[7], header[0x1C:] = b"GALE01", revision, bytes.fromhex("c2339f3d")
    path = folder / "disc.iso"
    path.write_bytes(header)
    return path


BROKEN: list[tuple[Break, str]] = [
    (old_python, "make setup"),
    (no_numba, "make setup"),
    (old_package, "pip install"),
    (no_graphics, "driver"),
    (cache_in_a_file, "MELEE_ENV_CACHE"),
    (broken_engine, "report"),
    (full_disk, "make room"),
    (no_libmelee, "melee-env-suite[dolphin]"),
    (no_dolphin, "slippi.gg"),
    (other_program, "slippi.gg"),
    (missing_library, "packages"),
    (no_screen, "xvfb-run"),
    (no_menu_code, "force-reinstall"),
    (no_fifos, "TMPDIR"),
    (no_ports, "UDP"),
    (no_disc, "--iso"),
    (packed_disc, "uncompressed"),
    (older_disc, "own NTSC 1.02"),
    (changed_disc, "own NTSC 1.02"),
    (silent_dolphin, "docs/dolphin.md"),
]


@pytest.mark.parametrize(("break_it", "fix"), BROKEN, ids=[found.__name__ for found, _ in BROKEN])
def test_k31_a_broken_precondition_is_named_with_its_fix(
    break_it: Break, fix: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = break_it(monkeypatch, tmp_path)
    iso = Path(broken["iso"]) if "iso" in broken else None
    checks = {**MACHINE_CHECKS, **emulator_checks(broken.get("dolphin", "virtual"), iso)}
    found = list(run_checks({broken["check"]: checks[broken["check"]]}))
    (failed,) = [check for check in found if not check.ok and (check.needed or len(found) == 1)]
    assert fix in failed.fix and failed.detail and "\n" not in failed.detail


def test_k31_every_check_is_broken_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    covered = set()
    for break_it, _ in BROKEN:
        with pytest.MonkeyPatch.context() as patch:
            covered.add(break_it(patch, tmp_path)["check"])
    # A broken agent plug-in needs a package that is installed: see K43.
    assert {*MACHINE_CHECKS, *emulator_checks("virtual", tmp_path)} - covered == {"agents"}


def test_k31_the_original_disc_is_recognised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = disc(tmp_path)
    digest = hashlib.md5(path.read_bytes()).hexdigest()
    monkeypatch.setattr(emulator, "DISC_MD5", {digest: "NTSC 1.02"})
    (check,) = emulator.check_disc(path)
    assert check.ok and digest in check.detail


def test_k31_exit_code_follows_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    warm_up()
    for name in MEASURES:  # the machine's own checks have their table above
        monkeypatch.delitem(MACHINE_CHECKS, name)
    monkeypatch.setitem(
        MACHINE_CHECKS, "GPU", lambda: iter([Check("GPU", False, "none", "buy one", needed=False)])
    )
    codes = []
    for more in ([], ["--iso", str(tmp_path / "missing.iso")]):
        with pytest.raises(SystemExit) as end:
            main(["doctor", "--dolphin", "virtual", *more])
        codes.append(end.value.code)
    lines = capsys.readouterr().out.splitlines()
    assert codes == [0, 1]
    assert lines[0] == "missing GPU: none -> buy one"
    assert any(line.startswith("ok      Dolphin start: at MAIN_MENU") for line in lines)
    assert sum(line.startswith("BROKEN") for line in lines) == 1
