"""The main job, top to bottom: replays → trajectories → behavioural cloning → games → report.

The budget is counted in frames and epochs, not in seconds, so the same call gives the same agent anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation import make_player, play_games
from experiments.evaluation.games import count_stick
from experiments.provenance import command, machine, peak_memory_gib
from experiments.report import write_report
from experiments.workspace import result_folder
from melee_env.errors import MeleeEnvError
from melee_env.frame import Frames
from melee_env.game import Game

if TYPE_CHECKING:
    from agents import Agent

Say = Callable[[str], None]
ProgressBar = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]

OBSERVATION, ACTION = "compact", "multidiscrete"
RECORDED_SECONDS = 60
"""time limit of the games that are recorded as demonstrations"""
FILM_SECONDS, FILM_SIZE = 8, (480, 360)


@dataclass(frozen=True)
class QuickstartConfig:
    """What the main job does."""

    out: Path = Path("runs/quickstart")
    """folder of the results"""
    replays: Path | None = None
    """games to imitate; None records some on the embedded engine"""
    character: str = "FOX"
    """fighter that is imitated and then played"""
    games: int = 20
    """games against each opponent"""
    opponents: tuple[str, ...] = ("scripted:fighter-3", "scripted:idle")
    """who the agent plays against"""
    seconds: int = 120
    """time limit of a game, seconds"""
    max_frames: int = 120_000
    """most frames to imitate"""
    epochs: int = 12
    """passes over them"""
    hidden_size: int = 128
    """width of the GRU"""
    seed: int = 0
    """fixes everything that is drawn"""


def run_quickstart(config: QuickstartConfig, say: Say, progress: ProgressBar) -> dict[str, Any]:
    """Do the whole job.

    Args:
        config: what to do.
        say: prints one line.
        progress: makes a progress bar, as :func:`experiments.cli.console.progress`.

    Returns:
        ``report``, ``checkpoint``, ``game``, ``film``, ``files``, ``results``, ``seconds`` per step, …
    """
    clock = _Clock(say)
    with result_folder(config.out) as work:
        source = config.replays
        if source is None:
            source = record_demonstrations(work / "replays", config)
            clock.done(f"recorded {len(list(source.glob('*.slp')))} games of scripted players")
        files, trajectories = read_trajectories(source, work / "store", config)
        frames = sum(len(trajectory.acts) for trajectory in trajectories)
        clock.done(
            f"read {_status_line(files)}; {len(trajectories)} players of {config.character}, {frames} frames"
        )

        agent = clone(trajectories, work / "checkpoint", config, say, progress)
        clock.done(f"cloned them with a GRU: {_learning_line(agent)}")

        results = []
        for number, opponent in enumerate(config.opponents):
            with progress(f"games against {opponent}") as update:
                results.append(
                    play_games(
                        agent,
                        make_player(opponent),
                        config.games,
                        config.seed + number,
                        character=config.character,
                        time_limit=60 * config.seconds,
                        record=(0,) if number == 0 else (),
                        progress=update,
                    )
                )
            clock.done(f"played {config.games} games against {opponent}: win rate {results[-1].win_rate}")

        film = save_game(results[0].recordings[0], work)
        write_report(
            work / "report.html",
            title="Quickstart: a cloned player",
            meta=getattr(agent, "meta", {}),
            results=results,
            seed=config.seed,
            files=files,
            film=film,
            human_stick=demonstrated_stick(trajectories),
            notes=_notes(config, files, trajectories),
            links={
                "game as Slippi replay": "game.slp",
                "film": "game.gif",
                "checkpoint": "checkpoint/meta.json",
            },
        )
        clock.done("wrote the report")
    return {
        "report": str(config.out / "report.html"),
        "checkpoint": str(config.out / "checkpoint"),
        "game": str(config.out / "game.slp"),
        "film": str(config.out / "game.gif"),
        "files": files,
        "trajectories": len(trajectories),
        "frames": frames,
        "results": [one.summary() for one in results],
        "seed": config.seed,
        "seconds": clock.seconds,
        "peak_memory_gib": peak_memory_gib(),
        "command": command(),
        "machine": machine(),
    }


def record_demonstrations(folder: Path, config: QuickstartConfig) -> Path:
    """Let scripted players play and write their games: strong against weaker ones, and the multishine teacher."""
    from melee_env.slp import write_game

    folder.mkdir(parents=True)
    matches = (
        ("scripted:fighter-9", "scripted:fighter-5", 12),
        ("scripted:fighter-9", "scripted:fighter-1", 8),
        ("teacher:multishine", "scripted:idle", 2),
    )
    for number, (player, opponent, games) in enumerate(matches):
        recorded = play_games(
            make_player(player),
            make_player(opponent),
            games,
            config.seed + 1000 + number,
            time_limit=60 * min(RECORDED_SECONDS, config.seconds),
            record=tuple(range(games)),
        )
        for game, recording in recorded.recordings.items():
            name = f"{number}{game}_{player}-{opponent}.slp".replace(":", "_")
            write_game(folder / name, recording)
    return folder


def read_trajectories(
    source: Path, store: Path, config: QuickstartConfig
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Convert the replays and load the players of the fighter, up to the budget of frames.

    Returns:
        The outcome of every file, and the trajectories.

    Raises:
        MeleeEnvError: nobody plays the fighter.
    """
    from demonstrations import load_trajectories
    from demonstrations.convert import convert

    report = convert(source, store)
    files = [{**asdict(outcome), "reason": outcome.reason or outcome.skipped} for outcome in report.files]
    trajectories = load_trajectories(
        store, character=config.character, observation=OBSERVATION, action=ACTION
    )
    chosen: list[Any] = []
    frames = 0
    for index in np.random.default_rng(config.seed).permutation(len(trajectories)):
        if frames >= config.max_frames and len(chosen) >= 2:
            break
        chosen.append(trajectories[index])
        frames += len(trajectories[index].acts)
    if len(chosen) < 2:
        raise MeleeEnvError(
            f"{source}: {len(chosen)} players of {config.character} in {_status_line(files)}; at least two are needed"
        )
    return files, chosen


def clone(
    trajectories: Sequence[Any], out: Path, config: QuickstartConfig, say: Say, progress: ProgressBar
) -> Agent:
    """Train the GRU and return the agent of its best epoch."""
    import agents

    with progress("cloning") as update:

        def report(event: Mapping[str, Any]) -> None:
            if event.get("event") == "update":
                update(event["update"], event["updates"])
            elif event.get("event") == "epoch":
                say(
                    f"          epoch {event['epoch']} of {config.epochs}: held-out loss {event['validation_loss']:.3f}"
                )

        return agents.train(
            "bc",
            out=out,
            demonstrations=trajectories,
            progress=report,
            observation=OBSERVATION,
            action=ACTION,
            network="gru",
            hidden_size=config.hidden_size,
            characters=(config.character,),
            epochs=config.epochs,
            seed=config.seed,
        )


def save_game(game: Game, folder: Path) -> Path:
    """Write a game as ``game.slp`` and its liveliest seconds as ``game.gif``; return the GIF."""
    from melee_env.rendering import write_video
    from melee_env.slp import write_game

    write_game(folder / "game.slp", game)
    return write_video(folder / "game.gif", liveliest(game.frames, 60 * FILM_SECONDS), *FILM_SIZE)


def liveliest(frames: Frames, length: int) -> Frames:
    """Return the ``length`` frames of ``[T]`` in which most damage is done."""
    if len(frames) <= length:
        return frames
    gained = np.maximum(np.diff(frames["seats"]["leader"]["percent"], axis=0), 0).sum(axis=1)
    sums = np.convolve(np.minimum(gained, 20.0), np.ones(length), "valid")
    begin = int(np.argmax(sums)) if sums.max() > 0 else len(frames) // 3
    begin = min(begin, len(frames) - length)
    return frames[begin : begin + length]


def demonstrated_stick(trajectories: Sequence[Any]) -> NDArray[np.int64]:
    """Count the main-stick positions of the demonstrations, ``[17, 17]``."""
    from melee_env.actions import make_codec

    codec = make_codec(ACTION)
    return sum(
        (count_stick(codec.decode(np.asarray(trajectory.acts))) for trajectory in trajectories),
        np.zeros((17, 17), np.int64),
    )


class _Clock:
    """Says what was done and how long it took."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._began = self._last = time.perf_counter()
        self.steps: list[tuple[str, float]] = []

    @property
    def seconds(self) -> dict[str, float]:
        return {"total": round(self._last - self._began, 1), **{text: round(s, 1) for text, s in self.steps}}

    def done(self, text: str) -> None:
        now = time.perf_counter()
        self.steps.append((text, now - self._last))
        self._say(f"[{now - self._began:5.0f} s] {text}")
        self._last = now


def _status_line(files: Sequence[Mapping[str, Any]]) -> str:
    counts = {
        status: sum(file["status"] == status for file in files) for status in ("read", "repaired", "partial")
    }
    refused = sum(file["status"] == "refused" for file in files)
    kept = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return f"{len(files)} files ({kept or 'none read'}, {refused} refused)"


def _learning_line(agent: Agent) -> str:
    history = getattr(agent, "meta", {}).get("history", [])
    if not history:
        return "no history"
    best = min(history, key=lambda entry: entry["validation_loss"])
    return (
        f"epoch {best['epoch']}, held-out loss {best['validation_loss']:.3f}, "
        f"whole action {best['exact_accuracy']:.3f} (majority class {best['exact_majority_baseline']:.3f})"
    )


def _notes(
    config: QuickstartConfig, files: Sequence[Mapping[str, Any]], trajectories: Sequence[Any]
) -> list[str]:
    where = (
        f"the replays in {config.replays}" if config.replays else "scripted players' games that it recorded"
    )
    frames = sum(len(trajectory.acts) for trajectory in trajectories)
    return [
        f"A GRU imitates {len(trajectories)} players of {config.character} ({frames} frames) from {where}: "
        f"{_status_line(files)}.",
        "Then it plays on the embedded engine. A cloned player knows only what it has seen; a low win rate after a few "
        "minutes of training is normal.",
    ]
