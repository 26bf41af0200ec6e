from pathlib import Path

from experiments.cli.reference import render

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_page_of_the_command_line_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), (
        "run: python -m experiments.cli.reference > docs/cli.md"
    )


def test_every_command_is_on_the_page() -> None:
    text = render()
    assert all(
        f"## melee-env {name}\n" in text for name in ("quickstart", "eval", "bench engine", "data convert")
    )
