"""Two ways to let an agent answer frames: the game waits for it, or it thinks beside a game that goes on."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol

import numpy as np

from experiments.dolphin.timing import Timing
from melee_env.controller import Controllers, neutral
from melee_env.frame import Frames, seen_from

if TYPE_CHECKING:
    from agents import Agent


class Pacing(Protocol):
    """Answers the frames of a game."""

    timing: Timing

    def begin(self, agent: Agent) -> None:
        """Start a game with this agent."""
        ...

    def offer(self, frames: Frames) -> None:
        """Take the newest frame ``[1]``."""
        ...

    def answer(self) -> Controllers:
        """Return the controller ``[1]`` to send after it."""
        ...

    def close(self) -> None:
        """Let go of everything; calling it twice is fine."""
        ...


class Locked:
    """The game waits for every action.

    Args:
        seat: where the agent sits.
    """

    def __init__(self, seat: int) -> None:
        self.timing = Timing()
        self._seat = seat

    def begin(self, agent: Agent) -> None:
        """Start a game with this agent."""
        self._agent, self._start = agent, True

    def offer(self, frames: Frames) -> None:
        """Take the newest frame."""
        self._frames = frames

    def answer(self) -> Controllers:
        """Return the agent's answer to it."""
        began = time.perf_counter()
        action = self._agent.act(seen_from(self._frames, self._seat), np.array([self._start]))
        self.timing.thought(time.perf_counter() - began)
        self.timing.sent(0, False)
        self._start = False
        return action

    def close(self) -> None:
        """Nothing to let go of."""


class Beside:
    """The agent thinks in a thread; a frame whose answer is late gets the last action again.

    The agent always takes the newest frame, so one that is slow skips frames.

    Args:
        seat: where the agent sits.
        patience: seconds that a frame waits for its own answer.
    """

    def __init__(self, seat: int, patience: float) -> None:
        self.timing = Timing()
        self._seat, self._patience = seat, patience
        self._changed = threading.Condition()
        self._agent: Agent | None = None
        self._frame: Frames | None = None
        self._start = self._closed = self._thinking = False
        self._error: BaseException | None = None
        self._action, self._answers = neutral(1), -1
        self._sent = self._number = -1
        self._due = 0.0
        self._thread = threading.Thread(target=self._think, daemon=True)
        self._thread.start()

    def begin(self, agent: Agent) -> None:
        """Start a game with this agent, once the last thought of the game before is over."""
        with self._changed:
            self._frame = None
            self._changed.wait_for(lambda: not self._thinking)
            self._agent, self._start = agent, True
            self._action, self._answers = neutral(1), -1
            self._sent = self._number = -1

    def offer(self, frames: Frames) -> None:
        """Give the newest frame to the thread."""
        with self._changed:
            self._number += 1
            self._frame = _copy(frames)
            self._due = time.monotonic() + self._patience
            self._changed.notify_all()

    def answer(self) -> Controllers:
        """Return the newest answer: to the newest frame if it comes in time, else to an earlier one.

        Raises:
            Exception: whatever the agent raised.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._answers == self._number or self._error is not None,
                max(0.0, self._due - time.monotonic()),
            )
            if self._error is not None:
                raise self._error
            self.timing.sent(self._number - max(0, self._answers), self._answers == self._sent)
            self._sent = self._answers
            return self._action

    def _think(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._frame is not None)
                if self._closed:
                    return
                frame, number, agent, start = self._frame, self._number, self._agent, self._start
                assert frame is not None and agent is not None
                self._frame, self._start, self._thinking = None, False, True
            began = time.perf_counter()
            action, error = neutral(1), None
            try:
                action = agent.act(seen_from(frame, self._seat), np.array([start]))
            except BaseException as raised:
                error = raised
            with self._changed:
                self.timing.thought(time.perf_counter() - began)
                self._thinking, self._error = False, error
                self._action, self._answers = action, number
                self._changed.notify_all()

    def close(self) -> None:
        """End the thread once its last thought is over."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()


def _copy(frames: Frames) -> Frames:
    """Copy bytes; a record in its fields takes NumPy many times longer."""
    return frames.view(np.uint8).copy().view(frames.dtype)
