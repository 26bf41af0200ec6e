"""Reward presets are parsed strictly."""

import pytest

from melee_env.errors import OptionError
from melee_env.rewards import TERMS, make_reward


@pytest.mark.parametrize(
    ("spec", "terms"),
    [
        ("damage", [("damage", 1.0)]),
        (" damage + stock ", [("damage", 1.0), ("stock", 1.0)]),
        ("win*2.5+approach*-0.1", [("win", 2.5), ("approach", -0.1)]),
    ],
)
def test_terms_and_weights(spec: str, terms: list[tuple[str, float]]) -> None:
    assert [(term.name, weight) for term, weight in make_reward(spec).terms] == terms


@pytest.mark.parametrize("spec", ["", "+", "damage+", "damage**2", "dmg", "damage*nan"])
def test_what_is_no_preset_is_refused(spec: str) -> None:
    with pytest.raises(OptionError, match="reward"):
        make_reward(spec)


def test_a_typo_is_corrected() -> None:
    with pytest.raises(OptionError, match="'stok'.*stock"):
        make_reward("damage+stok")


def test_terms_are_called_what_they_are_registered_as() -> None:
    assert all(term.name == name and term.meaning.endswith(".") for name, term in TERMS.items())
