"""Training out of a tensor store: the same weights as from memory."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from demonstrations import load_trajectories
from demonstrations.encode import encode
from demonstrations.filters import GameFilter
from demonstrations.stored_trajectories import StoredTrajectories, is_tensor_store
from melee_env.errors import OptionError
from melee_env.slp import write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("imitation", reason="imitation is not installed")
EVERYTHING = GameFilter(normal_ratios=False)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Recordings, and tensors of them in two shards."""
    root = tmp_path_factory.mktemp("stored")
    (root / "replays").mkdir()
    for number in range(3):
        write_game(root / "replays" / f"{number}.slp", GAMES.synthetic_game(length=250, seed=number))
    encode(root / "replays", root / "tensors", reward="damage+stock", filters=EVERYTHING, group=2)
    return root / "replays", root / "tensors"


def test_stored_trajectories_are_the_loaded_ones(folders: tuple[Path, Path]) -> None:
    loaded = load_trajectories(folders[0], filters=EVERYTHING)
    stored = StoredTrajectories(folders[1])
    assert is_tensor_store(folders[1]) and not is_tensor_store(folders[0])
    for one, other in zip(stored, loaded, strict=True):
        for name in ("obs", "acts", "rews"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert one.terminal == other.terminal and one.infos[0] == other.infos[0]


def test_training_out_of_a_store_gives_the_same_weights(
    folders: tuple[Path, Path], tiny: dict[str, Any], tmp_path: Path
) -> None:
    sources = {
        "memory": load_trajectories(folders[0], filters=EVERYTHING),
        "store": StoredTrajectories(folders[1]),
    }
    for name, demonstrations in sources.items():
        agents.train("bc", demonstrations=demonstrations, out=tmp_path / name, **tiny)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in sources]
    assert weights[0] == weights[1]
    with pytest.raises(OptionError, match="observation=compact"):
        agents.train(
            "bc", demonstrations=sources["store"], out=tmp_path / "other", **{**tiny, "observation": "full"}
        )


def test_a_fighter_who_is_not_there_is_refused(
    folders: tuple[Path, Path], tiny: dict[str, Any], tmp_path: Path
) -> None:
    nobody = StoredTrajectories(folders[1], lambda episode: False)
    assert len(nobody) == 0
    with pytest.raises(OptionError, match="no episode"):
        agents.train("bc", demonstrations=nobody, out=tmp_path / "nobody", **tiny)
