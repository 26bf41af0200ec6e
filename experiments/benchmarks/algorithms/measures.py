"""How an agent is measured in an environment: one figure by which all algorithms are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.evaluation.drills import run_drill
from experiments.evaluation.games import play_games
from experiments.evaluation.players import make_player

if TYPE_CHECKING:
    from agents import Agent
    from experiments.benchmarks.algorithms.plan import Environment

GAME_OPTIONS = ("character", "opponent_character", "stage", "stocks", "time_limit")
DEFAULT_OPPONENT = "scripted:fighter-3"


def win_rate(agent: Agent, place: Environment, seed: int) -> dict[str, Any]:
    """Share of whole games won against the environment's opponent, a draw counting one half."""
    options = {key: place.env_options[key] for key in GAME_OPTIONS if key in place.env_options}
    opponent = make_player(place.env_options.get("opponent", DEFAULT_OPPONENT))
    results = play_games(agent, opponent, place.games, seed, **options)
    return {
        "value": results.win_rate.mean,
        "win_rate": results.win_rate.to_json(),
        "net_stocks": results.mean_net_stocks.to_json(),
        "net_damage_per_min": results.net_damage_per_min.to_json(),
    }


def multishine(agent: Agent, place: Environment, seed: int) -> dict[str, Any]:
    """Self-initiated shines per minute over two minutes, beside the longest chain; means over games."""
    drill = run_drill(
        "multishine",
        agent,
        games=place.games,
        opponent=make_player(place.env_options.get("opponent", "scripted:idle")),
        seed=seed,
    )
    figures = {key: float(np.mean([row[key] for row in drill["rows"]])) for key in drill["rows"][0]}
    return {"value": figures["self_initiated_per_min"], **figures}


def episode_return(agent: Agent, place: Environment, seed: int) -> dict[str, Any]:
    """Undiscounted sum of an episode's rewards, mean over episodes."""
    from agents.recording import record_demonstrations

    options = {
        **place.env_options,
        "frame_skip": 1,
    }  # an agent that was trained to hold its actions does so itself
    episodes = record_demonstrations(agent, place.env, place.games, seed=seed, **options)
    return {"value": float(np.mean([episode.rews.sum() for episode in episodes]))}


MEASURES: dict[str, Callable[[Agent, Environment, int], dict[str, Any]]] = {
    "win_rate": win_rate,
    "multishine": multishine,
    "return": episode_return,
}
"""By the name that a plan uses; ``value`` of the result is what is compared."""
