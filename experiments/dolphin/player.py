"""A player that is loaded again between games when its checkpoint changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.evaluation.players import make_player
from melee_env.errors import CheckpointError
from melee_env.frame import empty_frames

if TYPE_CHECKING:
    from agents import Agent


class SwappedPlayer:
    """The agent behind a name, always the newest.

    Args:
        name: a checkpoint folder, or an agent's name, which never changes.

    Attributes:
        agent: the agent that plays now.
        swaps: how often it was replaced.
    """

    def __init__(self, name: str) -> None:
        self.name, self.swaps = name, 0
        self._stamp = _stamp(name)
        self.agent: Agent = _warm(make_player(name))

    def refresh(self) -> str:
        """Load the checkpoint again if it changed; one that cannot be loaded leaves the old agent where it is.

        Returns:
            What happened, in a few words; empty if nothing did.
        """
        stamp = _stamp(self.name)
        if stamp == self._stamp:
            return ""
        try:
            self.agent = _warm(make_player(self.name))
        except CheckpointError as error:
            return f"the new checkpoint is not used: {error}"
        self._stamp = stamp
        self.swaps += 1
        return f"{self.name} has changed and is loaded again"


def _stamp(name: str) -> tuple[tuple[str, int], ...]:
    folder = Path(name)
    if not folder.is_dir():
        return ()
    return tuple(sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir() if path.is_file()))


def _warm(agent: Agent) -> Agent:
    """Let the agent act once: the first call of a network loads and compiles."""
    agent.reset(1, 0)
    agent.act(empty_frames(1))
    return agent
