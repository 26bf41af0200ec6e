"""K45: full disk, read-only folder, vanished file, two runs in one folder: clear error, earlier results intact."""

import fcntl
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from melee_env.frame import FRAME_DTYPE

PROGRAM = [sys.executable, "-c", "from experiments.cli import main; main()"]


def run(*words: str | Path, largest_file: int | None = None) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        # The system call fails half-way through a file, as it does on a full disk.
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.run(
        [*PROGRAM, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=limit,  # noqa: PLW1509
        check=False,
    )


def assert_one_line_error(result: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert result.returncode == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert all(part in result.stderr for part in parts), result.stderr


@pytest.fixture
def replays(tmp_path: Path) -> Path:
    folder = tmp_path / "replays"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number}.slp").write_bytes(b"not a replay")
    return folder


def test_k45_full_disk_is_reported_and_keeps_the_earlier_json(replays: Path, tmp_path: Path) -> None:
    target = tmp_path / "scan.json"
    assert run("data", "scan", replays, "--json", target).returncode == 0
    before = target.read_bytes()
    result = run("data", "scan", replays, "--json", target, largest_file=1000)
    assert_one_line_error(result)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if "new" in path.name] == []


def test_k45_target_folder_that_is_not_there_is_named(replays: Path, tmp_path: Path) -> None:
    result = run("data", "scan", replays, "--json", tmp_path / "nowhere" / "scan.json")
    assert_one_line_error(result, "nowhere", "No such file")


def test_k45_target_below_a_file_is_named(replays: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("data", "convert", replays, "--out", tmp_path / "file" / "store")
    assert_one_line_error(result, "Not a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_k45_read_only_folder_is_named(replays: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    assert_one_line_error(run("data", "scan", replays, "--json", closed / "scan.json"), "Permission denied")


def test_k45_file_that_vanishes_does_not_end_the_job(replays: Path) -> None:
    (replays / "gone.slp").symlink_to(replays / "nothing")
    assert run("data", "scan", replays).returncode == 0


def test_k45_second_run_in_the_folder_is_refused_and_harms_nothing(replays: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "report.html").write_text("earlier")
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = run("quickstart", "--replays", replays, "--out", out)
    assert_one_line_error(result, "another job")
    assert (out / "report.html").read_text() == "earlier"


def test_k45_failed_job_keeps_the_earlier_results(replays: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (out / "checkpoint").mkdir(parents=True)
    (out / "checkpoint" / "meta.json").write_text("earlier")
    result = run("quickstart", "--replays", replays, "--out", out)
    assert_one_line_error(result, "refused")
    assert (out / "checkpoint" / "meta.json").read_text() == "earlier"
    assert sorted(path.name for path in out.iterdir()) == [".lock", "checkpoint"]


def test_k45_film_on_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    frames = tmp_path / "frames.npy"
    np.save(frames, np.zeros(30, FRAME_DTYPE))
    program = (
        "import numpy, resource, sys; from melee_env.rendering import write_video;"
        f"frames = numpy.load({str(frames)!r}); resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000));"
        f"write_video({str(tmp_path / 'film.gif')!r}, frames)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode != 0
    assert [path.name for path in tmp_path.iterdir()] == ["frames.npy"]
