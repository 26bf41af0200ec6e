"""Frames that are encoded and decoded one by one are those of whole files."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from melee_env.errors import ReplayError
from melee_env.game import Game
from melee_env.slp import read_game
from melee_env.slp.container import wrap_header
from melee_env.slp.frame_decoder import FrameDecoder
from melee_env.slp.frame_encoder import FrameEncoder
from melee_env.slp.versions import payload_sizes
from melee_env.slp.writer import _before_first, encode_frames


def _fixtures() -> ModuleType:
    path = Path(__file__).parents[2] / "fixtures" / "games.py"
    spec = importlib.util.spec_from_file_location("games", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STAGES = [2, 3, 8, 28, 31, 32]


@pytest.mark.parametrize("stage", STAGES)
def test_encoder_gives_the_bytes_of_the_writer(stage: int) -> None:
    game = _fixtures().synthetic_game(stage, length=40)
    encoder = FrameEncoder(game.info)
    single = b"".join(encoder.frame(frame) for frame in game.frames)
    assert single == encode_frames(game.frames, game.info, _before_first(game.info))


@pytest.mark.parametrize("stage", STAGES)
def test_decoder_gives_the_frames_back(stage: int) -> None:
    game = _fixtures().synthetic_game(stage, length=40)
    assert_same(_decode(game, FrameEncoder(game.info)), game.frames, but=("end_method",))


@pytest.mark.parametrize("version", [(3, 0, 0), (3, 6, 0), (3, 9, 0), (3, 12, 0), (3, 16, 0), (3, 18, 0)])
@pytest.mark.parametrize("stage", [2, 8])
def test_old_versions_decode_as_the_reader_reads_them(
    version: tuple[int, int, int], stage: int, tmp_path: Path
) -> None:
    game = _fixtures().synthetic_game(stage, length=40)
    encoder = FrameEncoder(game.info, version)
    stream = (
        encoder.start() + b"".join(encoder.frame(frame) for frame in game.frames) + encoder.end(2, (0, 1))
    )
    path = tmp_path / "old.slp"
    path.write_bytes(wrap_header(len(stream)) + stream + b"}")
    recorded = read_game(path)
    assert recorded.info.version == version
    assert_same(_decode(game, FrameEncoder(game.info, version)), recorded.frames, but=("end_method",))


def test_newest_version_is_the_written_one() -> None:
    game = _fixtures().synthetic_game()
    assert FrameEncoder(game.info).sizes == payload_sizes((3, 19, 0))
    with pytest.raises(ValueError, match="3.0.0 to"):
        payload_sizes((2, 0, 0))


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_cut_event_is_named(cut: int) -> None:
    game = _fixtures().synthetic_game(length=2)
    encoder = FrameEncoder(game.info)
    with pytest.raises(ReplayError, match="cut_event"):
        list(FrameDecoder().feed((encoder.start() + encoder.frame(game.frames[0]))[:-cut]))


def _decode(game: Game, encoder: FrameEncoder) -> np.ndarray:
    decoder = FrameDecoder()
    list(decoder.feed(encoder.start()))
    frames = []
    for frame in game.frames:
        (number,) = decoder.feed(encoder.frame(frame))
        assert number == frame["frame"]
        frames.append(decoder.frame.copy())
    assert list(decoder.feed(encoder.end(2, (0, 1)))) == [] and decoder.end_method == 2
    return np.array(frames)


def assert_same(left: np.ndarray, right: np.ndarray, but: tuple[str, ...]) -> None:
    for name in left.dtype.names:
        if name not in but:
            assert left[name].tobytes() == right[name].tobytes(), name
