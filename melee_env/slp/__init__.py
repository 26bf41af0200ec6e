"""The Slippi replay format.

What lives here: the table of events, the container, the reader and the writer. What does not: anything
that needs another library than NumPy and Numba, and anything about folders of games (see ``demonstrations``).
"""

from melee_env.slp.reader import Reading, read, read_game, read_header
from melee_env.slp.writer import SlpRecorder, write_game

__all__ = ["Reading", "SlpRecorder", "read", "read_game", "read_header", "write_game"]
