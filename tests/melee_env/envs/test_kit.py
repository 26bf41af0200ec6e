"""The kit finds what is wrong with an environment."""

import gymnasium as gym
import numpy as np
import pytest

from melee_env.envs.versus import VersusEnv
from melee_env.testing import check_env


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
        (Beyond, "outside its space"),
        (Restless, "same seed"),
        (Endless, "ResetNeeded"),
        (Generous, "are not"),
        (Lax, "unknown option"),
        (Amnesiac, "does not continue"),
    ],
)
def test_the_kit_finds_a_broken_environment(broken: type[gym.Env], message: str) -> None:
    kwargs = {"opponent": "scripted:random"} if broken is not Lax else {"time_limit": 60}
    with pytest.raises(AssertionError, match=message):
        check_env(broken(**kwargs), steps=60)


def test_the_kit_accepts_an_environment_object() -> None:
    env = VersusEnv(opponent="scripted:walk", action="box", action_delay=2)
    assert check_env(env, steps=60) is None
