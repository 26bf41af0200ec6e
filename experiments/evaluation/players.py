"""Players by name: a checkpoint folder, or an agent that is made by its name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from melee_env.errors import OptionError

if TYPE_CHECKING:
    from agents import Agent
    from melee_env.ids import Character


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch, if it is loaded, use one thread: a batch of games is too small to share."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def make_player(name: str | os.PathLike[str], **options: Any) -> Agent:
    """Load the checkpoint folder ``name``, or make the agent of that name.

    >>> make_player("teacher:multishine").name
    'teacher:multishine'

    Raises:
        OptionError: neither a folder nor a known agent.
        CheckpointError: the folder holds no good checkpoint.
    """
    import agents

    text = os.fspath(name)
    if Path(text).is_dir():
        return agents.load(text, **options)
    if os.sep in text or text.startswith("."):
        raise OptionError(
            f"{text}: no such folder; name a checkpoint folder or one of: {', '.join(agents.names())}"
        )
    return agents.make(text, **options)


def require_fighter(agent: Agent, character: Character) -> None:
    """Refuse a fighter that the agent says it does not play.

    Raises:
        OptionError: it plays others only.
    """
    known = getattr(agent, "characters", None)
    if known is not None and character not in known:
        names = ", ".join(one.name for one in known)
        raise OptionError(
            f"agent {agent.name!r} plays {names}, not {character.name}; choose another fighter for it"
        )
