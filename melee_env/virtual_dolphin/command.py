"""The command ``virtual-dolphin``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from melee_env.virtual_dolphin.settings import SettingError, Settings, parse

EXIT_WRONG_CALL, EXIT_PORT_IN_USE = 2, 3
VERSION_TEXT = "Virtual Dolphin 0.1.0"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parent = os.getppid()
    try:
        settings, version_only = parse(sys.argv[1:] if arguments is None else arguments)
    except SettingError as error:
        print(f"virtual-dolphin: {error}", file=sys.stderr)
        raise SystemExit(EXIT_WRONG_CALL) from None
    if (code := settings.faults.number("exit")) is not None:
        print("virtual-dolphin: error while loading shared libraries: fault 'exit'", file=sys.stderr)
        raise SystemExit(code)
    raise SystemExit(print_version(settings.build) if version_only else run(settings, parent))


def print_version(build: str) -> int:
    """Answer as libmelee tells builds apart: by exit code and by the stream that the text is on."""
    if build == "ishiiruka-exiai":
        print(f"Faster Melee - Slippi ({VERSION_TEXT}) - ExiAI", file=sys.stderr)
        return 1
    if build == "ishiiruka":
        print(f"Faster Melee - Slippi ({VERSION_TEXT})")
        return 255
    print(f"{VERSION_TEXT} mainline" + (" ExiAI" if build == "mainline-exiai" else ""))
    return 0


def run(settings: Settings, parent: int) -> int:
    """Play until nobody is left; returns the exit code."""
    from melee_env.virtual_dolphin.config import read_config
    from melee_env.virtual_dolphin.console import Ended, VirtualConsole
    from melee_env.virtual_dolphin.server import PortInUse, SpectatorServer

    if settings.faults.number("ignore-sigterm") is not None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    line = "virtual-dolphin: fault 'stderr-flood' " + "x" * 80 + "\n"
    for _ in range((settings.faults.number("stderr-flood") or 0) * 1024 // len(line)):
        sys.stderr.write(line)
    config = read_config(settings.user, settings.build.startswith("mainline"))
    try:
        silent = settings.faults.number("no-server") is not None
        server = SpectatorServer(config.spectator_port, settings.slippi, silent)
        VirtualConsole(settings, config, server, parent).run()
    except PortInUse as error:
        print(f"virtual-dolphin: {error}", file=sys.stderr)
        return EXIT_PORT_IN_USE
    except (Ended, KeyboardInterrupt):
        return 0
    return 0
