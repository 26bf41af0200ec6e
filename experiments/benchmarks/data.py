"""Speed of the way from recordings to training batches, and the memory that a large store needs."""

from __future__ import annotations

import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from demonstrations.encode import encode
from demonstrations.games import iterate_games
from demonstrations.headers import scan
from demonstrations.readers import find_sources
from demonstrations.shards import TensorStore
from demonstrations.tensors import TensorEncoder
from demonstrations.windows import Settings, Windows, to_torch
from experiments.benchmarks.timing import measure_rate
from experiments.evaluation import make_player, play_games
from melee_env.errors import OptionError, ReplayError
from melee_env.game import Game
from melee_env.slp import write_game

MOST_FILES = 20
RECORDED_GAMES, RECORDED_FRAMES = 4, 3600
LENGTH, BATCH = 64, 64
"""Window and batch of the second epoch."""


def bench_data(
    *,
    replays: Path | None = None,
    train_frames: int = 0,
    repeats: int = 5,
    seed: int = 0,
    observation: str = "compact",
) -> dict[str, Any]:
    """Measure on up to 20 recordings of ``replays``, or on games that are recorded for the purpose.

    Returns:
        ``encode_frames_per_s_per_core``: game frames from ``.slp`` files to the training tensors of one player
        (read, score, encode, pack), per second of one core. ``store_frames_per_s``: frames in shuffled batches of
        64 windows of 64 out of the mapped store, by wall clock, from the second epoch on.
        ``scan_files_per_s``: files whose headers are read, by wall clock. With ``train_frames`` also ``training``:
        frames, seconds and the peak resident memory of a process that trains on a store of that size.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = replays or _record(Path(folder) / "replays", seed)
        files = [file for file, _ in find_sources(source) if file.suffix == ".slp" and _games(file)][
            :MOST_FILES
        ]
        if not files:
            raise OptionError(f"{source}: no two-player game to measure with")
        encoder = TensorEncoder(observation)

        def read() -> int:
            return sum(len(game) for file in files for game in _games(file))

        def encode_all() -> int:
            done = 0
            for file in files:
                for game in _games(file):
                    encoder.encode(game, [0], file.name)
                    done += len(game)
            return done

        chosen = Path(folder) / "chosen"
        chosen.mkdir()
        for file in files:
            (chosen / file.name).symlink_to(file.resolve())
        encode(chosen, Path(folder) / "tensors", observation)
        store = TensorStore(Path(folder) / "tensors")
        windows = Windows.of_store(store, Settings(length=LENGTH, seed=seed))
        if not len(windows):
            raise OptionError(f"{source}: every game is shorter than {LENGTH} frames")

        def epoch() -> int:
            return sum(batch.weights.size for batch in windows.batches(BATCH))

        rates = {
            "encode_frames_per_s_per_core": measure_rate(encode_all, repeats, time.process_time),
            "encode_frames_per_s_wall": measure_rate(encode_all, repeats),
            "read_frames_per_s_per_core": measure_rate(read, repeats, time.process_time),
            "store_frames_per_s": measure_rate(epoch, repeats),
            "store_frames_per_s_per_core": measure_rate(epoch, repeats, time.process_time),
            "scan_files_per_s": measure_rate(lambda: len(list(scan(source))), repeats),
        }
        training = _train_in_a_process(store.root, train_frames, seed) if train_frames else None
        total = read()
    rows = [{"figure": name, "median": r.median, "min": r.low, "max": r.high} for name, r in rates.items()]
    return {
        **{name: rate.median for name, rate in rates.items()},
        "rows": rows,
        **({"training": training} if training else {}),
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


def _train_in_a_process(store: Path, frames: int, seed: int) -> dict[str, float]:
    """Train in a new process, so that its peak of memory is its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(train_epoch, store, frames, seed).result()


def train_epoch(store: Path, frames: int, seed: int) -> dict[str, float]:
    """Train a linear policy for one epoch on copies of ``store`` that hold ``frames`` frames together.

    Returns:
        ``frames``, ``shards``, ``seconds`` and ``peak_resident_mb`` of this process.
    """
    import shutil

    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    original = TensorStore(store)
    copies = -(-frames // len(original))
    stores = []
    for number in range(copies):
        copy = store.with_name(f"copy-{number}")
        shutil.copytree(store, copy)
        stores.append(TensorStore(copy))
    parts = [part for each in stores for part in each.parts()]

    def release() -> None:
        for each in stores:
            each.release()

    windows = Windows(
        parts, original.columns, original.names, Settings(length=LENGTH, seed=seed), release=release
    )
    model = torch.nn.Linear(original.columns.size, 17)
    optimiser = torch.optim.SGD(model.parameters(), 0.01)
    began, done = time.perf_counter(), 0
    for batch in windows.batches(BATCH):
        labels = to_torch(batch)["actions"][..., 8]
        logits = model(torch.from_numpy(windows.observations(batch)))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        done += int(np.prod(batch.weights.shape))
    return {
        "frames": done,
        "shards": len(parts),
        "seconds": time.perf_counter() - began,
        "final_loss": float(loss.detach()),
        "peak_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
