"""Agents by name."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import agents
from agents import registry
from agents.base import Agent, AgentSpec
from agents.testing import check_agent
from melee_env.errors import MissingExtra, OptionError
from melee_env.frame import empty_frames


def test_names_spell_families_out() -> None:
    names = agents.names()
    assert {"scripted:idle", "scripted:walk", "teacher:multishine", "bc", "ppo"} <= set(names)
    assert "scripted" not in names


@pytest.mark.parametrize(
    "name", ["scripted:idle", "scripted:random", "scripted:fighter-5", "teacher:multishine"]
)
def test_made_agents_keep_the_protocol(name: str) -> None:
    agent = agents.make(name)
    assert isinstance(agent, Agent)
    assert agent.name == name
    check_agent(agent, empty_frames(5, 3))


def test_importing_agents_imports_no_learning_library() -> None:
    program = (
        "import sys, agents; agents.names(); agents.spec('bc').config(); agents.spec('ppo').config()\n"
        "print([m for m in ('torch', 'safetensors', 'stable_baselines3', 'imitation') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # type: ignore[arg-type]
    with pytest.raises(MissingExtra, match=r"melee-env-suite\[train\]"):
        agents.train("bc", demonstrations=[], out=tmp_path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("teacher:multishin", "did you mean 'teacher:multishine'"),
        ("nobody", "scripted"),
        ("scripted", "scripted:idle"),
        ("bc", "agents.train"),
    ],
)
def test_wrong_names_name_the_right_ones(name: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        agents.make(name)


def test_untrained_agent_cannot_be_trained_or_saved(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="trained ones: .*bc, .*ppo"):
        agents.train("teacher:multishine", out=tmp_path)
    with pytest.raises(OptionError, match="no weights"):
        agents.make("teacher:multishine").save(tmp_path)


SPEC = AgentSpec("mine", "from this test", make=lambda: agents.make("teacher:multishine"))


def install(monkeypatch: pytest.MonkeyPatch, **targets: list[str]) -> None:
    points = [EntryPoint(n, v, registry.GROUP) for n, values in targets.items() for v in values]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)


def test_two_plug_ins_of_one_name_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, mine=["one_package:SPEC", "other_package:SPEC"])
    with pytest.raises(OptionError, match="one_package:SPEC.*other_package:SPEC"):
        agents.make("mine")


def test_plug_in_cannot_take_a_built_in_name(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, bc=["one_package:SPEC"])
    assert agents.spec("bc").summary.startswith("behavioural cloning")
    with pytest.warns(RuntimeWarning, match="one_package:SPEC"):
        agents.names()


@pytest.mark.parametrize("target", ["not_installed:SPEC", "agents.registry:GROUP", "agents.registry:nothing"])
def test_broken_plug_in_is_named_and_skipped(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    install(monkeypatch, broken=[target])
    with pytest.warns(RuntimeWarning, match=f"'broken' from {target}"):
        names = agents.names()
    assert "broken" not in names and "bc" in names
    with pytest.raises(OptionError, match=target):
        agents.make("broken")
