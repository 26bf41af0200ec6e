"""Reads the spectator stream in a process of its own, so that it goes on while the learner computes.

Run as a script, ``spectator.py PORT``: every message goes to stdout behind its length (four bytes, big-endian). It
ends when stdin closes, when its parent is gone or when the emulator disconnects. libmelee has such a process too,
but forks it, which copies the learner's memory and cannot be done in a daemon process.
"""

from __future__ import annotations

import json
import os
import select
import struct
import sys

import enet

TICK_MS = 50


def main(port: int) -> None:
    """Connect, then pass on what arrives."""
    parent = os.getppid()
    host = enet.Host(None, 1, 0, 0)
    peer = host.connect(enet.Address(b"127.0.0.1", port), 1)
    listening = select.poll()
    listening.register(0, select.POLLIN | select.POLLHUP)
    while os.getppid() == parent and not listening.poll(0):
        event = host.service(TICK_MS)
        if event.type == enet.EVENT_TYPE_CONNECT:
            hello = json.dumps({"type": "connect_request", "cursor": 0}).encode()
            peer.send(0, enet.Packet(hello, enet.PACKET_FLAG_RELIABLE))
            host.flush()
        elif event.type == enet.EVENT_TYPE_RECEIVE:
            data = event.packet.data
            sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
            sys.stdout.buffer.flush()
        elif event.type == enet.EVENT_TYPE_DISCONNECT:
            return
    peer.disconnect_now()
    host.flush()


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
