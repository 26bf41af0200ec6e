"""Frames per second of reading replays, of the store, and of encoding observations."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from demonstrations.convert import convert
from demonstrations.games import iterate_games
from demonstrations.headers import find_files, scan
from demonstrations.store import Store
from experiments.benchmarks.timing import measure_rate
from experiments.evaluation import make_player, play_games
from melee_env.errors import OptionError, ReplayError
from melee_env.game import Game
from melee_env.observations import make_encoder
from melee_env.slp import write_game

MOST_FILES = 20
RECORDED_GAMES, RECORDED_FRAMES = 4, 3600
BLOCK = 4096
"""frames that are encoded at once"""


def bench_data(
    *, replays: Path | None = None, repeats: int = 5, seed: int = 0, observation: str = "compact"
) -> dict[str, Any]:
    """Measure on ``replays``, or on games that are recorded for the purpose.

    Returns:
        ``encode_frames_per_s_per_core`` (observations of one player), ``store_frames_per_s`` (loading from the
        store), ``read_frames_per_s`` (reading ``.slp``) and ``scan_files_per_s``.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = replays or _record(Path(folder) / "replays", seed)
        files = find_files(source)[:MOST_FILES]
        games = [game for file in files for game in _games(file)]
        if not games:
            raise OptionError(f"{source}: no two-player game to measure with")
        total = sum(len(game) for game in games)
        frames = np.concatenate([game.frames for game in games])
        encoder = make_encoder(observation)

        def encode() -> int:
            for begin in range(0, len(frames), BLOCK):
                encoder.encode(frames[begin : begin + BLOCK])
            return len(frames)

        def read() -> int:
            return sum(len(game) for file in files for game in _games(file))

        store = Path(folder) / "store"
        convert(source, store, progress=False)
        rates = {
            "encode_frames_per_s_per_core": measure_rate(encode, repeats),
            "store_frames_per_s": measure_rate(lambda: sum(map(len, Store(store).games())), repeats),
            "read_frames_per_s": measure_rate(read, repeats),
            "scan_files_per_s": measure_rate(lambda: len(list(scan(source))), repeats),
        }
    rows = [{"figure": name, "median": r.median, "min": r.low, "max": r.high} for name, r in rates.items()]
    return {
        **{name: rate.median for name, rate in rates.items()},
        "rows": rows,
        "files": len(files),
        "frames": total,
        "observation": observation,
        "repeats": repeats,
        "seed": seed,
    }


def _games(file: Path) -> list[Game]:
    try:
        return list(iterate_games(file))
    except ReplayError:
        return []


def _record(folder: Path, seed: int) -> Path:
    folder.mkdir()
    player = make_player("scripted:fighter-5")
    results = play_games(
        player,
        make_player("scripted:fighter-3"),
        RECORDED_GAMES,
        seed,
        time_limit=RECORDED_FRAMES,
        record=tuple(range(RECORDED_GAMES)),
    )
    for number, game in results.recordings.items():
        write_game(folder / f"{number}.slp", game)
    return folder
