"""K36: checkpoints load anywhere and damage is found. K39: resuming is exact. K40: baselines beside accuracies."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents import checkpoint
from agents.network_agent import NetworkAgent
from agents.testing import ToyTrajectory, toy_trajectories
from melee_env.errors import CheckpointError, OptionError
from melee_env.frame import empty_frames
from melee_env.observations import make_encoder

EVERYTHING: dict[str, Any] = {
    "previous_action": True,
    "dropout": 0.3,
    "ema": True,
    "accumulation_steps": 2,
    "action_oversample": 3.0,
    "schedule": "cosine_restarts",
    "restart_period": 7,
    "heads": "autoregressive",
}
TINY: dict[str, Any] = {"hidden_size": 16, "batch_size": 4, "window": 16, "warmup_steps": 2, "patience": 9}


@pytest.fixture(scope="module")
def demonstrations() -> list[ToyTrajectory]:
    torch.set_num_threads(1)
    return toy_trajectories(observation_size=make_encoder("compact").space.shape[-1])


@pytest.fixture(scope="module")
def trained(demonstrations: list[ToyTrajectory], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "bc with späces"
    agents.train("bc", demonstrations=demonstrations, out=out, epochs=2, **TINY)
    return out


@pytest.fixture
def copy(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "copy"))


def test_k36_fresh_process_plays_the_same(trained: Path) -> None:
    program = (
        "import sys, pickle\n"
        "from unittest.mock import patch\n"
        "import agents, agents.network_agent\n"
        "refuse = AssertionError('unpickled')\n"
        "with patch('pickle.load', side_effect=refuse), patch('pickle.loads', side_effect=refuse):\n"
        "    with patch('pickle.Unpickler', side_effect=refuse), patch('torch.load', side_effect=refuse):\n"
        "        agent = agents.load(sys.argv[1])\n"
        "from melee_env.frame import empty_frames\n"
        "agent.reset(2, seed=5)\n"
        "print(b''.join(agent.act(empty_frames(2)).tobytes() for _ in range(20)).hex())\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", program, str(trained)], capture_output=True, text=True, check=True, timeout=120
    )
    agent = agents.load(trained)
    agent.reset(2, seed=5)
    here = b"".join(agent.act(empty_frames(2)).tobytes() for _ in range(20))
    assert there.stdout.strip() == here.hex()


def test_k36_saved_again_is_the_same(trained: Path, tmp_path: Path) -> None:
    agents.load(trained).save(tmp_path / "again")
    for name in ("model.safetensors", "meta.json"):
        assert (tmp_path / "again" / name).read_bytes() == (trained / name).read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
@pytest.mark.parametrize("name", ["model.safetensors", "meta.json"])
def test_k36_cut_file(copy: Path, name: str, share: float) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: int(len(content) * share)])
    with pytest.raises(CheckpointError):
        agents.load(copy)


@pytest.mark.parametrize("name", ["model.safetensors", "meta.json"])
def test_k36_any_altered_byte(copy: Path, name: str) -> None:
    original = (copy / name).read_bytes()
    for position in np.random.default_rng(0).integers(len(original), size=40):
        altered = bytearray(original)
        altered[position] ^= 0x08
        (copy / name).write_bytes(altered)
        if json_equal(bytes(altered), original):
            continue  # only a space became another
        with pytest.raises(CheckpointError):
            agents.load(copy)


def json_equal(one: bytes, other: bytes) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


@pytest.mark.parametrize("name", ["model.safetensors", "meta.json"])
def test_k36_missing_file(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(CheckpointError, match="missing"):
        agents.load(copy)


def test_k36_another_schema_is_refused_and_both_are_named(copy: Path) -> None:
    agent = agents.load(copy)
    assert isinstance(agent, NetworkAgent)
    agent.meta["observation"] = {**agent.meta["observation"], "schema_hash": "0123abcd"}
    agent.save(copy)
    ours = make_encoder("compact").schema_hash
    with pytest.raises(CheckpointError, match=f"0123abcd.*{ours}"):
        agents.load(copy)


def test_k36_unknown_agent_is_named(copy: Path) -> None:
    agent = agents.load(copy)
    assert isinstance(agent, NetworkAgent)
    agent.meta["agent"] = "someone_elses"
    agent.save(copy)
    with pytest.raises(CheckpointError, match="someone_elses"):
        agents.load(copy)


def test_k36_crash_between_the_two_files_is_harmless(copy: Path) -> None:
    """New weights are in place, their description is still pending."""
    old_meta = (copy / "meta.json").read_bytes()
    agent = agents.load(copy)
    assert isinstance(agent, NetworkAgent)
    with torch.no_grad():
        agent.policy.heads.linear.bias += 1
    agent.save(copy)
    shutil.move(copy / "meta.json", copy / "meta.json.new")
    (copy / "meta.json").write_bytes(old_meta)
    loaded = agents.load(copy)
    assert isinstance(loaded, NetworkAgent)
    assert torch.equal(loaded.policy.heads.linear.bias, agent.policy.heads.linear.bias)


class Interrupt:
    """Presses Ctrl-C at the given update or epoch."""

    def __init__(self, **at: int) -> None:
        self.at = at

    def __call__(self, event: Mapping[str, Any]) -> None:
        for key, value in self.at.items():
            if event["event"] == key and event[key] == value:
                raise KeyboardInterrupt


@pytest.mark.parametrize("at", [{"update": 2}, {"epoch": 1}, {"update": 20}])
@pytest.mark.parametrize("settings", [{}, EVERYTHING])
def test_k39_interrupted_and_resumed_equals_uninterrupted(
    demonstrations: list[ToyTrajectory], tmp_path: Path, at: dict[str, int], settings: dict[str, Any]
) -> None:
    run = {"demonstrations": demonstrations, "epochs": 3, **TINY, **settings}
    agents.train("bc", out=tmp_path / "whole", **run)
    with pytest.raises(KeyboardInterrupt):
        agents.train("bc", out=tmp_path / "resumed", progress=Interrupt(**at), **run)
    agents.load(tmp_path / "resumed").act(empty_frames(1))  # loadable at once

    torch.rand(100)  # whatever else the process draws must not matter
    agents.train("bc", out=tmp_path / "resumed", resume=True, **run)
    for name in ("model.safetensors",):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "resumed" / name).read_bytes()
    states = [checkpoint.load_tensors(tmp_path / k / "training.safetensors")[0] for k in ("whole", "resumed")]
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


def test_k39_ctrl_c_leaves_a_checkpoint_that_loads_and_resumes(
    demonstrations: list[ToyTrajectory], tmp_path: Path
) -> None:
    """A real signal, in the middle of an epoch; the process ends by it, and nothing half written is left."""
    program = (
        "import sys, torch, agents\n"
        "from agents.testing import toy_trajectories\n"
        f"demonstrations = toy_trajectories(observation_size={demonstrations[0].obs.shape[1]})\n"
        "def tell(event):\n"
        "    if event['event'] == 'update' and event['update'] == 20:\n"
        "        print('now', flush=True)\n"
        "torch.set_num_threads(1)\n"
        f"agents.train('bc', demonstrations=demonstrations, out=sys.argv[1], epochs=10**6, progress=tell, **{TINY!r})\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "now\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) in (-signal.SIGINT, 128 + signal.SIGINT, 1)
    process.stdout.close()
    assert not list((tmp_path / "run").glob("*.new")) + list((tmp_path / "run").glob("*.part"))
    done = len(checkpoint.read_meta(tmp_path / "run")["history"])
    again = {"demonstrations": demonstrations, "epochs": done + 1, "schedule": "cosine", **TINY}
    agent = agents.train("bc", out=tmp_path / "run", resume=True, **again)
    assert isinstance(agent, NetworkAgent)
    assert [entry["epoch"] for entry in agent.meta["history"]][:done] == list(range(done))


def test_k39_resume_refuses_other_settings_and_data(demonstrations: list[ToyTrajectory], copy: Path) -> None:
    with pytest.raises(OptionError, match="hidden_size: 16 then, 8 now"):
        agents.train(
            "bc", demonstrations=demonstrations, out=copy, resume=True, epochs=2, **{**TINY, "hidden_size": 8}
        )
    with pytest.raises(OptionError, match="other demonstrations"):
        agents.train("bc", demonstrations=demonstrations[:-1], out=copy, resume=True, epochs=2, **TINY)


def test_k40_every_accuracy_has_its_baseline(trained: Path) -> None:
    history = checkpoint.read_meta(trained)["history"]
    assert [entry["epoch"] for entry in history] == [0, 1, 2]
    for entry in history:
        assert 0 < entry["majority_baseline"] <= 1
        assert 0 < entry["exact_majority_baseline"] <= 1
        assert len(entry["heads"]) == 13
        for head in entry["heads"].values():
            assert set(head) == {
                "accuracy",
                "majority_baseline",
                "top_3",
                "top_3_baseline",
                "calibration_error",
            }
        for button in entry["buttons"].values():
            assert set(button) == {"human", "predicted", "sampled", "collapsed", "f1"}


def test_k40_untrained_network_is_the_baseline(trained: Path) -> None:
    """Epoch 0 knows only how often each choice occurs, so that its most likely choice is the majority's."""
    first = checkpoint.read_meta(trained)["history"][0]
    sticks = [first["heads"][name] for name in ("main_x", "main_y", "c_x", "c_y", "shoulder")]
    assert all(head["accuracy"] == head["majority_baseline"] == 1.0 for head in sticks)
