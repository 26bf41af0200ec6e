import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from experiments.evaluation import play_games
from experiments.report import write_report
from melee_env.backends.base import BACKENDS

sys.path.insert(0, str(Path(__file__).parent))
from toy_backend import PressingAgent  # noqa: E402

HEADS = {
    "A": {"accuracy": 0.97, "majority_baseline": 0.95},
    "main_x": {"accuracy": 0.6, "majority_baseline": 0.4},
}
EPOCH = {
    "epoch": 1,
    "train_loss": 1.5,
    "validation_loss": 1.4,
    "accuracy": 0.8,
    "majority_baseline": 0.7,
    "exact_accuracy": 0.5,
    "exact_majority_baseline": 0.3,
    "frames": 100,
    "heads": HEADS,
    "buttons": {
        "A": {"human": 0.05, "predicted": 0.0, "sampled": 0.04, "collapsed": True},
        "B": {"human": 0.1, "predicted": 0.09, "sampled": 0.1, "collapsed": False},
    },
    "collapsed": ["A"],
    "histograms": {},
}
META = {
    "history": [{**EPOCH, "epoch": 0, "train_loss": None, "validation_loss": 2.0}, EPOCH],
    "config": {"epochs": 1, "network": "gru", "characters": ()},
    "data": {"trajectories": 3},
}
FILES = [
    {"file": "good.slp", "status": "read", "reason": "", "frames": 1000},
    {"file": "<bad>.slp", "status": "refused", "reason": "not_slp", "frames": 0},
]


class Outline(HTMLParser):
    """Collects section ids, text, and everything that a browser would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sections: dict[str, str] = {}
        self.fetched: list[str] = []
        self.tags: set[str] = set()
        self._section = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        if tag == "section":
            self._section = values["id"]
            self.sections[self._section] = ""
        if values.get("src"):
            self.fetched.append(values["src"])

    def handle_data(self, data: str) -> None:
        if self._section:
            self.sections[self._section] += data


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(BACKENDS.built_in, "toy", "toy_backend:ToyBackend")
    results = play_games(PressingAgent(2), PressingAgent(0, "sleepy"), 4, 7, backend="toy", stocks=1)
    film = tmp_path / "film.gif"
    film.write_bytes(b"GIF89a")
    return write_report(
        tmp_path / "report.html",
        title="A report",
        meta=META,
        results=[results],
        seed=7,
        files=FILES,
        film=film,
        human_stick=np.eye(17, dtype=np.int64),
    )


@pytest.fixture
def outline(report: Path) -> Outline:
    return Outline(report.read_text(encoding="utf-8"))


def test_page_has_every_section(outline: Outline) -> None:
    expected = ["film", "results", "losses", "accuracy", "buttons", "sticks", "files", "origin"]
    assert list(outline.sections) == expected


def test_page_is_self_contained(outline: Outline, report: Path) -> None:
    assert all(source.startswith("data:") for source in outline.fetched)
    assert not outline.tags & {"script", "link", "iframe"}
    assert not re.search(r"https?://", report.read_text(encoding="utf-8"))


def test_results_have_their_games_seed_and_interval(outline: Outline) -> None:
    text = outline.sections["results"]
    assert "sleepy" in text and "seed 7" in text and "4 won, 0 drawn, 0 lost" in text
    assert "1.00 [0.51, 1.00]" in text


def test_collapsed_button_is_named(outline: Outline) -> None:
    text = outline.sections["buttons"]
    assert "COLLAPSE: A" in text
    assert text.count("COLLAPSE") == 2


def test_files_that_were_refused_come_first_and_are_escaped(outline: Outline, report: Path) -> None:
    text = outline.sections["files"]
    assert text.index("<bad>.slp") < text.index("good.slp")
    assert "1 refused" in text and "not_slp (1)" in text
    assert "<bad>" not in report.read_text(encoding="utf-8")


def test_origin_names_command_seed_and_versions(outline: Outline) -> None:
    text = outline.sections["origin"]
    assert "seed 7" in text and "numpy" in text and "cores" in text


def test_page_of_an_untrained_agent_has_no_figures_but_stands(tmp_path: Path) -> None:
    page = write_report(tmp_path / "r.html", title="Nothing", meta={})
    assert "No games were played" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_page_is_drawn_by_a_browser_without_complaint(report: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on PATH")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as library:
        page = library.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(report.as_uri())
        assert page.locator("svg").count() >= 5
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert complaints == []
