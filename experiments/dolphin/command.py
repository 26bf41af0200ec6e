"""From the words of the command line to games on the emulator, and from their figures to lines of text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.dolphin.player import SwappedPlayer
from experiments.dolphin.session import Plan, Session
from melee_env.backends.base import MatchOptions
from melee_env.errors import OptionError
from melee_env.ids import Character, Stage, parse

MODES = ("sync", "async")
HUMAN, CPU = "human", "cpu-"


def play_on_dolphin(
    players: tuple[str, str],
    characters: tuple[str, str],
    stage: str,
    *,
    dolphin: str | None,
    iso: str | None,
    mode: str,
    speed: float,
    seconds: float | None,
    games: int | None,
    replays: Path | None,
    traces: Path | None,
    account: Path | None,
    headless: bool,
    seed: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Play and say what happened; arguments as the options of ``melee-env play``.

    Returns:
        What :meth:`Session.run` returns, and ``replays[]``.

    Raises:
        OptionError: something that cannot be played.
        BackendError: the emulator failed.
    """
    from melee_env.backends.dolphin.game import DolphinGame
    from melee_env.backends.dolphin.launch import make_launch

    if mode not in MODES:
        raise OptionError(f"--mode must be sync or async, not {mode!r}")
    first, second = players
    if first == HUMAN or first.startswith(CPU) or "gamepad" in players:
        raise OptionError("--agent must be an agent on Dolphin; a person plays there as --opponent human")
    other = second if second == HUMAN or second.startswith(CPU) or "#" in second else "agent"
    if mode == "async" and speed == 0:
        raise OptionError("--mode async needs a speed: leave --fps at 60")
    launch = make_launch(
        dolphin,
        iso,
        player2=other,
        account=account,
        blocking=mode == "sync",
        speed=speed,
        headless=headless,
        replays=None if replays is None else replays.absolute(),
    )
    before = _files(replays)
    seated = {0: SwappedPlayer(first)} | ({1: SwappedPlayer(second)} if other == "agent" else {})
    plan = Plan(
        options=MatchOptions(
            characters=(parse(Character, characters[0]), parse(Character, characters[1])),
            stage=parse(Stage, stage),
        ),
        beside=mode == "async",
        games=games if games or seconds else 1,
        seconds=seconds,
        traces=traces,
        seed=seed,
    )
    result = Session(DolphinGame(launch), seated, plan, say).run()
    result["replays"] = sorted(_files(replays) - before)
    _report(result, say)
    return result


def _files(folder: Path | None) -> set[str]:
    return set() if folder is None else {str(path) for path in folder.rglob("*.slp")}


def _report(result: dict[str, Any], say: Callable[[str], None]) -> None:
    for number, game in enumerate(result["games"], 1):
        ending = "left" if game["left"] else f"over (end method {game['end_method']})"
        stocks, percent = game["stocks"], game["percent"]
        say(
            f"game {number}: {game['frames']} frames, {ending}, stocks {stocks[0]}:{stocks[1]}, "
            f"percent {percent[0]:.0f}:{percent[1]:.0f}"
        )
    for path in (*result["replays"], *(game["trace"] for game in result["games"] if game["trace"])):
        say(f"written: {path}")
    say(
        f"first input seen after {result['first_input_frames']} frames; {result['frames_per_s']:.1f} frames/s"
    )
    say(f"frame: {_spread(result['frame_ms'], 'ms')}")
    for seat, player in result["players"].items():
        say(
            f"player {seat} ({player['agent']}): inference {_spread(player['inference_ms'], 'ms')}; action age "
            f"{_spread(player['age_frames'], 'frames')}; {player['stale_frames']} of {player['actions']} actions "
            f"repeated ({player['stale_share']:.1%}), longest run {player['longest_stale']}"
        )


def _spread(values: dict[str, float] | None, unit: str) -> str:
    if values is None:
        return "none"
    return f"median {values['median']:.3g}, p99 {values['p99']:.3g}, max {values['max']:.3g} {unit}"
