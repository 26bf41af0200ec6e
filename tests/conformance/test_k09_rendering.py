"""K9: pictures are uint8 ``[H, W, 3]`` and change with the state; a window works with a dummy video driver."""

import os
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest

from melee_env.errors import OptionError
from melee_env.frame import FRAME_DTYPE, Frames, empty_frames
from melee_env.rendering import Window, follow, render_frame, write_video
from melee_env.selfplay import parallel_env


def two_fighters(stage: int = 32) -> Frames:
    frame = empty_frames(1)[0]
    frame["stage"], frame["frame"] = stage, 100
    for seat, (character, x) in enumerate(((1, -20.0), (22, 20.0))):
        frame["seats"][seat]["port"] = seat
        leader = frame["seats"][seat]["leader"]
        leader["present"], leader["character"], leader["action"] = 1, character, 14
        leader["x"], leader["facing"], leader["stocks"] = x, 1 - 2 * seat, 4
    return frame


def test_k09_picture_is_uint8_rgb_of_the_size_asked_for() -> None:
    picture = render_frame(two_fighters(), width=400, height=300)
    assert picture.dtype == np.uint8
    assert picture.shape == (300, 400, 3)


def test_k09_same_frame_gives_the_same_picture() -> None:
    assert (render_frame(two_fighters()) == render_frame(two_fighters())).all()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("x", 5.0),
        ("y", 9.0),
        ("facing", -1.0),
        ("percent", 80.0),
        ("stocks", 2),
        ("action", 66),
        ("hurtbox", 2),
    ],
)
def test_k09_picture_changes_with_the_fighter(field: str, value: float) -> None:
    changed = two_fighters()
    changed["seats"][0]["leader"][field] = value
    assert (render_frame(changed) != render_frame(two_fighters())).any()


@pytest.mark.parametrize(
    ("field", "value"), [("stick_x", 1.0), ("cstick_y", -1.0), ("buttons", 0x100), ("trigger_l", 0.6)]
)
def test_k09_picture_shows_the_inputs(field: str, value: float) -> None:
    changed = two_fighters()
    changed["seats"][1]["leader"]["controller"][field] = value
    assert (render_frame(changed) != render_frame(two_fighters())).any()


def test_k09_picture_shows_shield_projectile_and_timer() -> None:
    plain = render_frame(two_fighters())
    shield, item, timer = two_fighters(), two_fighters(), two_fighters()
    shield["seats"][0]["leader"]["action"], shield["seats"][0]["leader"]["shield"] = 179, 60
    item["items"][0]["exists"], item["items"][0]["type"] = 1, 54
    timer["frame"] = 4000
    assert all((render_frame(frame) != plain).any() for frame in (shield, item, timer))


@pytest.mark.parametrize("stage", [2, 3, 8, 28, 31, 32, 77])
def test_k09_every_stage_is_drawn(stage: int) -> None:
    assert render_frame(two_fighters(stage)).std() > 5


def test_k09_any_state_age_and_place_is_drawn() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        frame = two_fighters(int(rng.choice([2, 3, 8, 28, 31, 32])))
        for seat in range(2):
            leader = frame["seats"][seat]["leader"]
            leader["action"], leader["action_frame"] = rng.integers(0, 420), rng.uniform(-2, 200)
            leader["character"] = rng.integers(0, 33)
            leader["x"], leader["y"] = rng.normal(0, 300, 2)
            leader["hitstun"], leader["knockback_x"] = rng.integers(0, 2), rng.normal(0, 5)
        assert render_frame(frame, 320, 240).shape == (240, 320, 3)


def test_k09_not_one_frame_is_refused() -> None:
    with pytest.raises(OptionError, match="one frame"):
        render_frame(np.zeros(2, FRAME_DTYPE))


def test_k09_camera_shows_both_fighters() -> None:
    frame = two_fighters()
    frame["seats"]["leader"]["x"] = [-150.0, 160.0]
    view = follow(frame, 640, 480)
    assert all(0 < view.place(x, 0.0)[0] < 640 for x in (-150.0, 160.0))


def test_k09_film_is_written_whole_or_not_at_all(tmp_path) -> None:  # type: ignore[no-untyped-def]
    frames = np.array([two_fighters() for _ in range(9)])
    frames["seats"]["leader"]["x"][:, 0] += np.arange(9)
    assert write_video(tmp_path / "a.gif", frames, 320, 240).stat().st_size > 1000
    assert write_video(tmp_path / "a.mp4", frames, 320, 240).stat().st_size > 500
    with pytest.raises(OptionError, match="avi"):
        write_video(tmp_path / "a.avi", frames)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.mp4"]


def test_k09_window_works_with_the_dummy_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with Window(width=320, height=240, fps=0) as window:
        assert window.show(two_fighters())
        assert window.pressed_keys() == frozenset()
    window.close()
    assert not window.show(two_fighters())


def test_k09_pictures_open_no_window_and_print_nothing() -> None:
    program = (
        "from melee_env.frame import empty_frames; from melee_env.rendering import render_frame; import pygame;"
        "render_frame(empty_frames(1)); assert not pygame.display.get_init()"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "SDL_VIDEODRIVER")}
    # pygame is imported by the program before render_frame hides its greeting, so hide it here.
    environment["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_k09_environments_render_what_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    versus = gym.make("melee_env/Versus-v0", render_mode="rgb_array")
    several = gym.make_vec(
        "melee_env/Versus-v0", 2, vectorization_mode="vector_entry_point", render_mode="rgb_array"
    )
    both = parallel_env(render_mode="rgb_array")
    actions = {agent: both.action_space(agent).sample() for agent in both.possible_agents}
    for env, action, shown in (
        (versus, versus.action_space.sample(), lambda: [versus.render()]),
        (several, several.action_space.sample(), several.render),
        (both, actions, lambda: [both.render()]),
    ):
        env.reset(seed=0)
        before = shown()
        for _ in range(30):
            env.step(action)
        for picture, earlier in zip(shown(), before, strict=True):
            assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
            assert (picture != earlier).any()
        env.close()
    human = gym.make("melee_env/Versus-v0", render_mode="human")
    human.reset(seed=0)
    assert human.unwrapped._window is not None and human.render() is None
    human.close()
    silent = gym.make("melee_env/Versus-v0")
    silent.reset(seed=0)
    assert silent.unwrapped._window is None and silent.unwrapped.render() is None
