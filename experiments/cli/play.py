"""``melee-env play``: a window with people at keyboard or gamepad and agents; a recording; agents on Dolphin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, save_json, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from melee_env.frame import Frames

KEYS = "arrows: stick, WASD: C-stick, J: A, K: B, L or space: jump, I: shield, U: Z, left shift: walk, escape: end"


def play(
    p1: str = typer.Option(
        "human",
        "--p1",
        "--agent",
        help="'human' (keyboard), 'gamepad', a checkpoint folder or an agent's name.",
    ),
    p2: str = typer.Option(
        "scripted:fighter-3",
        "--p2",
        "--opponent",
        help="The same for the other seat; on dolphin also 'cpu-1' to 'cpu-9' or a connect code (ABCD#123), and "
        "'human' is a controller at port 2.",
    ),
    character: str = typer.Option("FOX", help="Fighter of player 1."),
    opponent_character: str = typer.Option("FOX", help="Fighter of player 2."),
    stage: str = typer.Option("BATTLEFIELD", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    backend: str = typer.Option("embedded", help="embedded, dolphin, or replay with --replay."),
    replay: Path = typer.Option(None, exists=True, dir_okay=False, help="Show this recorded game instead."),
    record: Path = typer.Option(None, metavar="FILE.slp", help="Write the game as a Slippi replay."),
    video: Path = typer.Option(None, metavar="FILE.mp4", help="Write a film (.gif or .mp4) afterwards."),
    frames: int = typer.Option(None, min=1, help="Stop after so many frames."),
    fps: int = typer.Option(60, min=0, help="Speed; 0 runs as fast as it can."),
    dolphin: str = typer.Option(
        None, help="dolphin: the program, or 'virtual' for the one that needs no game."
    ),
    iso: str = typer.Option(None, help="dolphin: your disc image."),
    mode: str = typer.Option(
        "sync", help="dolphin: sync (every frame waits for the agents) or async (they think beside 60 Hz)."
    ),
    seconds: float = typer.Option(
        None, min=0.1, help="dolphin: leave the running game after so long, so that its replay is complete."
    ),
    games: int = typer.Option(
        None, min=1, help="dolphin: stop after so many games; default 1 without --seconds."
    ),
    replays: Path = typer.Option(None, file_okay=False, help="dolphin: folder for its replays."),
    traces: Path = typer.Option(None, file_okay=False, help="dolphin: folder for frames, see diff-streams."),
    account: Path = typer.Option(
        None, exists=True, dir_okay=False, help="dolphin: your user.json, for a connect code."
    ),
    headless: bool = typer.Option(False, "--headless", help="dolphin: no picture, no sound."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Open a window. Keys: arrows stick, WASD C-stick, J A, K B, L/space jump, I shield, U Z, escape ends.

    With --backend dolphin agents play on the emulator, which has its own window; a checkpoint that changes is loaded
    again between games.
    """
    from melee_env.errors import OptionError

    if backend == "dolphin":
        from experiments.dolphin.command import play_on_dolphin

        if record is not None or video is not None or frames is not None or stocks != 4:
            raise OptionError(
                "--record, --video, --frames and --stocks belong to the embedded engine; Dolphin has --replays and "
                "--seconds, and always four stocks"
            )
        result = play_on_dolphin(
            (p1, p2),
            (character, opponent_character),
            stage,
            dolphin=dolphin,
            iso=iso,
            mode=mode,
            speed=fps / 60,
            seconds=seconds,
            games=games,
            replays=replays,
            traces=traces,
            account=account,
            headless=headless,
            seed=seed,
            say=say,
        )
        save_json(json, result)
        return
    import numpy as np

    from experiments.gamepad import Gamepad, gamepad_number
    from experiments.live import HUMAN, Match, human_controller, replay_frames
    from melee_env.rendering import Window, write_video

    if backend == "replay" and replay is None:
        raise OptionError("--backend replay needs --replay FILE.slp")
    match: Match | None = None
    shown: Iterator[Frames]
    window = Window(fps=fps, title="melee_env")
    try:
        if replay is not None:
            shown = replay_frames(replay)
        else:
            hands = {HUMAN: lambda: human_controller(window.pressed_keys())}
            for name in (p1, p2):
                number = gamepad_number(name)
                if number is not None:
                    hands[name] = Gamepad(number).read
            match = Match(
                (p1, p2),
                (character, opponent_character),
                stage=stage,
                stocks=stocks,
                backend=backend,
                seed=seed,
                hands=hands,
            )
            shown = match.frames()
            if HUMAN in (p1, p2):
                say(KEYS)
        kept = []
        for number, frame in enumerate(shown):
            kept.append(frame)
            if not window.show(frame) or "escape" in window.pressed_keys():
                break
            if frames is not None and number + 1 >= frames:
                break
    finally:
        window.close()
    if record is not None:
        if match is None:
            raise OptionError("--record writes a game that is played; a replay is recorded already")
        from melee_env.slp import write_game

        write_game(record, match.game(np.array(kept)))
        say(f"replay: {record}")
    if video is not None:
        say(f"film: {write_video(video, np.array(kept))}")
    say(f"{len(kept)} frames")
