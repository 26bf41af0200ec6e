"""A checkpoint that changes between games is loaded again; a broken one leaves the old agent."""

import os
from pathlib import Path

import pytest

import experiments.dolphin.player as module
from agents.teacher.multishine import SPEC
from experiments.dolphin.player import SwappedPlayer
from melee_env.errors import CheckpointError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint folder whose agent is made by what ``meta.json`` says."""

    def make_player(name: str):
        if (Path(name) / "meta.json").read_text() == "broken":
            raise CheckpointError("cut")
        return SPEC.make()

    monkeypatch.setattr(module, "make_player", make_player)
    (tmp_path / "meta.json").write_text("one")
    return tmp_path


def change(folder: Path, text: str, moment: int) -> None:
    (folder / "meta.json").write_text(text)
    os.utime(folder / "meta.json", ns=(moment, moment))


def test_only_a_changed_checkpoint_is_loaded_again(folder: Path) -> None:
    player = SwappedPlayer(str(folder))
    first = player.agent
    assert player.refresh() == "" and player.agent is first
    change(folder, "two", 10**18)
    assert "loaded again" in player.refresh()
    assert player.agent is not first and player.swaps == 1 and player.refresh() == ""


def test_a_broken_checkpoint_is_told_and_not_used(folder: Path) -> None:
    player = SwappedPlayer(str(folder))
    first = player.agent
    change(folder, "broken", 10**18)
    assert "not used: cut" in player.refresh() and player.agent is first
    change(folder, "three", 2 * 10**18)
    assert "loaded again" in player.refresh() and player.agent is not first


def test_an_agent_by_name_never_changes() -> None:
    player = SwappedPlayer("scripted:idle")
    assert player.refresh() == "" and player.swaps == 0
