"""Slippi Dolphin: the program, what it needs, the disc, and whether it starts."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from experiments.preconditions.check import Check

Checks = dict[str, Callable[[], Iterator[Check]]]
GAME_ID, REVISION, MAGIC = b"GALE01", 2, bytes.fromhex("c2339f3d")
"""Disc header of Melee for North America, 1.02: game id at 0, revision at 7, GameCube's magic number at 0x1C."""
DISC_BYTES = 1_459_978_240
DISC_MD5 = {
    "0e63d4223b01d9aba596259dc155a174": "NTSC 1.02",
    "67136bd167b471e0ad72e98d10cf4356": "NTSC 1.01",
    "3a62f8d10fd210d4928ad37e3816e33c": "NTSC 1.00",
}
"""Digests of unchanged images, as the patch builders of training mods list them."""
OWN_IMAGE = "make an image of your own NTSC 1.02 disc"
SLIPPI_PAGE = "install Slippi Dolphin from slippi.gg and give its executable with --dolphin"
MENU_CODE = "Extract Menu Info"
DEFAULT_PORT = 51441
BUDGET = 30.0


def emulator_checks(dolphin: str | None, iso: Path | None) -> Checks:
    """Return the checks of what was named; nothing about Dolphin is checked where nothing was."""
    checks: Checks = {}
    if dolphin is not None:
        checks |= {
            "libmelee": check_libmelee,
            "Dolphin build": functools.partial(check_build, dolphin),
            "Dolphin libraries": functools.partial(check_libraries, dolphin),
            "Dolphin headless": functools.partial(check_headless, dolphin),
            "gecko codes": check_gecko_codes,
            "user directory": check_user_directory,
            "ports": check_ports,
        }
    if iso is not None or (dolphin is not None and dolphin != "virtual"):
        checks["disc"] = functools.partial(check_disc, iso)
    if dolphin is not None:
        checks["Dolphin start"] = functools.partial(check_start, dolphin, iso)
    return checks


def check_libmelee() -> Iterator[Check]:
    """Libmelee and its network library load."""
    try:
        import enet  # noqa: F401
        import melee  # noqa: F401
    except ImportError as error:
        yield Check("libmelee", False, str(error), "pip install 'melee-env-suite[dolphin]'")
        return
    import importlib.metadata

    yield Check("libmelee", True, f"melee {importlib.metadata.version('melee')}")


def check_build(dolphin: str) -> Iterator[Check]:
    """The program is there and says which build it is."""
    from melee_env.backends.dolphin.process import ask_version
    from melee_env.errors import DolphinExited, OptionError

    try:
        text = ask_version(_program(dolphin), BUDGET)
    except (OptionError, DolphinExited) as error:
        yield Check("Dolphin build", False, str(error), SLIPPI_PAGE)
        return
    kind = "mainline" if "mainline" in text else "Ishiiruka"
    fast = ", fast-forward (ExiAI)" if "ExiAI" in text else ", no fast-forward"
    known = "mainline" in text or "Slippi" in text
    yield Check(
        "Dolphin build",
        known,
        f"{text.splitlines()[0] if text else 'no version'} ({kind}{fast})",
        SLIPPI_PAGE,
    )


def check_libraries(dolphin: str) -> Iterator[Check]:
    """Every shared library that the program names is there."""
    program = _program(dolphin)
    with open(program, "rb") as file:
        binary = file.read(4) == b"\x7fELF"
    tool = shutil.which("ldd")
    if not binary or tool is None:
        yield Check("Dolphin libraries", True, "a script, it needs none" if not binary else "no ldd to ask")
        return
    answer = subprocess.run([tool, program], capture_output=True, text=True, timeout=BUDGET, check=False)
    missing = [line.split()[0] for line in answer.stdout.splitlines() if "not found" in line]
    if program.endswith(".AppImage") and not _has_fuse():
        missing.append("libfuse.so.2")
    yield Check(
        "Dolphin libraries",
        not missing,
        f"missing: {', '.join(missing)}" if missing else "all there",
        "install the packages that hold them; an AppImage unpacks with --appimage-extract to squashfs-root/AppRun",
    )


def _has_fuse() -> bool:
    import ctypes.util

    return ctypes.util.find_library("fuse") is not None


def check_headless(dolphin: str) -> Iterator[Check]:
    """It can run without a screen, or there is one."""
    from melee_env.backends.dolphin.process import ask_version

    alone = "mainline" in ask_version(_program(dolphin), BUDGET)
    screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) or sys.platform != "linux"
    detail = "runs without a screen" if alone else "this build needs a screen"
    if not alone:
        detail += ", there is one" if screen else ", there is none"
    yield Check("Dolphin headless", alone or screen, detail, "use a mainline build, or start with xvfb-run")


def check_gecko_codes() -> Iterator[Check]:
    """The codes that libmelee gives to every emulator hold the one that tells menus."""
    import melee

    path = Path(melee.__file__).with_name("GALE01r2.ini")
    text = path.read_text(errors="replace") if path.is_file() else ""
    enabled = text.partition("[Gecko_Enabled]")[2].partition("[Gecko]")[0]
    defined = text.partition("[Gecko]\n")[2]
    ok = MENU_CODE in enabled and MENU_CODE in defined
    yield Check(
        "gecko codes",
        ok,
        f"{MENU_CODE!r} in libmelee's GALE01r2.ini" if ok else f"no {MENU_CODE!r} in {path}",
        "pip install --force-reinstall 'melee>=0.47.6,<0.48'",
    )


def check_user_directory() -> Iterator[Check]:
    """A directory with a FIFO can be made for every emulator; your own is never touched."""
    try:
        with tempfile.TemporaryDirectory(prefix="melee_env_doctor_") as folder:
            os.mkfifo(Path(folder) / "slippibot1")
    except OSError as error:
        yield Check(
            "user directory",
            False,
            f"{tempfile.gettempdir()}: {error.strerror or error}",
            "set TMPDIR to a local folder that can hold FIFOs",
        )
        return
    yield Check("user directory", True, f"one per emulator in {tempfile.gettempdir()}, with FIFOs")


def check_ports() -> Iterator[Check]:
    """UDP ports of this machine can be bound."""
    from melee_env.backends.dolphin.process import free_port

    try:
        port = free_port()
    except OSError as error:
        yield Check("ports", False, error.strerror or str(error), "allow UDP on 127.0.0.1")
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("127.0.0.1", DEFAULT_PORT))
            default = f"{DEFAULT_PORT} is free too"
        except OSError:
            default = f"{DEFAULT_PORT} is taken, perhaps by your own Dolphin, which does not matter here"
    yield Check("ports", True, f"UDP {port} is free, {default}")


def check_disc(iso: Path | None) -> Iterator[Check]:
    """The image is Melee NTSC 1.02."""
    if iso is None or not iso.is_file():
        yield Check(
            "disc", False, "no --iso" if iso is None else f"no file {iso}", f"{OWN_IMAGE}; give it with --iso"
        )
        return
    with iso.open("rb") as file:
        header = file.read(0x20)
        if header[0x1C:0x20] != MAGIC:
            yield Check(
                "disc",
                False,
                f"{iso.name} is no plain GameCube image",
                "convert it to .iso with Dolphin, uncompressed",
            )
            return
        if header[:6] != GAME_ID or header[7] != REVISION:
            title = header[:6].decode("ascii", "replace")
            yield Check(
                "disc",
                False,
                f"game {title}, revision {header[7]}; {GAME_ID.decode()} revision 2 is needed",
                OWN_IMAGE,
            )
            return
        file.seek(0)
        digest = hashlib.file_digest(file, "md5").hexdigest()
    name = DISC_MD5.get(digest)
    detail = f"NTSC 1.02, md5 {digest}"
    if name != "NTSC 1.02":
        size = iso.stat().st_size
        detail += " of a changed image" + (
            f" ({size} bytes instead of {DISC_BYTES})" if size != DISC_BYTES else ""
        )
    # Changed images play, but online partners and recorded games expect the original.
    yield Check("disc", name == "NTSC 1.02", detail, OWN_IMAGE, needed=False)


def check_start(dolphin: str, iso: Path | None) -> Iterator[Check]:
    """The emulator starts, opens its pipes, answers, and tells its menus."""
    from melee_env.backends.dolphin.game import DolphinGame
    from melee_env.backends.dolphin.launch import make_launch
    from melee_env.errors import MeleeEnvError

    began = time.monotonic()
    try:
        game = DolphinGame(make_launch(dolphin, iso))
        try:
            game.start()
            game.connect()
            menu = game.wait_for_menu()
        finally:
            game.close()
    except MeleeEnvError as error:
        detail = f"{type(error).__name__}: {error}"
        yield Check(
            "Dolphin start", False, detail, "repair the lines above first; docs/dolphin.md lists the errors"
        )
        return
    yield Check("Dolphin start", True, f"at {menu} after {time.monotonic() - began:.1f} s")


def _program(dolphin: str) -> str:
    from melee_env.backends.dolphin.launch import find_program

    return find_program(dolphin)
