"""Our engine as a UMI arena: bots in their own processes play each other, or one of our agents."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import tempfile
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from umi import protocol
from umi.frame import NEUTRAL_CTRL, UMI_VERSION, roster, valid_delay

from experiments.evaluation.intervals import Interval, wilson_interval
from experiments.evaluation.players import make_player
from experiments.umi.layout import from_rows, to_rows, to_umi, umi_name
from melee_env.backends.base import MatchOptions, make_backend
from melee_env.errors import MeleeEnvError, OptionError
from melee_env.frame import Frames, seen_from
from melee_env.ids import Character

START_SECONDS, REPLY_SECONDS = 300.0, 10.0
"""how long a bot may take to connect and warm up, and to answer (UMI's own limits)"""


class BotError(MeleeEnvError):
    """A bot that does not play by the protocol: named, with the reason."""


@dataclass
class ArenaResults:
    """One entry per game, seen from the first player."""

    players: tuple[str, str]
    outcomes: NDArray[np.float64]
    """1 won, 0.5 drawn, 0 lost"""
    frames: NDArray[np.int64]
    """length of each game from GO"""

    @property
    def win_rate(self) -> Interval:
        """Share of games that the first player won."""
        return wilson_interval(float(self.outcomes.sum()), len(self.outcomes))


class BotProcess:
    """A bot's process and the connection to it; leaving the context ends both."""

    def __init__(self, command: str, games: int, delay: int, seed: int) -> None:
        self.command, self.games, self.delay, self.seed = command, games, delay, seed
        self.name = command
        self._folder = tempfile.TemporaryDirectory(prefix="umi-arena-")
        self._number = 0

    def __enter__(self) -> BotProcess:
        """Start the bot and go through the protocol until it is ready."""
        path = str(Path(self._folder.name) / "umi.sock")
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection: socket.socket | None = None
        try:
            server.bind(path)
            server.listen(1)
            self._process = subprocess.Popen(
                shlex.split(self.command), env={**os.environ, "UMI_SOCKET": path}, start_new_session=True
            )
            self._connection = self._accept(server)
            self._greet()
        except BaseException:
            self._stop()
            raise
        finally:
            server.close()
        return self

    def _accept(self, server: socket.socket) -> socket.socket:
        server.settimeout(0.5)
        for _ in range(int(START_SECONDS / 0.5)):
            try:
                return server.accept()[0]
            except TimeoutError:
                if self._process.poll() is not None:
                    raise BotError(
                        f"bot {self.command!r} ended with code {self._process.returncode} before it connected"
                    ) from None
        raise BotError(f"bot {self.command!r} did not connect within {START_SECONDS:.0f} s")

    def _greet(self) -> None:
        hello = self._receive(START_SECONDS, "hello")
        self.name = str(hello.get("name", self.command))
        self.characters = roster(hello.get("characters") or "ALL")
        declared = hello.get("delay")
        if declared is not None and declared != self.delay:
            raise BotError(f"bot {self.name!r} plays at delay {declared}; give --delay {declared}")
        if hello.get("umi") != UMI_VERSION:
            raise BotError(f"bot {self.name!r} speaks UMI {hello.get('umi')}, this arena {UMI_VERSION}")
        most = hello.get("max_games")
        if most is not None and most < self.games:
            raise BotError(f"bot {self.name!r} plays at most {most} games at once; give --games {most}")
        self._send(
            {
                "t": "welcome",
                "delay": self.delay,
                "max_games": self.games,
                "lanes": 1,
                "buckets": [self.games],
                "info_every": 6,
                "warmups": 0,
                "timeouts": {"ready_s": START_SECONDS, "act_s": REPLY_SECONDS},
                "rng_seed": self.seed,
            }
        )
        self._receive(START_SECONDS, "ready")

    def start_games(self, games: list[dict[str, Any]]) -> None:
        """Announce the games: port (1-based), character, opp_character, stage."""
        for game in games:
            if game["character"] not in self.characters:
                raise BotError(f"bot {self.name!r} does not play {game['character']}")
        self._send({"t": "new_games", "games": games})

    def act(self, games: NDArray[np.uint32], first: NDArray[np.bool_], frames: Frames) -> NDArray[np.float32]:
        """Return the bot's rows ``[N, 13]`` for our frames ``[N]`` seen from its seat."""
        self._number += 1
        self._send(protocol.obs(self._number, 0, games, first, to_umi(frames)))
        answer = self._receive(REPLY_SECONDS, "act")
        try:
            return protocol.act_arrays(answer, len(games))["ctrl"]
        except (protocol.ProtocolError, KeyError, ValueError) as error:
            raise BotError(f"bot {self.name!r}: {error}") from error

    def end_games(self, results: list[dict[str, Any]]) -> None:
        """Tell how games ended."""
        self._send({"t": "end_games", "games": results})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._connection is not None
        try:
            protocol.send(self._connection, message)
        except OSError as error:
            raise BotError(f"bot {self.name!r} closed the connection") from error

    def _receive(self, seconds: float, kind: str) -> dict[str, Any]:
        assert self._connection is not None
        self._connection.settimeout(seconds)
        try:
            message = protocol.recv(self._connection)
        except TimeoutError:
            raise BotError(f"bot {self.name!r} sent no {kind} within {seconds:.0f} s") from None
        except (OSError, ValueError, protocol.ProtocolError) as error:
            raise BotError(f"bot {self.name!r} broke off instead of sending {kind} ({error})") from error
        if message["t"] == "error":
            raise BotError(f"bot {self.name!r} reports {message.get('code')}: {message.get('msg')}")
        if message["t"] != kind:
            raise BotError(f"bot {self.name!r} sent {message['t']} instead of {kind}")
        return message

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Say goodbye and make sure that the process is gone."""
        try:
            self._send({"t": "shutdown", "reason": "the games are over"})
        except BotError:
            pass
        self._stop()

    def _stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        process = getattr(self, "_process", None)
        if process is not None:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._folder.cleanup()


class _AgentPlayer:
    """One of our agents in the place of a bot's process."""

    def __init__(self, name: str, games: int, delay: int, seed: int) -> None:
        self._agent = make_player(name)
        self._agent.reset(games, seed)
        self.name = self._agent.name

    def __enter__(self) -> _AgentPlayer:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def start_games(self, games: list[dict[str, Any]]) -> None:
        pass

    def act(self, games: NDArray[np.uint32], first: NDArray[np.bool_], frames: Frames) -> NDArray[np.float32]:
        return to_rows(self._agent.act(frames, first))

    def end_games(self, results: list[dict[str, Any]]) -> None:
        pass


def play_arena(
    players: tuple[str, str],
    options: MatchOptions,
    *,
    games: int = 1,
    delay: int = 18,
    seed: int = 0,
    backend: str = "embedded",
) -> ArenaResults:
    """Let two players play ``games`` games at once.

    Args:
        players: each ``cmd:COMMAND`` for a UMI bot (it connects to ``UMI_SOCKET``), or a checkpoint folder or
            agent's name.
        options: how every game starts; the first player is seat 0.
        games: how many games.
        delay: frames from an observation to the frame that its answer acts on, as UMI counts them.
        seed: fixes what the engine and our agents draw.
        backend: backend by name.

    Raises:
        BotError: a bot that does not play by the protocol.
        OptionError: an impossible delay, or an unknown player.
    """
    if not valid_delay(delay):
        raise OptionError(f"delay {delay!r} must be 0..30")
    first, second = (_make(name, games, delay, seed + side) for side, name in enumerate(players))
    with first, second:
        engine = make_backend(backend, games)
        try:
            return _play(engine, (first, second), options, games, delay, seed)
        finally:
            engine.close()


def _make(name: str, games: int, delay: int, seed: int) -> BotProcess | _AgentPlayer:
    if name.startswith("cmd:"):
        return BotProcess(name.removeprefix("cmd:"), games, delay, seed)
    return _AgentPlayer(name, games, delay, seed)


def _play(engine: Any, sides: Any, options: MatchOptions, games: int, delay: int, seed: int) -> ArenaResults:
    numbers = np.arange(1, games + 1, dtype=np.uint32)
    frames = engine.reset(np.arange(seed, seed + games, dtype=np.uint32), [options] * games)
    names = [umi_name(Character(int(c))) for c in frames["seats"]["leader"]["character"][0]]
    for seat, side in enumerate(sides):
        side.start_games(
            [
                {
                    "game": int(number),
                    "port": seat + 1,
                    "character": names[seat],
                    "opp_character": names[1 - seat],
                    "stage": umi_name(options.stage),
                }
                for number in numbers
            ]
        )
    pending = [deque([np.tile(NEUTRAL_CTRL, (games, 1))] * delay) for _ in sides]
    first = np.ones(games, bool)
    over = frames["end_method"] != 0
    while not over.all():
        controllers = []
        for seat, side in enumerate(sides):
            rows = np.tile(NEUTRAL_CTRL, (games, 1))
            if isinstance(side, _AgentPlayer):
                rows[:] = side.act(numbers, first, seen_from(frames, seat))
            else:
                running = ~over
                rows[running] = side.act(numbers[running], first[running], seen_from(frames[running], seat))
            pending[seat].append(rows)
            controllers.append(from_rows(pending[seat].popleft()))
        first = np.zeros(games, bool)
        frames = engine.step(np.stack(controllers, -1))
        ended = (frames["end_method"] != 0) & ~over
        if ended.any():
            for seat, side in enumerate(sides):
                side.end_games([_result(frames[n], int(numbers[n]), seat) for n in np.flatnonzero(ended)])
        over |= ended
    outcomes = np.array([_outcome(frame, 0) for frame in frames])
    return ArenaResults(
        (sides[0].name, sides[1].name), outcomes, np.maximum(frames["frame"], 0).astype(np.int64)
    )


def _outcome(frame: Frames, seat: int) -> float:
    """Return 1, 0.5 or 0: more stocks, then less damage."""
    stocks = frame["seats"]["leader"]["stocks"].astype(int)
    percents = frame["seats"]["leader"]["percent"]
    mine, other = (stocks[seat], -percents[seat]), (stocks[1 - seat], -percents[1 - seat])
    return 0.5 if mine == other else float(mine > other)


def _result(frame: Frames, number: int, seat: int) -> dict[str, Any]:
    leaders = frame["seats"]["leader"]
    return {
        "game": number,
        "result": {1.0: "win", 0.5: "draw", 0.0: "loss"}[_outcome(frame, seat)],
        "reason": {1: "time", 2: "stocks"}.get(int(frame["end_method"]), "void"),
        "frame": int(frame["frame"]),
        "stocks": [int(leaders["stocks"][k]) for k in (seat, 1 - seat)],
        "percent": [int(leaders["percent"][k]) for k in (seat, 1 - seat)],
    }
