"""K21: whatever the bytes are, reading ends soon with a game or a typed error."""

import contextlib
import importlib.util
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from melee_env.errors import ReplayError
from melee_env.slp import read, read_header, write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)


MUTATIONS, PARTS = 10_000, 4
LIMIT = 512 << 20
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
    """Whole files with every kind of event."""
    path, files = tmp_path_factory.mktemp("good") / "game.slp", []
    for stage in (2, 3, 28):
        write_game(path, GAMES.synthetic_game(stage=stage, length=12, seed=stage))
        files.append(path.read_bytes())
    return files


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
    """Read a file within two seconds of processor time; return how it ended."""
    began, end = time.process_time(), ""
    for function in (read_header, read):
        try:
            end = getattr(function(path), "status", "")
        except ReplayError as error:
            assert error.reason and "\n" not in str(error)
            end = error.reason
    assert time.process_time() - began < 2
    return end


@contextlib.contextmanager
def little_memory():
    """Let this process grow by 512 MB and no more; an allocation beyond that is a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + LIMIT, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_k21_the_memory_limit_is_one(tmp_path):
    with little_memory(), pytest.raises(MemoryError):
        bytearray(LIMIT + (64 << 20))


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("part", range(PARTS))
def test_k21_mutations_end_well(good, tmp_path, part):
    """10,000 files in all, one seed each: flipped bits, cuts, lying lengths, lost and added bytes, nesting bombs."""
    path, ends = tmp_path / "file.slp", Counter()
    must_end_well(path)  # the kernels are compiled before memory is limited
    with little_memory():
        for seed in range(part, MUTATIONS, PARTS):
            path.write_bytes(mutate(good[seed // PARTS % len(good)], random.Random(seed)))
            ends[must_end_well(path)] += 1
    assert sum(ends.values()) == MUTATIONS // PARTS
    assert ends["read"] and ends["partial"] and ends["bad_payload_table"] and ends["not_slp"]


def test_k21_a_job_over_mutations_ends_with_a_report_and_no_backtrace(good, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for seed in range(120):
        (source / f"{seed:03d}.slp").write_bytes(mutate(good[seed % len(good)], random.Random(seed)))
    program = "from experiments.cli import main; main()"
    command = [sys.executable, "-c", program, "data", "convert", str(source)]
    command += ["--out", str(tmp_path / "store"), "--json", str(tmp_path / "out.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0 and done.stderr == ""
    files = json.loads((tmp_path / "out.json").read_text())["files"]
    assert len(files) == 120
    assert {file["status"] for file in files} >= {"read", "partial", "refused"}
    assert not [file for file in files if file["reason"] == "internal_error"]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tail=st.binary(max_size=2000), kept=st.integers(0, 1500))
def test_k21_any_bytes_behind_a_good_start_end_well(good, tmp_path, tail, kept):
    path = tmp_path / "file.slp"
    path.write_bytes(good[0][:kept] + tail)
    must_end_well(path)


def test_k21_time_is_linear_in_tiny_events(tmp_path):
    """Two-byte events are the most that fit into a file."""
    path = tmp_path / "file.slp"
    path.write_bytes(b"\x35\x0a\x36\x02\xf8\x38\0\x54\x50\0\1" + b"\x36" + bytes(760) + b"\x50\0" * 2_000_000)
    must_end_well(path)
