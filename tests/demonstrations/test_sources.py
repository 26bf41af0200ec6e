"""Games from parquet tables and from ``.pt`` shards, written here in those formats, are the games they came from."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from demonstrations import mimic, parquet
from demonstrations.encode import encode
from demonstrations.games import game_key, iterate_games
from demonstrations.shards import TensorStore
from demonstrations.tables import BUTTONS, FIELDS, PROJECTILE_FIELDS, STAGES, STICKS, TRIGGERS
from melee_env.controller import make_controllers
from melee_env.errors import OptionError, ReplayError
from melee_env.frame import empty_frames
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import Character
from melee_env.observations import make_encoder

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
LIBMELEE_STAGE = {stage.external: number for number, stage in STAGES.items()}
NAMES = {"x": "pos_x", "y": "pos_y"}


def plain_game(length=300, seed=0):
    """A game that such a table can hold: Fox against the Ice Climbers, with two projectiles."""
    rng, frames = np.random.default_rng(seed), empty_frames(length)
    frames["frame"], frames["stage"] = np.arange(-123, length - 123), 31
    frames["seats"]["port"] = [0, 1]
    for seat, character in enumerate((Character.FOX, Character.POPO)):
        for name in ("leader", "nana") if seat else ("leader",):
            fighter = frames["seats"][name][:, seat]
            for field in ("x", "y", "vel_air_x", "vel_ground_x", "vel_y", "knockback_x", "knockback_y"):
                fighter[field] = rng.normal(0, 20, length)
            fighter["character"] = Character.NANA.internal if name == "nana" else character.internal
            fighter["action"] = rng.choice([14, 20, 24, 65, 236, 361], length)
            for field, most in (
                ("stocks", 5),
                ("jumps", 3),
                ("hitlag", 9),
                ("action_frame", 40),
                ("airborne", 2),
            ):
                fighter[field] = rng.integers(0, most, length)
            fighter["percent"], fighter["shield"] = rng.uniform(0, 150, length), rng.uniform(0, 60, length)
            fighter["hitstun"], fighter["hurtbox"] = rng.integers(0, 30, length), rng.integers(0, 2, length)
            fighter["facing"] = rng.choice([-1, 1], length)
            cells = rng.integers(-80, 81, (4, length)) / 80
            pads = make_controllers(*cells, trigger=rng.integers(0, 141, length) / 140)
            pads["buttons"] = sum(
                np.where(rng.random(length) < 0.1, int(button), 0) for button in BUTTONS.values()
            )
            fighter["controller"] = pads
            fighter["present"] = 1
    frames["seats"]["nana"][length // 2 :, 1] = 0
    for k in range(2):
        item = frames["items"][:, k]
        item["exists"] = rng.random(length) < 0.5
        for field in ("x", "y", "vel_x", "vel_y"):
            item[field] = rng.normal(0, 20, length)
        item["type"], item["owner"] = 54, k
        item[item["exists"] == 0] = 0
    seats = (SeatInfo(0, Character.FOX.external), SeatInfo(1, Character.POPO.external))
    return Game(GameInfo(31, seats), frames)


def columns_of(game, own):
    """The table of a game as one player sees it, as slippi-frame-extractor writes it."""
    frames, out = (
        game.frames,
        {"frame": game.numbers, "startAt": np.array(["2024-05-06T07:08:09Z"] * len(game))},
    )
    out["stage"] = np.full(len(game), LIBMELEE_STAGE[game.info.stage])
    for who, seat in (("self", own), ("opp", 1 - own)):
        out[f"{who}_port"] = np.full(len(game), game.info.seats[seat].port + 1)
        for part, prefix in (("leader", f"{who}_"), ("nana", f"{who}_nana_")):
            fighter = frames["seats"][part][:, seat]
            for name, field in FIELDS.items():
                out[prefix + name] = fighter[field].copy()
            out[f"{prefix}facing"], out[f"{prefix}on_ground"] = (
                fighter["facing"] > 0,
                fighter["airborne"] == 0,
            )
            for name, field in STICKS.items():
                out[prefix + name] = fighter["controller"][field] / 2 + 0.5
            for name, field in TRIGGERS.items():
                out[prefix + name] = fighter["controller"][field].copy()
            for name, button in BUTTONS.items():
                out[prefix + name] = fighter["controller"]["buttons"] & int(button) != 0
            if part == "nana":
                gone = fighter["present"] == 0
                out[f"{prefix}character"] = np.where(gone, -1, fighter["character"].astype(np.int64))
                out[f"{prefix}pos_x"] = np.where(gone, np.nan, fighter["x"])
    for k in range(8):
        item = frames["items"][:, k]
        for name, field in PROJECTILE_FIELDS.items():
            out[f"proj{k}_{name}"] = np.where(item["exists"] != 0, item[field].astype(np.float64), np.nan)
        out[f"proj{k}_type"] = np.where(item["exists"] != 0, item["type"].astype(np.int64), -1)
        out[f"proj{k}_owner"] = np.where(item["exists"] != 0, item["owner"].astype(np.int64) + 1, -1)
    return out


def write_parquet(path, columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), path)


def equal_enough(game, other, controllers=("leader", "nana"), seats=(0, 1)):
    """Compare what a table holds, and what encoders make of it."""
    ours, theirs = game.frames, other.frames
    for part in ("leader", "nana"):
        for field in (*FIELDS.values(), "present", "facing", "airborne"):
            np.testing.assert_allclose(
                ours["seats"][part][field], theirs["seats"][part][field], atol=2e-3, err_msg=f"{part}.{field}"
            )
    for seat in seats:
        for part in controllers:
            for field in (*STICKS.values(), *TRIGGERS.values(), "buttons"):
                np.testing.assert_allclose(
                    ours["seats"][part]["controller"][field][:, seat],
                    theirs["seats"][part]["controller"][field][:, seat],
                    atol=1e-5,
                    err_msg=field,
                )
    for field in ("exists", "x", "vel_y", "owner", "type"):
        np.testing.assert_allclose(ours["items"][field], theirs["items"][field], atol=2e-3)
    encoder = make_encoder("compact")
    np.testing.assert_allclose(encoder.encode(ours), encoder.encode(theirs), atol=1e-3)


def test_both_views_of_a_parquet_game_are_the_recorded_game(tmp_path):
    game = plain_game()
    for own in (0, 1):
        write_parquet(tmp_path / f"game-p{own + 1}.parquet", columns_of(game, own))
        reading = parquet.read(tmp_path / f"game-p{own + 1}.parquet")
        assert (reading.status, reading.frames) == ("read", 300)
        assert [seat.character for seat in reading.game.info.seats] == [2, 14]
        assert "pre_x" in reading.info.absent and "x" not in reading.info.absent
        equal_enough(reading.game, game)
    one, two = iterate_games(tmp_path)
    assert game_key(one) == game_key(two), "two views of a game are one game"
    encode(tmp_path, tmp_path / "tensors")
    (part,) = TensorStore(tmp_path / "tensors").parts()
    assert [episode.source for episode in part.episodes] == ["game-p1.parquet"] * 2


def test_bad_tables_are_refused_with_a_code(tmp_path):
    path = tmp_path / "game.parquet"
    columns = columns_of(plain_game(), 0)
    for change, reason in (
        ({"opp_pos_x": None}, "bad_table"),
        ({"stage": np.zeros(300, int)}, "not_versus"),
        ({"self_character": np.full(300, 255)}, "not_versus"),
    ):
        write_parquet(path, {k: v for k, v in {**columns, **change}.items() if v is not None})
        with pytest.raises(ReplayError) as error:
            parquet.read(path)
        assert error.value.reason == reason
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(ReplayError, match="not_parquet"):
        parquet.read(path)


SCALE = {
    "frame": (5059.0, 3327.0),
    "self_pos_x": (1.13, 55.0),
    "opp_pos_y": (13.6, 32.4),
    "self_percent": (52.6, 42.4),
}


def write_shard(folder, games, lead=1):
    """Write games, seen by their first player, as MIMIC's writer lays them out."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    enums = pytest.importorskip("melee", reason="libmelee is not installed").enums
    index = {kind: {member.value: k for k, member in enumerate(kind)} for kind in
             (enums.Stage, enums.Character, enums.Action, enums.ProjectileType)}  # fmt: skip
    states, targets, offsets = {}, {}, [0]

    def add(target, name, values):
        target.setdefault(name, []).append(torch.from_numpy(np.ascontiguousarray(values)))

    for game in games:
        columns = columns_of(game, 0)

        def number(name, columns=columns):
            mean, std = SCALE.get(name, (0.0, 1.0))
            values = columns.get(name, np.zeros(len(columns["frame"])))
            return ((np.nan_to_num(values.astype(np.float64)) - mean) / std).astype(np.float32)

        def category(name, kind, columns=columns):
            return np.array([index[kind].get(int(value), 0) for value in columns[name]], np.int64)

        last = len(game) - lead
        add(states, "numeric", np.stack([number(n) for n in ("distance", "frame", *"x" * 18)], -1)[:last])
        add(states, "stage", category("stage", enums.Stage)[:last])
        for who in ("self", "opp", "self_nana", "opp_nana"):
            add(states, f"{who}_character", category(f"{who}_character", enums.Character)[:last])
            add(states, f"{who}_action", category(f"{who}_action", enums.Action)[:last])
            names = mimic.PLAYER_NUMBERS + (mimic.NANA_REPEATS if "nana" in who else ())
            add(states, f"{who}_numeric", np.stack([number(f"{who}_{n}") for n in names], -1)[:last])
            add(states, f"{who}_flags", np.stack([number(f"{who}_{n}") for n in mimic.FLAGS], -1)[:last])
            add(states, f"{who}_action_elapsed", number(f"{who}_action_frame")[:last])
        add(states, "self_port", np.zeros(last, np.int64))
        for k in range(8):
            add(states, f"proj{k}_type", category(f"proj{k}_type", enums.ProjectileType)[:last])
            add(states, f"proj{k}_owner", columns[f"proj{k}_owner"].astype(np.int64)[:last] + 1)
            parts = np.stack([number(f"proj{k}_{n}") for n in mimic.PROJECTILE_NUMBERS], -1)
            add(states, f"{k}_numeric", parts[:last])
        ahead = slice(lead, lead + last)
        for name in mimic.ANALOG:
            add(targets, name, columns[f"self_{name}"].astype(np.float32)[ahead])
        directions = np.zeros((last, 5), np.float32)
        directions[:, 0] = 1
        add(targets, "c_dir", directions)
        buttons = np.stack([columns[f"self_btn_{name}"] for name in mimic.BUTTONS], -1)
        add(targets, "btns", buttons.astype(np.float32)[ahead])
        offsets.append(offsets[-1] + last)
    shard = {
        "states": {name: torch.cat(parts) for name, parts in states.items()},
        "targets": {name: torch.cat(parts) for name, parts in targets.items()},
        "offsets": torch.tensor(offsets),
        "n_games": len(games),
    }
    torch.save(shard, folder / "train_shard_000.pt")
    (folder / "norm_stats.json").write_text(json.dumps(SCALE))
    owners = {f"proj{k}_owner": {str(raw): raw + 1 for raw in range(-1, 5)} for k in range(8)}
    (folder / "cat_maps.json").write_text(json.dumps(owners))


def without_c_stick(game):
    """What a shard can hold of a game: no C-stick of the player itself but its direction, none of the others."""
    for part in ("leader", "nana"):
        for field in ("cstick_x", "cstick_y"):
            game.frames["seats"][part]["controller"][field] = 0
    game.frames["items"]["type"][game.frames["items"]["exists"] != 0] = 54
    return game


def test_games_of_a_shard_are_the_recorded_games(tmp_path):
    games = [without_c_stick(plain_game(200 + 50 * k, seed=k)) for k in range(3)]
    write_shard(tmp_path, games)
    streamed = list(mimic.stream(tmp_path))
    assert [name for name, _ in streamed] == [f"train_shard_000.pt#{k}" for k in range(3)]
    for (_, game), original in zip(streamed, games, strict=True):
        original.frames = original.frames[:-1]
        np.testing.assert_array_equal(game.numbers, original.numbers)
        equal_enough(game, original, controllers=(), seats=())
        ours, theirs = (g.frames["seats"]["leader"]["controller"][1:, 0] for g in (game, original))
        for field in ("stick_x", "stick_y", "trigger_l", "buttons"):
            np.testing.assert_allclose(ours[field], theirs[field], atol=1e-5, err_msg=field)
    encode(tmp_path, tmp_path / "tensors")
    store = TensorStore(tmp_path / "tensors")
    assert [episode.seat for part in store.parts() for episode in part.episodes] == [0, 0, 0]


def test_older_targets_lie_on_their_own_frame(tmp_path):
    game = without_c_stick(plain_game())
    write_shard(tmp_path, [game], lead=0)
    ((_, streamed),) = mimic.stream(tmp_path, targets_lead=0)
    ours, theirs = (g.frames["seats"]["leader"]["controller"][:, 0] for g in (streamed, game))
    np.testing.assert_allclose(ours["stick_x"], theirs["stick_x"], atol=1e-5)


def test_a_shard_cannot_run_code_and_damage_is_typed(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    (tmp_path / "norm_stats.json").write_text(json.dumps(SCALE))
    path, mark = tmp_path / "evil.pt", tmp_path / "mark"

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(mark),)

    torch.save({"states": Evil()}, path)
    for data in (None, b"", b"no shard", path.read_bytes()[:200]):
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(ReplayError, match="bad_shard"):
            list(mimic.stream(tmp_path))
    assert not mark.exists()
    torch.save({"states": {}}, path)
    with pytest.raises(ReplayError, match="n_games"):
        list(mimic.stream(tmp_path))
    with pytest.raises(OptionError, match="data fetch"):
        list(mimic.stream(tmp_path, "*.none"))


@pytest.mark.slow
def test_a_large_shard_is_streamed_in_little_memory(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    write_shard(tmp_path, [without_c_stick(plain_game(500, seed=k)) for k in range(2)])
    path = tmp_path / "train_shard_000.pt"
    shard = torch.load(path, weights_only=True)
    for group in ("states", "targets"):
        shard[group] = {name: torch.cat([tensor] * 150) for name, tensor in shard[group].items()}
    shard["n_games"] = 300
    shard["offsets"] = torch.arange(301) * 499
    torch.save(shard, path)
    size = path.stat().st_size
    assert size > 140e6
    program = (
        "import re, sys\nfrom pathlib import Path\nfrom demonstrations import mimic\n"
        # ru_maxrss would begin with what this process has; VmHWM begins anew.
        "status = Path('/proc/self/status')\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', status.read_text())[1]) * 1024\n"
        "mimic.RESIDENT_FRAMES = int(sys.argv[2])\n"
        "games = mimic.stream(sys.argv[1])\n"
        "frames, before = len(next(games)[1]), peak()\n"
        "frames += sum(len(game) for _, game in games)\n"
        "print(frames, peak() - before)"
    )

    def growth(resident_frames):
        command = [sys.executable, "-c", program, str(tmp_path), str(resident_frames)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        frames, grown = map(int, done.stdout.split())
        assert frames == 300 * 499
        return grown

    # A mapping is given back after 15,000 frames, a tenth of the shard; otherwise what is read of it stays.
    assert growth(15_000) < growth(10**9) / 2
