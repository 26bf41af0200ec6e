"""K14 to K17: both seats see one game, delays are exact, and there is one encoder."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from melee_env.controller import CONTROLLER_DTYPE
from melee_env.errors import OptionError
from melee_env.frame import FIGHTER_DTYPE, Frames, seen_from
from melee_env.game import Game, GameInfo, SeatInfo
from melee_env.ids import Stage
from melee_env.observations import ObservationEncoder, encoder_names, make_encoder
from melee_env.observations import encoder as encoder_module
from melee_env.observations.features import (
    ACTION_GROUP,
    ACTION_GROUP_NAMES,
    CONDITION,
    CONTROLLER,
    EDGE_X,
    KINEMATICS,
    STAGE_ORDER,
    Scalar,
    fighter_features,
)
from melee_env.selfplay import parallel_env
from melee_env.slp import write_game
from melee_env.testing import sample_frames

VERSUS = "melee_env/Versus-v0"
PLAIN = ("compact", "full")
SWITCHED = "full:stage=geometry,items=3,previous=4,delay=on,ids=integer,nana=compact"
ALL = [*encoder_names(), SWITCHED, "exphil:previous=4,delay=on"]


def history(frames: Frames, depth: int) -> np.ndarray:
    """Committed controllers for frames of any shape, whatever they are."""
    pads = np.random.default_rng(5).permutation(frames["seats"]["leader"]["controller"][..., 0].reshape(-1))
    shown = [np.roll(pads, k) for k in range(depth)] or [pads[:0]]
    return np.stack(shown, -1).reshape(*frames.shape, depth)


def encoded(name: str, frames: Frames) -> np.ndarray:
    encoder = make_encoder(name)
    return encoder.encode(frames, committed=history(frames, encoder.previous), delays=3)


def odd_frames() -> Frames:
    """Random bytes in the shape of frames: every value that a field can hold, and some that none should."""
    rng = np.random.default_rng(0)
    frames = sample_frames(2, 150, seed=3).reshape(-1)
    frames[::3] = np.frombuffer(rng.bytes(frames[::3].nbytes), frames.dtype)
    return frames


@pytest.mark.parametrize("name", ["compact", "full", "exphil"])
def test_k14_each_seat_sees_itself_first(name: str) -> None:
    encoder = make_encoder(name)
    frames = sample_frames(2, 100)
    ours, theirs = encoder.encode(frames), encoder.encode(seen_from(frames, 1))
    assert not np.array_equal(ours, theirs)
    for k, label in enumerate(encoder.names):
        if label.startswith("own.") and not label.endswith("present"):
            other = encoder.names.index(label.replace("own.", "opponent.", 1))
            np.testing.assert_array_equal(ours[..., k], theirs[..., other])
        elif label in ("dx", "dy"):
            np.testing.assert_array_equal(ours[..., k], -theirs[..., k])
        elif label.startswith("stage.") or label == "clock":
            np.testing.assert_array_equal(ours[..., k], theirs[..., k])


def test_k14_seen_twice_from_the_other_seat_is_the_same() -> None:
    frames = odd_frames()
    assert seen_from(seen_from(frames, 1), 1).tobytes() == frames.tobytes()
    assert seen_from(frames, 1)["seats"][:, 0].tobytes() == frames["seats"][:, 1].tobytes()


def played(seat: int, mirror: bool, stage: str) -> tuple[np.ndarray, np.ndarray]:
    """Observations and rewards of one game at close quarters, from a chosen seat, as it is or in a mirror."""
    env = gym.make(
        VERSUS,
        observation="full",
        opponent="scripted:fighter-5",
        opponent_character="MARTH",
        stage=stage,
        seat=seat,
        mirror=mirror,
        position=(-20.0, 0.0001),
        opponent_position=(20.0, 0.0001),
    )
    env.action_space.seed(5)
    shown, rewards = [env.reset(seed=3)[0]], []
    for _ in range(300):
        observation, reward, *_ = env.step(env.action_space.sample())
        shown.append(observation)
        rewards.append(reward)
    return np.array(shown), np.array(rewards)


@pytest.mark.parametrize(
    ("seat", "mirror", "stage", "exactly"),
    [(1, False, "BATTLEFIELD", True), (1, True, "FINAL_DESTINATION", False), (0, True, "BATTLEFIELD", False)],
)
def test_k14_seats_and_mirrors_show_the_same_game(seat: int, mirror: bool, stage: str, exactly: bool) -> None:
    """The same actions give the same observations and rewards; in a mirror the angle of a blow is rounded."""
    plain, ours = played(0, False, stage), played(seat, mirror, stage)
    assert plain[1].any()
    for one, other in zip(plain, ours, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=0 if exactly else 1e-5)


def marker(t: int) -> np.ndarray:
    """A box action whose C-stick tells when it was chosen."""
    action = np.zeros(13, np.float32)
    action[:8] = -1
    action[10] = (30 + t % 40) / 80
    return action


@pytest.mark.parametrize("frame_skip", [1, 3])
@pytest.mark.parametrize("delay", [0, 1, 5, 24])
def test_k15_an_action_takes_effect_after_the_delay(delay: int, frame_skip: int) -> None:
    env = gym.make(
        VERSUS, action="box", action_delay=delay, frame_skip=frame_skip, opponent="scripted:idle"
    ).unwrapped
    for _ in range(2):  # a new episode starts with an empty queue
        env.reset(seed=0)
        shown = []
        for t in range(40):
            env.step(marker(t))
            shown.append(int(env.frame["seats"]["leader"]["controller"]["raw_cx"][0]))
        acting = [(t + 1) * frame_skip - 1 - delay for t in range(40)]
        assert shown == [0 if frame < 0 else 30 + frame // frame_skip for frame in acting]


def test_k15_the_queue_lists_the_pending_actions() -> None:
    env = gym.make(VERSUS, action="box", action_delay=3, opponent="scripted:idle").unwrapped
    env.reset(seed=0)
    for t in range(2):
        env.step(marker(t))
    pending = env.games.controls.committed(3).view(CONTROLLER_DTYPE)[0, :, 0]
    assert pending["raw_cx"].tolist() == [31, 30, 0]


def test_k15_lanes_keep_their_own_queues_over_resets() -> None:
    envs = gym.make_vec(VERSUS, 2, action="box", action_delay=4, opponent="scripted:idle").unwrapped
    envs.reset(seed=0, options={"lanes": [{"time_limit": 1}, {}]})
    shown = []
    for t in range(60):
        envs.step(np.stack([marker(t), marker(t)]))
        shown.append(envs.games.frames["seats"]["leader"]["controller"]["raw_cx"][:, 0].tolist())
    first, second = zip(*shown, strict=True)
    reset_at = first.index(0, 10)
    assert list(second) == [0] * 4 + [30 + t % 40 for t in range(56)]
    assert list(first[reset_at : reset_at + 6]) == [0] * 5 + [30 + (reset_at + 1) % 40]


@pytest.mark.parametrize("delay", [0, 3])
def test_k15_both_seats_of_self_play_have_queues(delay: int) -> None:
    env = parallel_env(observation="compact:previous=4,delay=on", action="box", action_delay=delay)
    observations, _ = env.reset(seed=0)
    names = make_encoder("compact:previous=4,delay=on").names
    queue = [names.index(f"previous{k}.cstick_x") for k in range(4)]
    assert observations["p2"][names.index(f"delay.{delay}")] == 1
    state = env.get_state()
    for _ in range(2):
        acted = []
        for t in range(10):
            actions = {agent: marker(t) * sign for agent, sign in (("p1", 1), ("p2", -1))}
            observations = env.step(actions)[0]
            acted.append(env._frames["seats"]["leader"]["controller"]["raw_cx"][0].tolist())
        assert acted == [[0, 0]] * delay + [[30 + t, -30 - t] for t in range(10 - delay)]
        for agent, sign in (("p1", 1), ("p2", -1)):
            shown = observations[agent][queue]
            np.testing.assert_allclose(shown, [sign * (30 + t) / 80 for t in (9, 8, 7, 6)], rtol=1e-6)
        env.set_state(state)


def slow_value(frame: np.void, fighter: Any, scalar: Scalar) -> float:
    """One feature, straight from its row of the table."""
    source = fighter["controller"] if scalar.field in CONTROLLER_DTYPE.names else fighter
    value = source[scalar.field]
    if np.ndim(value):
        value = value[scalar.byte]
    if scalar.mask:
        return float(bool(int(value) & scalar.mask))
    with np.errstate(all="ignore"):
        scaled = np.float32(np.float32(value) * np.float32(scalar.scale))
    return float(np.clip(scaled, -scalar.limit, scalar.limit)) if np.isfinite(scaled) else 0.0


def near(value: Any, scale: float, limit: float = 5.0) -> float:
    with np.errstate(all="ignore"):
        scaled = np.float32(np.float32(value) * np.float32(scale))
    return float(np.clip(scaled, -limit, limit)) if np.isfinite(scaled) else 0.0


def slow_encode(frame: np.void, full: bool) -> list[float]:
    """The documented encoding of one frame, one value at a time."""
    own, opponent = frame["seats"]["leader"]
    fighters = [own, opponent, *(frame["seats"]["nana"] if full else ())]
    out = []
    for k, fighter in enumerate(fighters):
        table = KINEMATICS + CONDITION + (CONTROLLER if full and k < 2 else ())
        out += [slow_value(frame, fighter, scalar) for scalar in table]
    for fighter in fighters:
        group = ACTION_GROUP[min(int(fighter["action"]), 1023)]
        out += [float(k == group) for k in range(len(ACTION_GROUP_NAMES))]
        out += [float(k == min(int(fighter["character"]), 26)) for k in range(27)]
    out += [float(frame["stage"] == stage) for stage in STAGE_ORDER]
    edge = np.float32(EDGE_X.get(int(frame["stage"]), 80.0))
    with np.errstate(all="ignore"):
        out += [near(opponent["x"] - own["x"], 0.01), near(opponent["y"] - own["y"], 0.01)]
        out += [near(edge - abs(own["x"]), 0.01), near(edge - abs(opponent["x"]), 0.01)]
        out.append(near(np.float32(frame["frame"]) / np.float32(28_800), 1, 2))
        items = [item for item in frame["items"] if item["exists"]][: 5 if full else 2]
        for item in items:
            out += [1.0, float(np.uint8(item["owner"]) == frame["seats"]["port"][0])]
            out += [near(item["type"], 0.01), near(item["x"] - own["x"], 0.01)]
            out += [near(item["y"] - own["y"], 0.01), near(item["vel_x"], 0.1), near(item["vel_y"], 0.1)]
    return out + [0.0] * 7 * ((5 if full else 2) - len(items))


@pytest.mark.parametrize("name", PLAIN)
def test_k16_the_kernel_is_the_documented_encoding(name: str) -> None:
    encoder, frames = make_encoder(name), odd_frames()
    fast = encoder.encode(frames)
    assert fast.shape == (len(frames), encoder.size) == (len(frames), len(encoder.names))
    for n, frame in enumerate(frames):
        slow = np.array(slow_encode(frame, name == "full"), np.float32)
        wrong = np.flatnonzero(fast[n] != slow)
        assert not wrong.size, [(encoder.names[k], fast[n, k], slow[k]) for k in wrong]


@pytest.mark.parametrize("name", ALL)
def test_k16_any_bytes_give_an_observation_of_the_space(name: str) -> None:
    assert all(make_encoder(name).space.contains(row) for row in encoded(name, odd_frames()))


@pytest.mark.parametrize("name", ALL)
def test_k16_the_other_seats_view_needs_no_exchange(name: str) -> None:
    encoder, frames = make_encoder(name), odd_frames()
    pads = np.ascontiguousarray(history(frames, encoder.previous)).view(np.uint8)
    pads = pads.reshape(len(frames), encoder.previous, CONTROLLER_DTYPE.itemsize)
    out = np.empty((2, len(frames), encoder.size), np.float32)
    for given, seat, to in ((frames, 1, out[0]), (seen_from(frames, 1), 0, out[1])):
        encoder.encode_bytes(given.view(np.uint8).reshape(len(frames), -1), to, seat, committed=pads)
    assert out[0].tobytes() == out[1].tobytes()


@pytest.mark.parametrize("name", ALL)
def test_k16_torch_sees_the_same_bits(name: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    encoder, frames = make_encoder(name), sample_frames(2, 30)
    more = {"committed": history(frames, encoder.previous), "delays": 3}
    tensor = encoder.encode_torch(frames, **more)
    assert tensor.dtype == torch.float32
    assert tensor.numpy().tobytes() == encoder.encode(frames, **more).tobytes()


@pytest.mark.parametrize("name", encoder_names())
def test_k16_one_frame_a_batch_and_any_shape_agree(name: str) -> None:
    encoder, frames = make_encoder(name), sample_frames(2, 60)
    batch = encoder.encode(frames)
    singles = [[encoder.encode(frame) for frame in row] for row in frames]
    assert batch.shape == (60, 2, encoder.size)
    assert np.array(singles).tobytes() == batch.tobytes()
    assert encoder.encode(frames[::2].T).tobytes() == np.swapaxes(batch[::2], 0, 1).tobytes()
    out = np.empty_like(batch)
    assert encoder.encode(frames, out).tobytes() == batch.tobytes() == out.tobytes()


@pytest.mark.parametrize("delay", [0, 3])
def test_k16_previous_actions_and_delay_are_shown(delay: int) -> None:
    """The queue is in the observation, the latest first; in an episode's first frames it is empty."""
    name = "compact:previous=5,delay=on"
    env = gym.make(
        VERSUS, observation=name, action="box", action_delay=delay, opponent="scripted:idle"
    ).unwrapped
    names = env.games.encoder.names
    columns = [names.index(f"previous{k}.cstick_x") for k in range(5)]
    observation, _ = env.reset(seed=0)
    assert observation[columns].tolist() == [0] * 5
    for t in range(7):
        observation = env.step(marker(t))[0]
    np.testing.assert_allclose(observation[columns], [(30 + t) / 80 for t in (6, 5, 4, 3, 2)], rtol=1e-6)
    assert observation[[names.index(f"delay.{k}") for k in range(25)]].tolist() == [
        float(k == delay) for k in range(25)
    ]


def test_k16_several_previous_actions_must_be_given() -> None:
    with pytest.raises(OptionError, match="committed"):
        make_encoder(SWITCHED).encode(sample_frames(1, 1))


@pytest.mark.parametrize("name", [*encoder_names(), "compact:previous=3"])
def test_k16_what_is_seen_in_play_is_what_is_learned_from(name: str, tmp_path: Path) -> None:
    """A game that was played and recorded gives the observations of the live environment again."""
    pytest.importorskip("imitation", reason="imitation is not installed")
    from demonstrations import load_trajectories

    env = gym.make(VERSUS, observation=name, opponent="scripted:random").unwrapped
    env.action_space.seed(0)
    live = [env.reset(seed=0)[0]]
    frames = [env.frame]
    for _ in range(250):
        live.append(env.step(env.action_space.sample())[0])
        frames.append(env.frame)
    seats = (SeatInfo(port=0, character=2), SeatInfo(port=1, character=2))
    game = Game(GameInfo(Stage.FINAL_DESTINATION.external, seats), np.array(frames))
    write_game(tmp_path / "game.slp", game)
    learned = load_trajectories(tmp_path / "game.slp", observation=name)
    ours = next(one for one in learned if one.infos[0]["seat"] == 0)
    assert ours.obs.tobytes() == np.array(live[1:]).tobytes()  # recordings begin when input counts


@pytest.mark.parametrize(
    "change",
    [
        lambda features: features[1:],
        lambda features: [features[1], features[0], *features[2:]],
        lambda features: [dataclasses.replace(features[0], scale=0.02), *features[1:]],
        lambda features: [dataclasses.replace(features[0], limit=3.0), *features[1:]],
        lambda features: [dataclasses.replace(features[0], mask=1), *features[1:]],
        lambda features: [dataclasses.replace(features[0], name="own.z"), *features[1:]],
        lambda features: [dataclasses.replace(features[0], offset=0), *features[1:]],
    ],
    ids=["removed", "order", "scale", "limit", "mask", "name", "offset"],
)
def test_k17_the_hash_changes_with_the_features(change: Any) -> None:
    features = fighter_features(0, "leader", "own", False)
    before = ObservationEncoder("test", features, with_nana=False, num_items=1).schema_hash
    after = ObservationEncoder("test", change(features), with_nana=False, num_items=1).schema_hash
    assert re.fullmatch("[0-9a-f]{16}", before) and before != after


@pytest.mark.parametrize(
    "change",
    [{"with_nana": True}, {"num_items": 2}, {"previous": 1}, {"shows_delay": True}, {"ids": "integer"}],
)
def test_k17_the_hash_changes_with_the_parts(change: dict[str, Any]) -> None:
    features = fighter_features(0, "leader", "own", False)
    parts = {"with_nana": False, "num_items": 1}
    hashes = {ObservationEncoder("test", features, **{**parts, **more}).schema_hash for more in ({}, change)}
    assert len(hashes) == 2


@pytest.mark.parametrize("table", ["ACTION_GROUP", "EDGES", "GAME_FRAMES"])
def test_k17_the_hash_changes_with_a_table(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = make_encoder("compact")
    before = encoder.schema_hash
    monkeypatch.setattr(encoder_module, table, getattr(encoder_module, table) + 1)
    assert encoder.schema_hash != before


def test_k17_presets_and_names_are_distinct() -> None:
    assert len({make_encoder(name).schema_hash for name in ALL}) == len(ALL)
    for name in ALL:
        assert len(set(make_encoder(name).names)) == make_encoder(name).size


def test_k17_every_field_that_is_shown_is_a_field_of_a_fighter() -> None:
    for scalar in KINEMATICS + CONDITION:
        assert scalar.field in FIGHTER_DTYPE.names
