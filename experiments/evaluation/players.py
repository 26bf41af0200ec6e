"""Players by name: a checkpoint folder, or an agent that is made by its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from melee_env.errors import OptionError

if TYPE_CHECKING:
    from agents import Agent


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
