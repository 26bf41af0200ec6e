"""The Python in the README runs as it stands there (training is cut short)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(block: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(block.replace("500_000", "4_096"), "README.md", "exec"), names)
    return names


@pytest.mark.slow
def test_training_with_ppo_takes_ten_lines() -> None:
    pytest.importorskip("stable_baselines3")
    single, vector = [block for block in BLOCKS if "PPO" in block]
    assert len([line for line in single.splitlines() if line.strip()]) <= 10
    names = run(single)
    assert names["model"].num_timesteps == 4096
    assert names["env"].action_space.contains(names["action"])
    assert run(vector)["model"].num_timesteps == 4096


@pytest.mark.slow
def test_environments() -> None:
    [block] = [block for block in BLOCKS if "gym.make_vec" in block]
    names = run(block)
    assert names["picture"].shape[2] == 3
    assert len(names["observations"]) == 256


def test_own_agent() -> None:
    from melee_env.controller import Button
    from melee_env.frame import empty_frames

    [block] = [block for block in BLOCKS if "AgentSpec" in block]
    agent = run(block)["SPEC"].make()
    agent.reset(3)
    assert (agent.act(empty_frames(3))["buttons"] == int(Button.X)).all()


def test_every_link_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_every_environment_is_in_the_table() -> None:
    import gymnasium

    import melee_env  # noqa: F401

    ids = [spec.id for spec in gymnasium.registry.values() if spec.namespace == "melee_env"]
    assert [name for name in ids if f"`{name}`" not in README] == []
