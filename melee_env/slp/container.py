r"""The ``.slp`` container: a UBJSON object that wraps the raw event bytes and the metadata.

Layout: ``{U\x03raw[$U#l<int32 length>``, the events, ``U\x08metadata{…}``, ``}``. A recorder that was
killed leaves length 0; a stream has no wrapper at all. Nothing is ever allocated from an announced
length before the bytes are known to be there.
"""

from __future__ import annotations

import struct
from typing import Any

from melee_env.errors import ReplayError

HEADER = b"{U\x03raw[$U#l"
HEADER_SIZE = len(HEADER) + 4
METADATA = b"U\x08metadata"
MAX_DEPTH = 32
MAX_STRING = 1 << 16
MAX_METADATA = 1 << 16
"""Bytes of metadata that are looked at; recorders write one to four thousand. It bounds the time as well."""

_INTEGERS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q"}
_FLOATS = {b"d": ">f", b"D": ">d"}


def find_events(head: bytes, path: object = "") -> tuple[int, int | None]:
    """Return where the events start and how many bytes the wrapper announces for them.

    Args:
        head: the first bytes of the file, at least 16.
        path: for the error message.

    Returns:
        ``(offset, length)``; the length is 0 for a game that was never closed, None for a bare stream.

    Raises:
        ReplayError: ``not_slp``.
    """
    if head[: len(HEADER)] == HEADER and len(head) >= HEADER_SIZE:
        return HEADER_SIZE, max(0, struct.unpack_from(">i", head, len(HEADER))[0])
    if head[:1] == b"\x35":
        return 0, None
    raise ReplayError("not_slp", path, 0, "the file does not start like a Slippi replay")


def wrap_header(length: int) -> bytes:
    """Return the 15 bytes in front of ``length`` bytes of events."""
    return HEADER + struct.pack(">i", length)


def wrap_footer(metadata: dict[str, Any]) -> bytes:
    """Return the bytes behind the events."""
    return METADATA + encode(metadata) + b"}"


def read_metadata(tail: bytes) -> dict[str, Any] | None:
    """Read the metadata that starts ``tail``; None if it is missing, damaged or beyond the limits."""
    if tail[: len(METADATA)] != METADATA:
        return None
    try:
        value, _ = _decode(tail[: len(METADATA) + MAX_METADATA], len(METADATA), 0)
    except (ValueError, struct.error, IndexError):
        return None
    return value if isinstance(value, dict) else None


def encode(value: Any) -> bytes:
    """Encode dictionaries, lists, strings, integers, floats, booleans and None as UBJSON."""
    if value is None:
        return b"Z"
    if isinstance(value, bool):
        return b"T" if value else b"F"
    if isinstance(value, int):
        return b"l" + struct.pack(">i", value)
    if isinstance(value, float):
        return b"D" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"S" + _encode_text(value)
    if isinstance(value, dict):
        return b"{" + b"".join(_encode_text(str(key)) + encode(item) for key, item in value.items()) + b"}"
    return b"[" + b"".join(encode(item) for item in value) + b"]"


def _encode_text(text: str) -> bytes:
    data = text.encode()
    length = b"U" + bytes([len(data)]) if len(data) < 256 else b"l" + struct.pack(">i", len(data))
    return length + data


def _decode(data: bytes, pos: int, depth: int) -> tuple[Any, int]:
    """Decode one value at ``pos``; ValueError, struct.error or IndexError when it is malformed."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    marker = data[pos : pos + 1]
    pos += 1
    if marker == b"{":
        entries: dict[str, Any] = {}
        while data[pos : pos + 1] != b"}":
            key, pos = _decode_text(data, pos)
            entries[key], pos = _decode(data, pos, depth + 1)
        return entries, pos + 1
    if marker == b"[":
        items: list[Any] = []
        while data[pos : pos + 1] != b"]":
            item, pos = _decode(data, pos, depth + 1)
            items.append(item)
        return items, pos + 1
    if marker == b"S":
        return _decode_text(data, pos)
    if marker in _INTEGERS or marker in _FLOATS:
        form = _INTEGERS.get(marker) or _FLOATS[marker]
        return struct.unpack_from(form, data, pos)[0], pos + struct.calcsize(form)
    constants = {b"Z": None, b"T": True, b"F": False}
    if marker not in constants:
        raise ValueError(f"unknown marker {marker!r}")
    return constants[marker], pos


def _decode_text(data: bytes, pos: int) -> tuple[str, int]:
    form = _INTEGERS.get(data[pos : pos + 1])
    if form is None:
        raise ValueError("a length is missing")
    length = struct.unpack_from(form, data, pos + 1)[0]
    start = pos + 1 + struct.calcsize(form)
    if not 0 <= length <= MAX_STRING or start + length > len(data):
        raise ValueError("a string is too long")
    return data[start : start + length].decode("utf-8", "replace"), start + length
