"""Training tensors: packing, encoding from files, shards on disk, augmentation."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from demonstrations.columns import Columns
from demonstrations.encode import encode, source_digests
from demonstrations.filters import GameFilter
from demonstrations.shards import TensorStore
from demonstrations.tensors import TensorEncoder
from demonstrations.trajectories import align, load_trajectories, stretches
from demonstrations.windows import Settings, Windows, to_torch
from melee_env.actions import make_codec
from melee_env.errors import OptionError
from melee_env.frame import seen_from
from melee_env.observations import encoder_names, make_encoder
from melee_env.rewards import make_reward
from melee_env.slp import write_game

_SPEC = importlib.util.spec_from_file_location("games", Path(__file__).parents[1] / "fixtures" / "games.py")
GAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GAMES)
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

EVERYTHING = GameFilter(normal_ratios=False)


@pytest.mark.parametrize("name", encoder_names())
def test_packing_loses_nothing(name):
    encoder = make_encoder(name)
    observations = encoder.encode(GAMES.synthetic_game(length=300).frames)
    columns = Columns(encoder.size, encoder.one_hot)
    numbers, ids = columns.pack(observations)
    assert columns.unpack(numbers, ids).tobytes() == observations.tobytes()
    if name in (
        "compact",
        "full",
    ):  # the others hold fewer one-hots than plain numbers, or blocks beyond a byte
        assert numbers.nbytes + ids.nbytes < observations.nbytes / 4


@pytest.mark.parametrize(
    "name", [n for n in encoder_names() if make_encoder(n).packs] + ["full:nana=enhanced"]
)
def test_packing_while_encoding_gives_the_same(name):
    encoder, frames = make_encoder(name), GAMES.synthetic_game(length=200).frames
    frames["stage"][100:] = 200  # a stage without a column
    columns, data = Columns(encoder.size, encoder.one_hot), frames.view(np.uint8).reshape(200, -1)
    for seat in range(2):
        numbers = np.empty((200, len(columns.plain)), np.float32)
        ids = np.empty((200, len(columns.blocks)), np.uint8)
        encoder.pack_bytes(data, numbers, ids, seat)
        expected = columns.pack(encoder.encode(seen_from(frames, seat)))
        assert numbers.tobytes() == expected[0].tobytes() and ids.tobytes() == expected[1].tobytes()


@pytest.mark.parametrize("name", encoder_names())
def test_the_other_seat_is_encoded_without_moving_frames(name):
    encoder, frames = make_encoder(name), GAMES.synthetic_game(length=100).frames
    out = np.empty((100, encoder.size), np.float32)
    encoder.encode_bytes(frames.view(np.uint8).reshape(100, -1), out, 1)
    np.testing.assert_array_equal(out, encoder.encode(seen_from(frames, 1)))
    assert (out != encoder.encode(frames)).any()


@pytest.mark.parametrize("name", ["compact", "compact:previous=3", "hal:previous=2"])
def test_rows_are_those_of_the_trajectories(name):
    game = GAMES.synthetic_game(length=300)
    tensors = TensorEncoder(name, "multidiscrete", "damage+stock")
    rows = tensors.encode(game, [0, 1], "game.slp")
    assert [episode.seat for episode in rows.episodes] == [0, 1]
    trajectories = load_trajectories(game, observation=name, filters=EVERYTHING)
    for episode, stretch, trajectory in zip(
        rows.episodes, stretches(game, [0, 1]), trajectories, strict=True
    ):
        frames, acts = align(stretch.frames, make_codec("multidiscrete").encode)
        steps = slice(episode.start, episode.start + episode.length)
        seen = slice(episode.start, episode.start + episode.length + 1)
        observations = tensors.columns.unpack(rows.numbers[seen], rows.ids[seen])
        np.testing.assert_array_equal(observations, trajectory.obs)
        np.testing.assert_array_equal(rows.actions[steps], acts)
        np.testing.assert_array_equal(
            rows.rewards[steps], make_reward("damage+stock").step(frames[:-1], frames[1:])
        )
        assert (episode.game, episode.player, episode.terminal) == (
            stretch.game,
            stretch.player,
            stretch.ended,
        )


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(5):
        write_game(folder / f"{number}.slp", GAMES.synthetic_game(length=200, seed=number))
    write_game(folder / "again.slp", GAMES.synthetic_game(length=200, seed=0))
    (folder / "html.slp").write_bytes(b"<html>")
    return folder


def contents(root):
    return {path.name: path.read_bytes() for path in sorted(root.iterdir())}


def test_a_folder_becomes_shards_that_open(source, tmp_path):
    outcomes = encode(source, tmp_path / "t", filters=EVERYTHING, group=3)
    assert [(o.file, o.status, bool(o.stored)) for o in outcomes][-2:] == [
        ("again.slp", "read", True),
        ("html.slp", "refused", False),
    ]
    store = TensorStore(tmp_path / "t", {"observation": "compact"})
    assert len(store.shards) == 3 and len(store) == 6 * 2 * 116
    episodes = [episode for part in store.parts() for episode in part.episodes]
    assert len(episodes) == 10, "a game that occurs twice is used once"
    store.check_source(source_digests(source))
    windows = Windows.of_store(store, Settings(length=10))
    total = sum(len(batch.weights) for batch in windows.batches(32))
    store.release()
    assert total == len(windows) == 10 * 12


def test_number_of_processes_changes_no_byte_and_a_second_run_goes_on(source, tmp_path):
    encode(source, tmp_path / "one", filters=EVERYTHING, group=3)
    encode(source, tmp_path / "two", filters=EVERYTHING, group=3, jobs=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    (tmp_path / "two" / "manifest.json").unlink()  # as if it had been killed
    (tmp_path / "two" / "00001.arrow").write_bytes(b"half")
    kept = (tmp_path / "two" / "00000.arrow").stat().st_mtime_ns
    with pytest.raises(OptionError, match="no finished tensors"):
        TensorStore(tmp_path / "two")
    encode(source, tmp_path / "two", filters=EVERYTHING, group=3)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert (tmp_path / "two" / "00000.arrow").stat().st_mtime_ns == kept


def test_a_long_shard_is_written_in_batches(source, tmp_path, monkeypatch):
    encode(source, tmp_path / "whole", filters=EVERYTHING)
    monkeypatch.setattr("demonstrations.shards.BATCH_ROWS", 300)
    encode(source, tmp_path / "batches", filters=EVERYTHING)
    whole, batches = TensorStore(tmp_path / "whole"), TensorStore(tmp_path / "batches")
    assert len(whole.parts()) == 1 and len(batches.parts()) > 2 and len(whole) == len(batches)
    settings = Settings(length=10, seed=1)
    for one, other in zip(
        Windows.of_store(whole, settings).batches(16),
        Windows.of_store(batches, settings).batches(16),
        strict=True,
    ):
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))


def test_parts_of_several_machines_make_the_same_folder(source, tmp_path):
    one, parts = tmp_path / "one", tmp_path / "parts"
    encode(source, one, filters=EVERYTHING, group=1)
    for k in (2, 1, 3):
        done = encode(source, parts, filters=EVERYTHING, group=1, part=(k, 3))
        assert 0 < len(done) < 6 and not (parts / "manifest.json").exists()
    with pytest.raises(OptionError, match="no manifest"):
        TensorStore(parts)
    before = {path: path.stat().st_mtime_ns for path in parts.glob("*.arrow")}
    encode(source, parts, filters=EVERYTHING, group=1)
    assert {path: path.stat().st_mtime_ns for path in parts.glob("*.arrow")} == before
    assert [p.read_bytes() for p in sorted(one.iterdir())] == [
        p.read_bytes() for p in sorted(parts.iterdir())
    ]
    with pytest.raises(OptionError, match="K/N"):
        encode(source, parts, filters=EVERYTHING, group=1, part=(4, 3))


def test_k53_tensors_made_otherwise_short_or_stale_are_refused(source, tmp_path, monkeypatch):
    root = tmp_path / "t"
    encode(source, root, filters=EVERYTHING, group=3)
    with pytest.raises(OptionError, match="observation 'compact', not 'full'"):
        TensorStore(root, {"observation": "full"})
    with pytest.raises(OptionError, match="other settings"):
        encode(source, root, observation="full", filters=EVERYTHING, group=3)
    (source / "0.slp").write_bytes((source / "1.slp").read_bytes())
    with pytest.raises(OptionError, match="older than its source"):
        TensorStore(root).check_source(source_digests(source))
    monkeypatch.setattr("demonstrations.shards.schema_hash", lambda: "another")
    with pytest.raises(OptionError, match="frame_schema"):
        TensorStore(root)
    monkeypatch.undo()
    manifest = json.loads((root / "manifest.json").read_text())
    manifest["shards"][0]["rows"] += 1
    (root / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(OptionError, match="rows"):
        TensorStore(root)
    shard = root / "00001.arrow"
    shard.write_bytes(shard.read_bytes()[:-1000])
    manifest["shards"][0]["rows"] -= 1
    (root / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(OptionError, match="bytes"):
        TensorStore(root)


def mirrored_frames(frames):
    """Exchange left and right of everything that an observation shows."""
    out = frames.copy()
    for who in ("leader", "nana"):
        fighter = out["seats"][who]
        for name in ("x", "facing", "vel_air_x", "vel_ground_x", "knockback_x"):
            fighter[name] *= -1
        for name in ("stick_x", "cstick_x"):
            fighter["controller"][name] *= -1
    for name in ("x", "vel_x"):
        out["items"][name] *= -1
    return out


@pytest.mark.parametrize("observation", encoder_names())
def test_mirrored_windows_are_windows_of_the_mirrored_game(observation):
    tensors, game = TensorEncoder(observation), GAMES.synthetic_game(length=200)
    rows = tensors.encode(game, [1])
    args = [rows], tensors.columns, tensors.encoder.names
    turned = Windows(*args, Settings(length=16, mirror=1.0))
    game.frames = mirrored_frames(game.frames)
    theirs = Windows([tensors.encode(game, [1])], *args[1:], Settings(length=16))
    for number in range(len(turned)):
        np.testing.assert_array_equal(
            turned.observations(turned[number]), theirs.observations(theirs[number])
        )
        np.testing.assert_array_equal(turned[number].actions, theirs[number].actions)
    assert (turned[0].actions != Windows(*args, Settings(length=16))[0].actions).any()


def test_noise_moves_measured_numbers_only_and_is_seeded():
    tensors, game = TensorEncoder(), GAMES.synthetic_game(length=300)
    args = [tensors.encode(game, [0])], tensors.columns, tensors.encoder.names
    clean = Windows(*args, Settings(length=64))[0]
    noisy = Windows(*args, Settings(length=64, noise=0.02, seed=1))[0]
    names = np.array(tensors.encoder.names)[tensors.columns.plain]
    moved = set(names[(noisy.numbers != clean.numbers).any(0)].tolist())
    assert {"own.x", "opponent.percent", "dx"} <= moved
    assert not moved & {"own.facing", "own.airborne", "own.stocks", "item0.exists", "clock"}
    assert np.std(noisy.numbers[:, 0] - clean.numbers[:, 0]) == pytest.approx(0.02, rel=0.4)
    again = Windows(*args, Settings(length=64, noise=0.02, seed=1))[0]
    np.testing.assert_array_equal(noisy.numbers, again.numbers)
    np.testing.assert_array_equal(noisy.ids, clean.ids)


def test_windows_with_more_changes_are_drawn_more_often():
    game = GAMES.synthetic_game(length=1000)
    pads = game.frames["seats"]["leader"]["controller"]
    pads[:500] = 0
    tensors = TensorEncoder()
    windows = Windows(
        [tensors.encode(game, [0])],
        tensors.columns,
        tensors.encoder.names,
        Settings(length=10, oversample=4, transition_weight=3),
    )
    still = windows.places[:, 2] + 10 < 415
    assert windows.chances()[still].max() == 1 and windows.chances()[~still][1:].min() == 4
    drawn = np.concatenate([windows.order(epoch) for epoch in range(20)])
    assert still[drawn].mean() == pytest.approx(still.sum() / (still.sum() + 4 * (~still).sum()), abs=0.03)
    weights = windows.__getitems__([0, len(windows) - 1]).weights
    assert weights[0].tolist() == [1] * 10 and weights[1].tolist() == [3] * 10


def test_windows_of_few_parts_are_mixed_at_a_time():
    tensors = TensorEncoder()
    rows = tensors.encode(GAMES.synthetic_game(length=200), [0])
    windows = Windows([rows] * 20, tensors.columns, tensors.encoder.names, Settings(length=20))
    orders = [windows.order(epoch) for epoch in range(2)]
    for order in orders:
        assert sorted(order.tolist()) == list(range(len(windows)))
        parts = windows.places[order, 0].reshape(-1, len(windows) // 20)  # a row per part's worth of windows
        groups = [set(parts[begin : begin + 8].ravel().tolist()) for begin in (0, 8, 16)]
        assert [len(group) for group in groups] == [8, 8, 4] and not groups[0] & groups[1]
        assert len(set(parts[0].tolist())) > 1
    assert orders[0].tolist() != orders[1].tolist()


def test_an_action_delay_needs_observations_that_show_no_actions(source, tmp_path):
    encode(source, tmp_path / "out", "compact:previous=1", filters=EVERYTHING)
    store = TensorStore(tmp_path / "out")
    assert len(Windows.of_store(store))
    with pytest.raises(OptionError, match="previous=0"):
        Windows.of_store(store, Settings(action_delay=2))


def test_a_torch_loader_takes_windows_as_they_are():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensors = TensorEncoder()
    rows = tensors.encode(GAMES.synthetic_game(length=300), [0, 1])
    windows = Windows([rows], tensors.columns, tensors.encoder.names, Settings(length=20))
    loader = torch.utils.data.DataLoader(windows, batch_size=4, collate_fn=to_torch)
    batches = list(loader)
    assert sum(len(batch["actions"]) for batch in batches) == len(windows)
    assert batches[0]["actions"].dtype == batches[0]["ids"].dtype == torch.int64
    assert batches[0]["numbers"].shape == (4, 20, 57)


@pytest.mark.parametrize(
    "settings",
    [
        {"length": 0},
        {"frame_delay": (3, 1)},
        {"action_delay": -1},
        {"mirror": 2},
        {"noise": -1},
        {"oversample": 0},
    ],
)
def test_impossible_settings_are_refused(settings):
    with pytest.raises(OptionError):
        Settings(**settings)
