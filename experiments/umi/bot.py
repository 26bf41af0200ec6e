"""Any of our agents as a UMI bot."""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np
import umi

from agents import Agent
from experiments.evaluation.players import make_player, one_thread
from experiments.umi.layout import from_umi, to_rows, umi_name
from melee_env.errors import OptionError


class AgentBot(umi.Bot):
    """Plays every game with one agent, whose memory of each game is kept apart from the others'.

    Games come and go and a batch holds any of them, so the agent is reset for one game and carries that game's
    state in and out (``get_state``, ``set_state``). The arena applies the input delay.
    """

    name = "melee_env"
    deterministic = True
    pad = False
    agent: Agent

    def setup(self, session: Any) -> None:
        """Forget all games."""
        self.seed = int(session.rng_seed)
        self.states: dict[int, Any] = {}
        self.ports: dict[int, int] = {}

    def new_games(self, games: list[Any]) -> None:
        """Note the ports."""
        self.ports.update({game.game: game.port - 1 for game in games})

    def end_games(self, results: list[dict[str, Any]]) -> None:
        """Forget the games."""
        for result in results:
            self.states.pop(result["game"], None)
            self.ports.pop(result["game"], None)

    def act(self, batch: Any, state: Any = None) -> Any:
        """Choose a controller row per game."""
        numbers = [int(game) for game in batch.games]
        frames = from_umi(batch.frames, np.array([self.ports.get(number, 0) for number in numbers]))
        rows = np.empty((len(frames), len(umi.frame.CTRL_FIELDS)), np.float32)
        with one_thread():
            for k, number in enumerate(numbers):
                first = bool(batch.first[k]) or number not in self.states
                if first:
                    self.agent.reset(1, self.seed)
                else:
                    self.agent.set_state(self.states[number])
                controllers = self.agent.act(frames[k : k + 1], np.array([first]))
                rows[k] = to_rows(controllers)[0]
                if not batch.warmup:
                    self.states[number] = copy.copy(self.agent.get_state())
        return umi.Actions(ctrl=rows)


def serve_agent(name: str, delay: int | None = None, socket: str | None = None) -> None:
    """Connect to an arena and play until it says that it is over.

    Args:
        name: checkpoint folder or agent's name.
        delay: input delay to declare, 18 or 21 (0..30 for imitation); None leaves it to the arena.
        socket: path of the arena's socket; default ``UMI_SOCKET``.

    Raises:
        OptionError: no socket, or a delay that UMI does not have.
    """
    path = socket or os.environ.get("UMI_SOCKET")
    if not path:
        raise OptionError("no arena socket: set UMI_SOCKET or give --socket; umi-conform sets it")
    if delay is not None and not umi.frame.valid_delay(delay):
        raise OptionError(f"delay {delay} must be 0..{umi.frame.MAX_DELAY}")
    agent = make_player(name)
    characters = "ALL" if agent.characters is None else tuple(umi_name(one) for one in agent.characters)
    declared = {"name": agent.name, "characters": characters, "delay": delay, "agent": agent}
    bot = type("DeclaredBot", (AgentBot,), declared)()
    umi.serve(bot, ["--socket", path])
