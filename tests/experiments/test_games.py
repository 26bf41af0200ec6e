import sys
from pathlib import Path

import numpy as np
import pytest

from experiments.evaluation import play_games
from melee_env.backends.base import BACKENDS
from melee_env.errors import OptionError
from melee_env.slp import read_game, write_game

sys.path.insert(0, str(Path(__file__).parent))
from toy_backend import PressingAgent, ToyBackend  # noqa: E402


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS.built_in, "toy", "toy_backend:ToyBackend")


def play(agent_period: int, opponent_period: int, games: int = 5, **options):
    return play_games(
        PressingAgent(agent_period), PressingAgent(opponent_period), games, 0, backend="toy", **options
    )


def test_stronger_agent_wins_every_game_from_either_seat() -> None:
    results = play(2, 0, stocks=2)
    assert results.outcomes.tolist() == [1.0] * 5
    assert results.net_stocks.tolist() == [2] * 5
    assert results.seats.tolist() == [0, 1, 0, 1, 0]
    assert results.win_rate.low == pytest.approx(0.566, abs=0.001)


def test_damage_counts_hits_and_no_healing() -> None:
    results = play(2, 5, games=2, stocks=1, time_limit=600)
    # Three hits take the stock; the last one resets the percentage, so two of them are seen as damage.
    assert results.damage_dealt.tolist() == [20.0, 20.0]
    assert results.damage_taken.tolist() == [10.0, 10.0]


def test_time_out_is_decided_by_damage() -> None:
    results = play(100, 0, games=2, time_limit=60)
    assert results.outcomes.tolist() == [1.0, 1.0]
    assert results.net_stocks.tolist() == [0, 0]
    assert results.frames.tolist() == [60, 60]


def test_equal_players_draw() -> None:
    results = play(0, 0, games=4, time_limit=60)
    assert results.outcomes.tolist() == [0.5] * 4
    assert results.summary()["win_rate"]["mean"] == 0.5


def test_agent_always_sees_itself_first() -> None:
    agent = PressingAgent(2)
    play_games(agent, PressingAgent(0), 2, 0, backend="toy", time_limit=30, opponent_character="FALCO")
    characters = agent.seen[-1]["seats"]["leader"]["character"]
    assert characters.tolist() == [[1, 22], [1, 22]]


def test_inputs_are_counted_while_the_game_runs() -> None:
    results = play(4, 0, games=2, stocks=1, time_limit=60)
    assert results.press_rates["B"] == pytest.approx(0.25, abs=0.01)
    assert results.stick_counts[16, 8] == 2 * 3
    assert results.stick_counts.sum() == 2 * 12


def test_recording_is_whole_and_becomes_a_replay(tmp_path: Path) -> None:
    game = play(3, 0, games=2, stocks=1, record=(1,)).recordings[1]
    write_game(tmp_path / "game.slp", game)
    assert read_game(tmp_path / "game.slp").frames["frame"].tolist() == game.frames["frame"].tolist()
    assert game.frames["frame"][0] == -123
    assert game.frames["end_method"][-1] == 2


def test_recording_does_not_change_the_results() -> None:
    assert play(2, 3, record=(0,)).summary() == play(2, 3).summary()


def test_no_games_and_unknown_names_are_refused() -> None:
    with pytest.raises(OptionError, match="games"):
        play(1, 1, games=0)
    with pytest.raises(OptionError, match="FALCO"):
        play(1, 1, opponent_character="FALCOO")


def test_toy_backend_ends_games() -> None:
    assert ToyBackend(1).num_games == 1
    assert np.isfinite(play(2, 0).mean_net_stocks.mean)
