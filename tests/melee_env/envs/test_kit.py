"""The kit finds what is wrong with an environment, a wrapper or a backend, and says what to do."""

from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from melee_env.backends.base import MatchOptions
from melee_env.backends.embedded import EmbeddedBackend
from melee_env.controller import make_controllers
from melee_env.envs.versus import VersusEnv
from melee_env.testing import (
    BACKEND_RULES,
    check_backend,
    check_env,
    check_wrapper,
)
from melee_env.wrappers import GameStatistics, RecordGames, StructuredObservation


class Leaking(VersusEnv):
    """Breaks a rule: one array for all observations."""

    def step(self, action):
        result = super().step(action)
        self.kept = getattr(self, "kept", result[0])
        self.kept[...] = result[0]
        return (self.kept, *result[1:])


class Beyond(VersusEnv):
    """Breaks a rule: a number outside the space."""

    def step(self, action):
        result = super().step(action)
        result[0][0] = 1000
        return result


class Restless(VersusEnv):
    """Breaks a rule: the seed does not fix everything."""

    def step(self, action):
        result = super().step(action)
        result[0][0] = np.random.default_rng().random()
        return result


class Endless(VersusEnv):
    """Breaks a rule: it goes on after the end."""

    def step(self, action):
        if self._over:
            self._over = False
        return super().step(action)


class Generous(VersusEnv):
    """Breaks a rule: a reward that is in no ledger."""

    def step(self, action):
        result = super().step(action)
        return (result[0], result[1] + 1, *result[2:])


class Lax(VersusEnv):
    """Breaks a rule: unknown options pass."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)


class Amnesiac(VersusEnv):
    """Breaks a rule: the saved state is not restored."""

    def set_state(self, state):
        """Do nothing."""


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Leaking, "has changed"),
        (Beyond, r"outside its space: number \(0,\) is 1000"),
        (Restless, "same seed"),
        (Endless, "went on"),
        (Generous, "are not"),
        (Lax, "unknown option"),
        (Amnesiac, "does not continue"),
    ],
)
def test_the_kit_finds_a_broken_environment(broken: type[gym.Env], message: str) -> None:
    kwargs = {"opponent": "scripted:random"} if broken is not Lax else {"time_limit": 60}
    with pytest.raises(AssertionError, match=f"{message}.*To repair: "):
        check_env(broken(**kwargs), steps=60)


def test_the_kit_accepts_an_environment_object() -> None:
    env = VersusEnv(opponent="scripted:walk", action="box", action_delay=2)
    assert check_env(env, steps=60) is None


@pytest.mark.parametrize("wrapper", [GameStatistics, StructuredObservation, RecordGames])
def test_the_kit_accepts_our_wrappers(wrapper: type[gym.Wrapper], tmp_path: Path) -> None:
    check_wrapper(partial(wrapper, folder=tmp_path) if wrapper is RecordGames else wrapper)


class Deaf(gym.Wrapper):
    """Breaks a rule: options do not get through."""

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed)


class Forgetful(gym.Wrapper):
    """Breaks a rule: the environment's infos are lost."""

    def step(self, action):
        return (*self.env.step(action)[:4], {})


class Cutting(gym.Wrapper):
    """Breaks a rule: another end."""

    def step(self, action):
        observation, reward, _, _, info = self.env.step(action)
        return observation, reward, True, False, info


class Slamming(gym.Wrapper):
    """Breaks a rule: it can be closed once only."""

    def close(self):
        self.env.close()
        del self.env


class Local(gym.Wrapper):
    """Breaks a rule: it cannot be pickled."""

    def __init__(self, env):
        super().__init__(env)
        self.function = lambda: None


class Blurring(gym.ObservationWrapper):
    """Breaks a rule: numbers outside the space."""

    def observation(self, observation):
        return observation * 1e6


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Deaf, "did not reach"),
        (Forgetful, "lost or changed info"),
        (Cutting, "changed terminated"),
        (Slamming, "closing failed"),
        (Local, "cannot be pickled"),
        (Blurring, "outside its space"),
    ],
)
def test_the_kit_finds_a_broken_wrapper(broken: type[gym.Wrapper], message: str) -> None:
    with pytest.raises(AssertionError, match=f"(?s){message}.*To repair: "):
        check_wrapper(broken, steps=20)


def test_the_kit_accepts_our_backend() -> None:
    check_backend(EmbeddedBackend)
    assert all(rule.__doc__ for rule in BACKEND_RULES)


class Plain(EmbeddedBackend):
    """Breaks a rule: not the schema's type."""

    def reset(self, seeds, options, mask=None):
        return super().reset(seeds, options, mask)["seats"]


class Hasty(EmbeddedBackend):
    """Breaks a rule: two frames at once."""

    def step(self, controllers):
        super().step(controllers)
        return super().step(controllers)


class Stubborn(EmbeddedBackend):
    """Breaks a rule: every game starts alike."""

    def reset(self, seeds, options, mask=None):
        return super().reset(seeds, [MatchOptions(time_limit=o.time_limit) for o in options], mask)


class Crossed(EmbeddedBackend):
    """Breaks a rule: each seat gets the other's controller."""

    def step(self, controllers):
        return super().step(np.ascontiguousarray(controllers[:, ::-1]))


class Moody(EmbeddedBackend):
    """Breaks a rule: the seed is not looked at."""

    def reset(self, seeds, options, mask=None):
        return super().reset(np.random.default_rng().integers(2**32, size=len(seeds)), options, mask)


class Sweeping(EmbeddedBackend):
    """Breaks a rule: all games start again."""

    def reset(self, seeds, options, mask=None):
        return super().reset(seeds, options)


class Tireless(EmbeddedBackend):
    """Breaks a rule: a game goes on after its end."""

    def step(self, controllers):
        frames = super().step(controllers)
        frames["frame"] += frames["end_method"] != 0
        return frames


class Vague(EmbeddedBackend):
    """Breaks a rule: states of any version are taken."""

    def load(self, game, state):
        return super().load(game, state[state.index(b"melee_env") :])


class Stale(EmbeddedBackend):
    """Breaks a rule: the state is the one of the first save."""

    def save(self, game):
        self.kept = getattr(self, "kept", super().save(game))
        self.step(make_controllers(np.zeros((self.num_games, 2))))
        return self.kept


class Fragile(EmbeddedBackend):
    """Breaks a rule: it can be closed once only."""

    def close(self):
        del self._engine


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Plain, "frames are"),
        (Hasty, "followed"),
        (Stubborn, "option"),
        (Crossed, "the frame shows sticks|moved by"),
        (Moody, "other frames|alone"),
        (Sweeping, "masked reset changed"),
        (Tireless, "went on"),
        (Vague, "another version was accepted"),
        (Stale, "does not continue"),
        (Fragile, "close.. failed"),
    ],
)
def test_the_kit_finds_a_broken_backend(broken: type[EmbeddedBackend], message: str) -> None:
    with pytest.raises(AssertionError, match=f"(?s)({message}).*To repair: "):
        check_backend(broken)
