"""Counts per rule of the game, and the page that shows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.cli.app import main
from experiments.fidelity.formulas import FORMULAS, count
from experiments.fidelity.one_step import OneStep, compare
from melee_env.slp.reader import read_game
from melee_env.slp.writer import write_game
from tests.experiments.fidelity.test_fidelity import record

PAGE = "# Title\n\n<!-- fidelity mine -->\nold\n<!-- end -->\n\nafter <!-- end -->\n"


@pytest.fixture(scope="module")
def step() -> OneStep:
    return compare(record(300))


def test_a_recording_of_the_engine_follows_every_rule_that_it_shows(step: OneStep) -> None:
    counts = count(step)
    assert list(counts) == [formula.name for formula in FORMULAS]
    assert all(right == of for right, of in counts.values())
    shown = {name for name, (_, of) in counts.items() if of}
    assert {
        "gravity, fast fall, terminal velocity",
        "walk, dash, turn, run",
        "jumps off the ground",
        "landing lag",
    } <= shown


@pytest.mark.parametrize("field", ["vel_y", "vel_ground_x", "action_frame"])
def test_a_wrong_field_lowers_the_rules_that_it_belongs_to_and_no_other(step: OneStep, field: str) -> None:
    never = {field: np.zeros_like(step.passed[field])}
    exact = step.exact | never if field in step.exact else step.exact
    wrong = replace(step, passed=step.passed | never, exact=exact)
    for formula in FORMULAS:
        before, after = count(step)[formula.name], count(wrong)[formula.name]
        assert after[1] == before[1]
        assert after[0] == (0 if field in formula.fields else before[0])


def test_a_rule_without_its_fields_has_no_case(step: OneStep) -> None:
    passed = {name: right for name, right in step.passed.items() if not name.startswith("vel")}
    assert count(replace(step, passed=passed))["walk, dash, turn, run"] == (0, 0)


def test_the_page_is_written_anew_between_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    write_game(tmp_path / "game.slp", record(300))
    arguments = ["fidelity", str(tmp_path / "game.slp"), "--page", str(page), "--label", "mine"]
    for _ in range(2):  # a second run finds its own tables
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert not stopped.value.code
        text = page.read_text()
        assert text.startswith("# Title\n\n<!-- fidelity mine -->\n|") and text.endswith(
            "after <!-- end -->\n"
        )
        assert "old" not in text
        assert "| **mine (1)** | " in text and " | 100.00 % | 100.00 % | 100.0 % | " in text
        assert "| landing lag |" in text
    assert len(read_game(tmp_path / "game.slp").frames) == 301


def test_a_page_without_the_markers_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n")
    write_game(tmp_path / "game.slp", record(60))
    with pytest.raises(SystemExit) as stopped:
        main(["fidelity", str(tmp_path / "game.slp"), "--page", str(page)])
    assert stopped.value.code == 2
    assert "<!-- fidelity clean games -->" in capsys.readouterr().err.replace("\n", " ")
    assert page.read_text() == "# Title\n"
