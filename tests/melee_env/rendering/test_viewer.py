"""The replay viewer in a real Chromium: what it reads equals the reader's frames, and its controls work."""

import base64
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from melee_env.controller import Button
from melee_env.errors import ReplayError
from melee_env.game import Game
from melee_env.rendering.fighter import active_hitboxes
from melee_env.rendering.viewer import write_viewer
from melee_env.slp import read_game, write_game

FIXTURE = Path(__file__).parents[2] / "fixtures" / "games.py"
SPEC = importlib.util.spec_from_file_location("games", FIXTURE)
assert SPEC is not None and SPEC.loader is not None
games = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(games)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
FIELDS = ("action", "x", "y", "facing", "percent", "shield", "stocks", "action_frame", "hitstun", "hitlag")
INPUTS = ("stick_x", "stick_y", "cstick_x", "cstick_y", "buttons", "trigger_l")
COLUMNS = """names => {
  const rows = [];
  for (let i = 0; i < viewer.game.length; i++) {
    const frame = viewer.game.frame(i);
    const leaders = frame.fighters.filter((one) => !one.follower);
    const nanas = frame.fighters.filter((one) => one.follower);
    rows.push([frame.number, frame.items.length, frame.fod[0], frame.fod[1], frame.whispy, nanas.length,
               ...leaders.flatMap((one) => names.map((name) => one[name] ?? 0))]);
  }
  return JSON.stringify(rows);  // many times faster than handing over nested arrays
}"""
PICTURE = "document.getElementById('picture').toDataURL()"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A page that fails the test on any script error and any request beside the file itself."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.on(
        "request", lambda request: None if request.url.startswith("file:") else troubles.append(request.url)
    )
    yield page
    page.close()
    assert troubles == []


def show(
    page: Any, tmp_path: Path, game: Game | None = None, replay: Path | None = None, hash: str = ""
) -> None:
    if game is not None:
        replay = tmp_path / "game.slp"
        write_game(replay, game)
    page.goto(write_viewer(tmp_path / "viewer.html", replay).as_uri() + hash)
    page.wait_for_selector("body[data-ready]")


def expected(game: Game) -> np.ndarray:
    """The columns that COLUMNS takes from the page, from our reader's frames."""
    frames = game.frames
    columns = [
        frames["frame"],
        (frames["items"]["exists"] != 0).sum(-1),
        frames["fod_left"],
        frames["fod_right"],
        frames["whispy"],
        (frames["seats"]["nana"]["present"] != 0).sum(-1),
    ]
    for seat in range(2):
        leader = frames["seats"]["leader"][:, seat]
        columns += [leader[name] for name in FIELDS] + [leader["controller"][name] for name in INPUTS]
    return np.stack([np.asarray(column, np.float64) for column in columns], -1)


def assert_same_frames(page: Any, game: Game) -> None:
    rows = np.array(json.loads(page.evaluate(COLUMNS, [*FIELDS, *INPUTS])), np.float64)
    wanted = expected(game)
    if game.info.stage != 2:
        rows[:, 2:4] = 0  # the page keeps the platforms' first heights on every stage
    assert rows.shape == wanted.shape
    np.testing.assert_array_equal(rows, wanted)


@pytest.mark.parametrize("stage", [2, 8, 28])
def test_reads_what_the_reader_reads(page: Any, tmp_path: Path, stage: int) -> None:
    game = games.synthetic_game(stage)
    show(page, tmp_path, game)
    assert_same_frames(page, game)
    assert page.inner_text("#title").startswith("Popo – Fox")
    assert "Ice" in page.inner_text(".card h2") and "ICE#123" in page.inner_text(".card h2")


@games.needs_replays
@pytest.mark.parametrize(
    "pattern", ["v0.1.0_DL_*", "v1.0.0_FD_popo*", "v1.2.0_*unfinished*", "v2.2.0_*", "v3.9.1_DL_dk-fox_*"]
)
def test_reads_recordings_of_all_ages(page: Any, tmp_path: Path, pattern: str) -> None:
    replay = sorted(games.REPLAYS.glob(pattern + ".slp"))[0]
    show(page, tmp_path, replay=replay)
    assert_same_frames(page, read_game(replay))


@games.needs_replays
def test_shows_four_players(page: Any, tmp_path: Path) -> None:
    show(page, tmp_path, replay=next(games.REPLAYS.glob("*fox-fox-fox-fox*")))
    assert page.locator(".card").count() == 4
    assert page.evaluate("viewer.game.frame(viewer.game.length - 1).fighters.length") == 4


def test_step_scrub_and_keys_move_by_frames(page: Any, tmp_path: Path) -> None:
    show(page, tmp_path, games.synthetic_game(), hash="#frame=-100")
    assert page.inner_text("#number") == "frame -100"
    first = page.evaluate(PICTURE)
    page.click("#forward")
    assert page.inner_text("#number") == "frame -99"
    assert page.evaluate(PICTURE) != first
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(PICTURE) == first
    page.keyboard.press("Shift+ArrowRight")
    assert page.inner_text("#number") == "frame -90"
    page.fill("#scrub", "42")
    assert page.inner_text("#number") == "frame -81"
    page.keyboard.press("End")
    assert page.inner_text("#number") == "frame 76"
    page.click("#first")
    page.click("#back")
    assert page.inner_text("#number") == "frame -123"


def test_plays_at_speed_and_stops_at_the_end(page: Any, tmp_path: Path) -> None:
    show(page, tmp_path, games.synthetic_game(length=80))
    page.select_option("#speed", "4")
    page.keyboard.press("Space")
    page.wait_for_selector("#number:text('frame -44')", timeout=20_000)
    assert page.input_value("#scrub") == "79"
    page.wait_for_selector("#play:text('▶')")


def test_shows_states_and_inputs_of_the_frame(page: Any, tmp_path: Path) -> None:
    game = games.synthetic_game()
    leader = game.frames["seats"]["leader"]
    leader["action"][50], leader["action_frame"][50] = (14, 360), (7, 3)
    leader["percent"][50] = (12.5, 99.9)
    leader["controller"]["buttons"][50] = (0, int(Button.A))
    show(page, tmp_path, game)
    page.evaluate("viewer.seek(50)")
    assert page.locator(".percent").all_inner_texts() == ["12%", "99%"]
    states = page.locator(".state").all_text_contents()
    assert states[0].split("  /  ")[0] == "Wait 7" and states[1] == "SpecialLwStart 3"
    pads = [f"[...document.querySelectorAll('.card canvas')][{n}].toDataURL()" for n in (0, 1)]
    before = [page.evaluate(pad) for pad in pads]
    leader["controller"]["buttons"][50] = (0, 0)
    show(page, tmp_path, game)
    page.evaluate("viewer.seek(50)")
    after = [page.evaluate(pad) for pad in pads]
    assert before[0] == after[0] and before[1] != after[1]


def test_hitboxes_are_those_of_the_engine_and_can_be_hidden(page: Any, tmp_path: Path) -> None:
    game = games.synthetic_game()
    fox = game.frames["seats"]["leader"][50, 1]
    fox["x"], fox["y"], fox["facing"], fox["action"], fox["action_frame"] = 3, 2, -1, 63, 8
    show(page, tmp_path, game)
    page.evaluate("viewer.seek(50)")
    shown = page.evaluate("viewer.scene.hitboxes(viewer.game.frame(50).fighters.at(-1))")
    assert len(shown) > 0
    np.testing.assert_allclose(shown, active_hitboxes(fox), atol=0.0051)
    with_boxes = page.evaluate(PICTURE)
    page.uncheck("#hitboxes")
    assert page.evaluate(PICTURE) != with_boxes


def test_lost_stocks_are_marked_and_reached(page: Any, tmp_path: Path) -> None:
    game = games.synthetic_game()
    stocks = game.frames["seats"]["leader"]["stocks"]
    stocks[:] = 4
    stocks[120:, 0], stocks[160:, 1] = 3, 3
    show(page, tmp_path, game)
    assert page.locator("#marks i").count() == 2
    page.keyboard.press("]")
    assert page.evaluate("viewer.index") == 120
    page.click("#next-death")
    assert page.evaluate("viewer.index") == 160
    page.click("#last-death")
    assert page.evaluate("viewer.index") == 120


def test_any_file_can_be_dropped_or_chosen(page: Any, tmp_path: Path) -> None:
    show(page, tmp_path)
    assert page.is_visible("#welcome")
    write_game(tmp_path / "one.slp", games.synthetic_game(32))
    data = base64.b64encode((tmp_path / "one.slp").read_bytes()).decode()
    page.evaluate(
        """data => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], 'dropped <b>.slp'));
          document.dispatchEvent(new DragEvent('drop', {dataTransfer: transfer, bubbles: true, cancelable: true}));
        }""",
        data,
    )
    page.wait_for_selector("body.open")
    assert page.inner_text("#about").startswith("dropped <b>.slp")
    assert not page.is_visible("#welcome")
    write_game(tmp_path / "two.slp", games.synthetic_game(2, length=50))
    page.set_input_files("#file", tmp_path / "two.slp")
    page.wait_for_selector("#about:text('50 frames')")
    assert "Fountain" in page.inner_text("#title")


def test_a_broken_file_is_named_and_the_open_game_stays(page: Any, tmp_path: Path) -> None:
    show(page, tmp_path, games.synthetic_game())
    (tmp_path / "bad.slp").write_bytes(b"no replay at all")
    page.set_input_files("#file", tmp_path / "bad.slp")
    page.wait_for_selector("#message:not([hidden])")
    assert page.inner_text("#message") == "bad.slp: the file does not start like a Slippi replay"
    assert page.evaluate("viewer.game.length") == 200


def test_hostile_bytes_never_break_the_page(page: Any, tmp_path: Path) -> None:
    show(page, tmp_path)
    write_game(tmp_path / "game.slp", games.synthetic_game(length=20))
    whole = (tmp_path / "game.slp").read_bytes()
    rng = np.random.default_rng(0)
    variants = [whole[: int(n)] for n in rng.integers(0, len(whole), 20)]
    for _ in range(60):
        mutant = bytearray(whole)
        for at in rng.integers(0, 900 if rng.random() < 0.5 else len(whole), 4):
            mutant[at] = rng.integers(256)
        variants.append(bytes(mutant))
    opened = page.evaluate(
        """all => all.map((data) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const good = viewer.open(bytes.buffer, 'mutant');
          if (good) [0, viewer.game.length >> 1, viewer.game.length - 1].forEach((i) => viewer.seek(i));
          return good;
        })""",
        [base64.b64encode(variant).decode() for variant in variants],
    )
    assert 0 < sum(opened) < len(opened)


def test_the_page_loads_nothing_and_is_the_same_every_time(tmp_path: Path) -> None:
    write_game(tmp_path / "game.slp", games.synthetic_game(length=20))
    first = write_viewer(tmp_path / "a.html", tmp_path / "game.slp").read_text()
    assert first == write_viewer(tmp_path / "a.html", tmp_path / "game.slp").read_text()
    assert re.findall(r"""(?:src|href)=|https?://|@import|url\(""", first) == []


def test_a_name_cannot_end_its_script_element(tmp_path: Path) -> None:
    replay = tmp_path / "<script>x<!--TABLES-->.slp"
    write_game(replay, games.synthetic_game(length=20))
    text = write_viewer(tmp_path / "a.html", replay).read_text()
    held = re.search(r'id="name">(.*)</script>', text)
    assert held is not None and json.loads(held[1]) == replay.name
    assert "<script>x" not in text


def test_no_page_is_written_for_what_is_no_replay(tmp_path: Path) -> None:
    (tmp_path / "bad.slp").write_bytes(b"no replay at all")
    with pytest.raises(ReplayError, match="not_slp"):
        write_viewer(tmp_path / "page.html", tmp_path / "bad.slp")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.slp"]


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    write_game(tmp_path / "game.slp", games.synthetic_game(length=20))
    command = [
        sys.executable,
        "-c",
        "from experiments.cli import main; main()",
        "view",
        "game.slp",
        "--out",
        "page.html",
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "page.html").stat().st_size > 50_000
