"""Other people's learners and data sets run on the environments unchanged."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from melee_env.sb3 import make_vec

EXAMPLES = Path(__file__).parents[3] / "examples"
DRILL = "melee_env/Recovery-v0"


def test_a_single_file_ppo_trains() -> None:
    train = runpy.run_path(str(EXAMPLES / "single_file_ppo.py"))["train"]
    returns = train(total_steps=2 * 8 * 32, num_envs=8, num_steps=32, epochs=1)
    assert len(returns) == 2 and np.isfinite(returns).any()


@pytest.mark.parametrize(
    ("algorithm", "policy", "settings"),
    [("RecurrentPPO", "MlpLstmPolicy", {"n_epochs": 1}), ("TRPO", "MlpPolicy", {"batch_size": 64})],
)
def test_sb3_contrib_trains(algorithm: str, policy: str, settings: dict[str, Any]) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    env = make_vec(DRILL, num_envs=4, seed=0)
    model = getattr(sb3_contrib, algorithm)(policy, env, n_steps=16, seed=0, **settings)
    model.learn(64)
    assert model.num_timesteps == 64
    assert env.action_space.contains(model.predict(env.reset())[0][0])


def test_rollouts_become_a_minari_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Episodes that `imitation` collects are exported with the environment's spec, and replayed from the set."""
    minari = pytest.importorskip("minari", reason="minari is not installed")
    rollout = pytest.importorskip("imitation.data.rollout", reason="imitation is not installed")
    from demonstrations.minari_export import Description, export

    observation, action = "compact:items=0", "box"
    venv = make_vec(DRILL, num_envs=2, seed=7, observation=observation, action=action, frame_skip=3)
    until = rollout.make_sample_until(min_episodes=3)
    played = rollout.rollout(None, venv, until, np.random.default_rng(0), unwrap=False)
    about = Description(env=DRILL, observation=observation, action=action, algorithm="random play")
    result = export(played, "melee/recovery-v0", tmp_path, about)
    assert result == {"episodes": len(played), "steps": sum(map(len, played))}

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset("melee/recovery-v0")
    env = dataset.recover_environment()
    for episode, ours in zip(dataset.iterate_episodes(), played, strict=True):
        np.testing.assert_array_equal(episode.observations, ours.obs)
        assert episode.terminations[-1] == ours.terminal
    first = next(n for n, one in enumerate(played) if np.array_equal(one.obs[0], env.reset(seed=7)[0]))
    for action, shown in zip(dataset[first].actions, dataset[first].observations[1:], strict=True):
        np.testing.assert_array_equal(env.step(action)[0], shown)
