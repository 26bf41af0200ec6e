"""The page of an evaluation has every figure of its kind, draws without complaint and fetches nothing."""

import re
import shutil
from pathlib import Path

import pytest

from experiments.cli import main

KINDS = {
    "recordings": ["heads", "buttons", "families", "reliability", "difference", "skipped", "origin"],
    "games": ["games", "stocks", "difference", "manifold", "agreement", "skipped", "origin"],
    "fixture": ["fixture", "origin"],
}


@pytest.fixture(scope="module")
def pages(recordings: Path, checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    seen = ["--seen", recordings, "--expert", "teacher:multishine"]
    words = {
        "recordings": ["--data", recordings, "--baseline", checkpoint],
        "games": ["--games", 2, "--seconds", 1, *seen, "--baseline", checkpoint],
        "fixture": ["--fixture", recordings / "0.slp"],
    }
    for kind in KINDS:
        with pytest.raises(SystemExit, match="^0$"):
            main(
                [str(word) for word in ("eval", checkpoint, *words[kind], "--html", folder / f"{kind}.html")]
            )
    return {kind: folder / f"{kind}.html" for kind in KINDS}


def test_every_kind_has_its_sections_and_is_self_contained(pages: dict[str, Path]) -> None:
    for kind, names in KINDS.items():
        text = pages[kind].read_text(encoding="utf-8")
        assert re.findall(r'<section id="([^"]+)"', text) == names
        assert not re.search(r"https?://|<script|<link", text)
    assert "2 games of recordings" in pages["recordings"].read_text()
    assert "2 games against scripted:fighter-3, seed 0" in pages["games"].read_text()
    assert all(">baseline<" in pages[kind].read_text() for kind in ("recordings", "games"))
    assert "best offset" in pages["fixture"].read_text()


@pytest.mark.slow
def test_pages_are_drawn_by_a_browser_without_complaint(pages: dict[str, Path]) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on PATH")
    from playwright.sync_api import sync_playwright

    inside = """() => [...document.querySelectorAll('svg')].every(svg => {
        const room = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text.label')].every(text => {
            const box = text.getBoundingClientRect();
            return box.left >= room.left && box.right <= room.right;
        });
    })"""
    with sync_playwright() as library:
        page = library.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for kind, charts in (("recordings", 4), ("games", 2), ("fixture", 1)):
            page.goto(pages[kind].as_uri())
            assert page.locator("svg").count() == charts
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            assert page.evaluate(inside)
        assert complaints == []
