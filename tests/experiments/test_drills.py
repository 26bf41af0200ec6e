import numpy as np
import pytest

from experiments.evaluation.drills import LOOKBACK, multishine_figures, run_drill
from melee_env.errors import OptionError
from melee_env.frame import FIGHTER_DTYPE, Frames

LOOP = [24, 24, 24, 365, 365, 365, 366, 361, 361]


def fighter(actions: list[int]) -> Frames:
    frames = np.zeros(len(actions), FIGHTER_DTYPE)
    frames["action"] = actions
    return frames


def test_perfect_loop_is_one_chain_at_400_a_minute() -> None:
    figures = multishine_figures(fighter(LOOP * 400))
    assert figures == {
        "shines": 400,
        "max_chain": 400,
        "shines_per_min": 400.0,
        "self_initiated_per_min": 400.0,
        "frames": 3600,
    }


def test_shine_soon_after_hitstun_is_not_the_players_own() -> None:
    frames = fighter([14] * 100 + LOOP + [14] * 100 + LOOP)
    frames["hitstun"][100 + 7 - LOOKBACK] = 1
    figures = multishine_figures(frames)
    assert figures["self_initiated_per_min"] == pytest.approx(figures["shines_per_min"] / 2)


def test_standing_fighter_shines_never() -> None:
    assert multishine_figures(fighter([14] * 60))["max_chain"] == 0


def test_unknown_drill_names_the_known_ones() -> None:
    with pytest.raises(OptionError, match="multishine"):
        run_drill("moonwalk", None, opponent=None)  # type: ignore[arg-type]
