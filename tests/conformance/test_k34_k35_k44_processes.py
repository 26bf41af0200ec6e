"""K32, K34, K35, K44: pickling, other processes, silence, closing, and life without optional libraries."""

from __future__ import annotations

import gc
import json
import pickle
import re
import subprocess
import sys
import threading
import tomllib
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from melee_env.envs.registry import ENTRIES

IDS = [entry.env_id for entry in ENTRIES]
VERSUS = "melee_env/Versus-v0"
ROOT = Path(__file__).parents[2]
LAYERS = ("melee_env", "demonstrations", "agents", "experiments")

START_METHODS = ["fork", "spawn"]


def rollout(env: Any, steps: int, seed: int = 0) -> list[bytes]:
    env.action_space.seed(seed)
    results = []
    for _ in range(steps):
        result = env.step(env.action_space.sample())
        results.append(result[0].tobytes() + repr(result[1:]).encode())
        if result[2] or result[3]:
            env.reset()
    return results


@pytest.mark.parametrize("env_id", IDS)
def test_k34_a_pickled_environment_goes_on_where_it_was(env_id: str) -> None:
    env = gym.make(env_id, opponent="scripted:random", action_delay=2).unwrapped
    env.reset(seed=0)
    rollout(env, 20)
    copied = pickle.loads(pickle.dumps(env))
    assert rollout(copied, 40) == rollout(env, 40)


def test_k34_a_pickled_vector_goes_on_where_it_was() -> None:
    envs = gym.make_vec(VERSUS, 2, opponent="scripted:fighter-5").unwrapped
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())
    copied = pickle.loads(pickle.dumps(envs))
    actions = [envs.action_space.sample() for _ in range(30)]
    ours, theirs = ([e.step(action)[0].tobytes() for action in actions] for e in (envs, copied))
    assert ours == theirs


@pytest.mark.parametrize("context", START_METHODS)
def test_k34_async_vector_env(context: str) -> None:
    kwargs = {"opponent": "scripted:random", "time_limit": 10}
    envs = gym.make_vec(VERSUS, 2, vectorization_mode="async", vector_kwargs={"context": context}, **kwargs)
    native = gym.make_vec(VERSUS, 2, **kwargs)
    np.testing.assert_array_equal(envs.reset(seed=3)[0], native.reset(seed=3)[0])
    native.action_space.seed(0)
    for _ in range(60):
        actions = native.action_space.sample()
        np.testing.assert_array_equal(envs.step(actions)[0], native.step(actions)[0])
    envs.close()


@pytest.mark.parametrize("method", START_METHODS)
def test_k34_subproc_vec_env(method: str) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    # A spawned worker has imported nothing: the module before the colon registers the id there.
    env_id = f"melee_env:{VERSUS}"
    envs = make_vec_env(env_id, 2, seed=0, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": method})
    observations = envs.reset()
    for _ in range(5):
        observations, *_ = envs.step(np.stack([envs.action_space.sample() for _ in range(2)]))
    envs.close()
    assert observations.shape == (2, *envs.observation_space.shape)


def test_k34_an_environment_crosses_a_spawned_process() -> None:
    """What a spawned worker is sent: the environment itself, as plain pickle."""
    env = gym.make(VERSUS, opponent="scripted:random")
    env.reset(seed=0)
    result = subprocess.run(
        [sys.executable, "-c", "import pickle, sys; pickle.load(sys.stdin.buffer).reset(); print('reset')"],
        input=pickle.dumps(env),
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert result.stdout.strip() == b"reset", result.stderr.decode()


@pytest.mark.parametrize("env_id", IDS)
def test_k34_a_spec_can_be_saved(env_id: str) -> None:
    text = gym.make(env_id, stage="BATTLEFIELD").spec.to_json()
    assert json.loads(text)["kwargs"] == {"stage": "BATTLEFIELD"}
    assert gym.make(gym.envs.registration.EnvSpec.from_json(text)).spec.id == env_id


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_k35_making_every_id_is_silent() -> None:
    result = run(
        "import gymnasium as gym, melee_env\n"
        "from melee_env.envs.registry import ENTRIES\n"
        "for entry in ENTRIES:\n"
        "    env = gym.make(entry.env_id); env.reset(seed=0); env.step(env.action_space.sample()); env.close()\n"
        "    envs = gym.make_vec(entry.env_id, 2); envs.reset(seed=0)\n"
        "    envs.step(envs.action_space.sample()); envs.close()\n"
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("env_id", IDS)
def test_k35_the_spec_names_the_id_and_makes_it_again(env_id: str) -> None:
    env = gym.make(env_id, stage="BATTLEFIELD")
    again = gym.make(env.spec)
    assert (env.spec.id, again.spec.kwargs) == (env_id, {"stage": "BATTLEFIELD"})


OPTIONAL = (
    "torch melee imitation peppi_py stable_baselines3 sb3_contrib pettingzoo pygame imageio PIL pyarrow "
    "typer rich matplotlib"
).split()
BLOCK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""


def test_k44_nothing_optional_is_needed() -> None:
    result = run(
        BLOCK + "import gymnasium as gym, melee_env, melee_env.testing\n"
        "for env_id in ('melee_env/Versus-v0', 'melee_env/Recovery-v0', 'melee_env/Multishine-v0'):\n"
        "    env = gym.make(env_id); env.reset(seed=0); env.step(env.action_space.sample())\n"
        "    gym.make_vec(env_id, 2).reset(seed=0)\n"
        "print('played')"
    )
    assert (result.returncode, result.stdout.strip()) == (0, "played"), result.stderr


def test_k44_nothing_optional_is_imported() -> None:
    result = run(
        "import sys, gymnasium as gym, melee_env\n"
        "gym.make('melee_env/Versus-v0').reset(seed=0)\n"
        f"print(sorted(set({OPTIONAL!r}) & {{name.partition('.')[0] for name in sys.modules}}))"
    )
    assert result.stdout.strip() == "[]", result.stderr


@pytest.mark.parametrize(
    ("program", "package", "extra"),
    [
        ("import melee_env.sb3", "stable_baselines3", "train"),
        ("from demonstrations import load_trajectories; load_trajectories('.')", "imitation", "imitation"),
    ],
)
def test_k44_a_missing_extra_names_its_command(program: str, package: str, extra: str) -> None:
    result = run(BLOCK + program)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("melee_env.errors.MissingExtra") and package in last
    assert f"pip install 'melee-env-suite[{extra}]'" in last


def test_k44_every_command_that_is_named_brings_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    sources = [path for layer in LAYERS for path in (ROOT / layer).rglob("*.py")]
    named = {
        found
        for path in sources
        for found in re.findall(r'MissingExtra\("([\w-]+)", "(\w+)"\)', path.read_text(encoding="utf-8"))
    }
    assert {("stable_baselines3", "train"), ("imitation", "imitation")} <= named
    assert {extra for _, extra in named} <= set(project["optional-dependencies"])


def test_k32_closing_twice_and_forgetting_to_close_leave_nothing() -> None:
    gc.collect()
    descriptors = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0
    threads = threading.active_count()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(20):
            env = gym.make(VERSUS, render_mode="rgb_array")
            envs = gym.make_vec(VERSUS, 2)
            env.reset(seed=k)
            envs.reset(seed=k)
            if k % 2:
                env.close()
                env.close()
                envs.close()
                envs.close()
            del env, envs
            gc.collect()
    after = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0
    assert (after, threading.active_count()) == (descriptors, threads)
