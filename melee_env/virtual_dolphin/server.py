"""The Slippi spectator protocol over ENet: handshake, then one JSON message per packet."""

from __future__ import annotations

import base64
import json
from typing import Any

import enet

MAX_CLIENTS = 4
MAX_IN_TRANSIT = 24_000
"""bytes that may be under way to the slowest client before a free-running game waits for it"""


class PortInUse(Exception):
    """Another program has the spectator port."""


class SpectatorServer:
    """Sends events to every client that shook hands.

    Args:
        port: UDP port on this machine.
        version: Slippi version for the handshake.
        silent: never shake hands.

    Raises:
        PortInUse: the port cannot be bound.
    """

    def __init__(self, port: int, version: tuple[int, int, int], silent: bool = False) -> None:
        self._silent = silent
        self._version = ".".join(map(str, version))
        try:
            self._host = enet.Host(enet.Address(b"127.0.0.1", port), MAX_CLIENTS, 1, 0, 0)
        except MemoryError as error:
            raise PortInUse(f"UDP port {port} is in use: give every instance its own slippi_port") from error
        self._peers: dict[int, Any] = {}
        self._cursor = 0
        self.had_client = False

    @property
    def clients(self) -> int:
        """Number of clients that listen."""
        return len(self._peers)

    def service(self) -> None:
        """Handle everything that arrived."""
        event = self._host.service(0)
        while event.type != enet.EVENT_TYPE_NONE:
            if event.type == enet.EVENT_TYPE_RECEIVE:
                self._receive(event.peer, event.packet.data)
            elif event.type == enet.EVENT_TYPE_DISCONNECT:
                self._peers.pop(event.peer.incomingPeerID, None)
            event = self._host.service(0)

    def _receive(self, peer: Any, data: bytes) -> None:
        try:
            kind = json.loads(data).get("type")
        except (ValueError, AttributeError):
            return
        if kind != "connect_request" or self._silent:
            return
        reply = {
            "type": "connect_reply",
            "nick": "Virtual Dolphin",
            "version": self._version,
            "cursor": self._cursor,
        }
        peer.send(0, enet.Packet(json.dumps(reply).encode(), enet.PACKET_FLAG_RELIABLE))
        self._host.flush()
        self._peers[peer.incomingPeerID] = peer
        self.had_client = True

    def send(self, kind: str, payload: bytes) -> None:
        """Send one ``game_event`` or ``menu_event``."""
        text = (
            f'{{"type":"{kind}","cursor":{self._cursor},"next_cursor":{self._cursor + 1},'
            f'"payload":"{base64.b64encode(payload).decode()}"}}'
        )
        self._cursor += 1
        data = text.encode()
        for peer in self._peers.values():
            peer.send(0, enet.Packet(data, enet.PACKET_FLAG_RELIABLE))
        self._host.flush()

    def congested(self) -> bool:
        """Tell whether a client is far behind."""
        return any(peer.reliableDataInTransit > MAX_IN_TRANSIT for peer in self._peers.values())
