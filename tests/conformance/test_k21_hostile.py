"""K21: whatever the bytes are, reading ends soon with a game or a typed error."""

import importlib.util
import os
import random
import resource
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from melee_env.errors import ReplayError
from melee_env.slp import read, read_header, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


MUTATIONS = int(os.environ.get("MELEE_ENV_MUTATIONS", "300"))
BOMBS = (
    b"{" * 100_000,
    b"{U\x01a" * 50_000,
    b"{U\x01aSl\x7f\xff\xff\xff",
    b"[$U#l\x7f\xff\xff\xff",
    b"[" * 200_000,
    b"{" + b"U\x01aZ" * 100_000,
)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "game.slp"
    write_game(path, GAMES.synthetic_game(stage=2, length=40))
    return path.read_bytes()


def mutate(data, rng):
    data = bytearray(data)
    near = rng.choice([60, 900, len(data)])
    match rng.randrange(6):
        case 0:
            for _ in range(rng.randrange(1, 30)):
                data[rng.randrange(near)] ^= 1 << rng.randrange(8)
        case 1:
            del data[rng.randrange(len(data)) :]
        case 2:
            data[11:15] = rng.choice(
                [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\0\0\0\1", rng.randbytes(4)]
            )
        case 3:
            start = rng.randrange(len(data))
            del data[start : start + rng.randrange(1, 2000)]
        case 4:
            start = rng.randrange(near)
            data[start:start] = rng.randbytes(rng.randrange(1, 50))
        case 5:
            data[data.find(b"metadata") + 8 :] = rng.choice(BOMBS)
    return bytes(data)


def must_end_well(path):
    began = time.perf_counter()
    for function in (read, read_header):
        try:
            function(path)
        except ReplayError as error:
            assert error.reason and "\n" not in str(error)
    assert time.perf_counter() - began < 2


@pytest.mark.filterwarnings("error")
def test_k21_mutations_end_well(good, tmp_path):
    path = tmp_path / "file.slp"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in range(MUTATIONS):
        path.write_bytes(mutate(good, random.Random(seed)))
        must_end_well(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 512 * 1024


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tail=st.binary(max_size=2000), kept=st.integers(0, 1500))
def test_k21_any_bytes_behind_a_good_start_end_well(good, tmp_path, tail, kept):
    path = tmp_path / "file.slp"
    path.write_bytes(good[:kept] + tail)
    must_end_well(path)


def test_k21_time_is_linear_in_tiny_events(tmp_path):
    """Two-byte events are the most that fit into a file."""
    path = tmp_path / "file.slp"
    path.write_bytes(b"\x35\x0a\x36\x02\xf8\x38\0\x54\x50\0\1" + b"\x36" + bytes(760) + b"\x50\0" * 2_000_000)
    must_end_well(path)
