"""Frames as Arrow files: every byte comes back, columns are named, damage is noticed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demonstrations.frame_table import frame_leaves, leaves, read_frames, read_head, to_arrow
from melee_env.frame import FRAME_DTYPE, ITEM_DTYPE

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def some_frames(length, seed, nanas):
    """Random bytes; items in arbitrary slots."""
    rng = np.random.default_rng(seed)
    frames = np.frombuffer(rng.bytes(length * FRAME_DTYPE.itemsize), FRAME_DTYPE).copy()
    frames["items"][rng.random((length, 15)) < 0.8] = np.zeros((), ITEM_DTYPE)
    frames["items"]["exists"] = frames["items"]["exists"] != 0
    frames["items"][frames["items"]["exists"] == 0] = np.zeros((), ITEM_DTYPE)
    for seat in range(2):
        if seat not in nanas:
            frames["seats"]["nana"][:, seat] = np.zeros((), frames["seats"]["nana"].dtype)
    return frames


@settings(max_examples=15, deadline=None)
@given(length=st.integers(1, 70), seed=st.integers(0, 2**32 - 1), nanas=st.sets(st.integers(0, 1)))
def test_every_byte_comes_back(tmp_path_factory, length, seed, nanas):
    path, frames = tmp_path_factory.mktemp("table") / "game.arrow", some_frames(length, seed, nanas)
    path.write_bytes(to_arrow(frames, {"seed": seed}))
    assert read_frames(path).tobytes() == frames.tobytes()
    assert read_head(path) == {"seed": seed}


def test_any_arrow_library_reads_the_columns(tmp_path):
    frames = some_frames(20, 0, {1})
    (tmp_path / "game.arrow").write_bytes(to_arrow(frames, {}))
    table = pa.ipc.open_file(pa.memory_map(str(tmp_path / "game.arrow"))).read_all()
    ids = table["seats.1.nana.controller.buttons"].to_numpy()
    np.testing.assert_array_equal(ids, frames["seats"]["nana"]["controller"]["buttons"][:, 1])
    assert "seats.0.nana.x" not in table.column_names and "seats.0.leader.flags.4" in table.column_names
    items = [[item["slot"] for item in row] for row in table["items"].to_pylist()]
    assert items == [np.flatnonzero(row["exists"]).tolist() for row in frames["items"]]


def test_leaves_cover_a_record_without_overlap():
    for dtype in (FRAME_DTYPE, ITEM_DTYPE):
        places = [
            place for leaf in leaves(dtype) for place in range(leaf.place, leaf.place + leaf.dtype.itemsize)
        ]
        assert places == list(range(dtype.itemsize))
    assert len(frame_leaves()) == len({leaf.name for leaf in frame_leaves()})


def test_a_cut_file_is_noticed(tmp_path):
    data = to_arrow(some_frames(20, 0, set()), {}).to_pybytes()
    for size in (0, 5, 1000, len(data) - 8):
        (tmp_path / "cut.arrow").write_bytes(data[:size])
        with pytest.raises((OSError, ValueError)):
            read_frames(tmp_path / "cut.arrow")
