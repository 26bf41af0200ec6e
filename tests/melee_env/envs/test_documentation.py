"""The reference pages say what the code says."""

from pathlib import Path

import pytest

from melee_env.envs.documentation import pages, table, write
from melee_env.envs.options import DEFAULTS, MEANINGS
from melee_env.frame import frame_field_table
from melee_env.observations import make_encoder

DOCS = Path(__file__).parents[3] / "docs"
HINT = "stale: run python -m melee_env.envs.documentation docs"


@pytest.mark.parametrize("name", sorted(pages()))
def test_page_is_fresh(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name], HINT


def test_no_page_is_left_over() -> None:
    kept = {path.relative_to(DOCS).as_posix() for path in (DOCS / "envs").glob("*.md")}
    assert kept == {name for name in pages() if name.startswith("envs/")}


def test_every_option_is_explained() -> None:
    assert list(MEANINGS) == list(DEFAULTS)


def test_the_frame_page_has_a_row_per_field() -> None:
    page = pages()["frame.md"]
    assert all(f"| `{path}` |" in page for path, _ in frame_field_table())


def test_the_observation_table_covers_every_index() -> None:
    page = pages()["envs/versus.md"]
    section = page.partition("`compact`: ")[2].partition("`exphil`: ")[0]
    spans = [row.split("|")[1].strip().split("–") for row in section.splitlines() if row.startswith("| ")][2:]
    covered = [k for first, last in spans for k in range(int(first), int(last) + 1)]
    assert covered == list(range(make_encoder("compact").size))


def test_pages_are_written_below_the_folder(tmp_path: Path) -> None:
    paths = write(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in paths} == set(pages())


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert table(("a",), [("x|y",)]).splitlines()[-1] == r"| x\|y |"
