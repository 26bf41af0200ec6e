"""What the tests of evaluations share: recordings, a checkpoint, and the command line."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.cli import main
from experiments.evaluation import play_games
from experiments.evaluation.recordings import WINDOW
from melee_env.backends.base import BACKENDS
from melee_env.slp import write_game

sys.path.insert(0, str(Path(__file__).parent))
from toy_backend import PressingAgent  # noqa: E402
from toy_network import toy_network  # noqa: E402

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two games, one of them twice, and two files that are none."""
    folder = tmp_path_factory.mktemp("recordings")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BACKENDS.built_in, "walking", "toy_backend:WalkingToy")
        played = play_games(
            PressingAgent(3),
            PressingAgent(7),
            2,
            0,
            opponent_character="FALCO",
            backend="walking",
            stocks=99,
            time_limit=WINDOW,
            record=(0, 1),
        )
    for n, game in played.recordings.items():
        write_game(folder / f"{n}.slp", game)
    shutil.copy(folder / "1.slp", folder / "again.slp")
    (folder / "bad.slp").write_bytes(b"no replay")
    (folder / "empty.slp").write_bytes(b"")
    return folder


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agents") / "agent"
    toy_network().save(folder)
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process; returns exit code, output and errors."""

    def call(*words: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call
