"""Frames per second over libmelee on the virtual Dolphin: libmelee by itself, and the ``dolphin`` backend above it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from experiments.benchmarks.timing import Rate, measure_rate
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.controller import make_controllers, neutral
from melee_env.engine.engine import warm_up


def bench_dolphin(steps: int, repeats: int, seed: int) -> dict[str, Any]:
    """Measure one game, fast-forward, blocking inputs; one frame is one step of both players.

    Args:
        steps: frames per run; a game must last for all runs, so a few thousand at most.
        repeats: runs per figure.
        seed: seed of the game.

    Returns:
        ``libmelee_frames_per_s``, ``backend_frames_per_s``, ``overhead`` (share of time above libmelee) and rows.
    """
    warm_up()
    environment = {"VIRTUAL_DOLPHIN_SEED": str(seed)}
    alone, above = _libmelee(steps, repeats, environment), _backend(steps, repeats, environment)
    rows = [
        {"kind": kind, **rate.row("frames_per_s")} for kind, rate in (("libmelee", alone), ("backend", above))
    ]
    return {
        "libmelee_frames_per_s": alone.median,
        "backend_frames_per_s": above.median,
        "overhead": alone.median / above.median - 1,
        "rows": rows,
        "repeats": repeats,
        "seed": seed,
    }


def _backend(steps: int, repeats: int, environment: dict[str, str]) -> Rate:
    backend = make_backend("dolphin", dolphin="virtual", environment=environment, restarts=0)
    try:
        backend.reset(np.zeros(1, np.uint32), [MatchOptions()])
        pads = [neutral(1, 2), make_controllers(buttons=np.full((1, 2), 0x40))]

        def run() -> int:
            for number in range(steps):
                backend.step(pads[number // 8 % 2])
            return steps

        return measure_rate(run, repeats)
    finally:
        backend.close()


def _libmelee(steps: int, repeats: int, environment: dict[str, str]) -> Rate:
    import melee

    from melee_env.backends.dolphin.launch import find_program
    from melee_env.backends.dolphin.process import free_port

    console = melee.Console(
        path=find_program("virtual"),
        slippi_port=free_port(),
        blocking_input=True,
        emulation_speed=0,
        use_exi_inputs=True,
        enable_ffw=True,
        save_replays=False,
    )
    try:
        controllers = [melee.Controller(console=console, port=port) for port in (1, 2)]
        console.run(iso_path="none.iso", environment_vars={**os.environ, **environment})
        if not console.connect():
            raise RuntimeError("the virtual Dolphin did not answer")
        for controller in controllers:
            controller.connect()
        helper = melee.MenuHelper()
        while (state := console.step()).menu_state is not melee.Menu.IN_GAME:
            for controller in controllers:
                helper.menu_helper_simple(
                    state,
                    controller,
                    melee.Character.FOX,
                    melee.Stage.FINAL_DESTINATION,
                    autostart=controller.port == 1,
                )

        def run() -> int:
            for number in range(steps):
                for controller in controllers:
                    if number // 8 % 2:
                        controller.press_button(melee.Button.BUTTON_L)
                    else:
                        controller.release_button(melee.Button.BUTTON_L)
                console.step()
            return steps

        return measure_rate(run, repeats)
    finally:
        console.stop()
