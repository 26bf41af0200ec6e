"""The loops that touch every event of a file, compiled: find the events, gather a field, scatter records.

Everything works on bytes. Slippi is big-endian and frames are little-endian, so a field is copied backwards.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import entry_point, kernel


@entry_point
def index_events(data, position, step):
    """Walk from event to event.

    Args:
        data: the file, ``[bytes] uint8``.
        position: first byte of the first event.
        step: ``[256] int64`` bytes from one event to the next, by command; 0 for commands that end the walk.

    Returns:
        Byte offsets of all whole events, ordered by command and then as in the file; how many there are of each
        command ``[256]``; the first byte behind the last whole event.
    """
    counts = np.zeros(256, np.int64)
    end = position
    while end < data.shape[0]:
        length = step[data[end]]
        if length == 0 or end + length > data.shape[0]:
            break
        counts[data[end]] += 1
        end += length
    cursor = np.zeros(256, np.int64)
    cursor[1:] = np.cumsum(counts)[:-1]
    places = np.empty(counts.sum(), np.int64)
    at = position
    while at < end:
        command = data[at]
        places[cursor[command]] = at
        cursor[command] += 1
        at += step[command]
    return places, counts, end


@entry_point
def gather(data, offsets, at, out):
    """Copy the field at byte ``at`` of every event into ``out [N, size] uint8``, bytes reversed."""
    size = out.shape[1]
    for i in range(offsets.shape[0]):
        base = offsets[i] + at
        for k in range(size):
            out[i, k] = data[base + size - 1 - k]


@entry_point
def key_halves(data, offsets, at, starts, numbers):
    """Say of which fighter in which copy of which frame every half-frame tells.

    Args:
        data: the file, ``[bytes] uint8``.
        offsets: ``[N]`` byte offsets of the events, increasing.
        at: ``[3]`` where in an event its frame number, port and follower flag are.
        starts: ``[C]`` byte offsets at which the copies begin, increasing.
        numbers: ``[C]`` their frame numbers.

    Returns:
        ``[N] int64``: ``copy << 16 | port << 8 | follower``; ``-2 - copy`` for an event with another frame number
        than its copy's, so -1 before the first copy.
    """
    keys = np.empty(offsets.shape[0], np.int64)
    copy = -1
    for i in range(offsets.shape[0]):
        while copy + 1 < starts.shape[0] and starts[copy + 1] <= offsets[i]:
            copy += 1
        place = offsets[i] + at[0]
        number = np.int64(0)
        for k in range(4):
            number = (number << 8) | np.int64(data[place + k])
        number -= (number >> 31) << 32
        if copy < 0 or number != numbers[copy]:
            keys[i] = -2 - copy
        else:
            port, follower = np.int64(data[offsets[i] + at[1]]), np.int64(data[offsets[i] + at[2]])
            keys[i] = (copy << 16) | (port << 8) | follower
    return keys


@kernel
def copy_fields(data, source, out, target, plan):
    """Copy the fields of one event, bytes reversed; ``plan [fields, 3]``: place there, place here, bytes."""
    for k in range(plan.shape[0]):
        there = source + plan[k, 0]
        here = target + plan[k, 1]
        size = plan[k, 2]
        if size == 4:
            out[here] = data[there + 3]
            out[here + 1] = data[there + 2]
            out[here + 2] = data[there + 1]
            out[here + 3] = data[there]
        elif size == 2:
            out[here] = data[there + 1]
            out[here + 1] = data[there]
        else:
            out[here] = data[there]


@entry_point
def scatter(data, offsets, targets, plan, out, present):
    """Copy fields of events into records.

    Args:
        data: the file, ``[bytes] uint8``.
        offsets: ``[N]`` byte offsets of the events.
        targets: ``[N]`` byte offsets of their records in ``out``, -1 for events to leave out.
        plan: ``[fields, 3] int64``: where a field is in the event, where in the record, how many bytes.
        out: the records, ``[bytes] uint8``.
        present: where in the record the byte is that is set to 1.
    """
    for i in range(offsets.shape[0]):
        if targets[i] >= 0:
            out[targets[i] + present] = 1
            copy_fields(data, offsets[i], out, targets[i], plan)


@entry_point
def scatter_halves(data, offsets, keys, row_of, place_of, plan, out, present, bit):
    """Copy fields of half-frames into the frames ``out [T, bytes of a frame]``.

    Args:
        data: the file, ``[bytes] uint8``.
        offsets: ``[N]`` byte offsets of the events.
        keys: ``[N]`` from :func:`key_halves`.
        row_of: ``[C]`` which frame a copy becomes, -1 for none.
        place_of: ``[256, 256]`` where in a frame the fighter of a port (leader, follower) is, -1 for none.
        plan: ``[fields, 3] int64``: where a field is in the event, where in the fighter, how many bytes.
        out: the frames.
        present: where in a fighter the byte is in which ``bit`` is set.
        bit: says that this kind of half was there.
    """
    for i in range(offsets.shape[0]):
        if keys[i] < 0:
            continue
        row = row_of[keys[i] >> 16]
        place = place_of[(keys[i] >> 8) & 255, keys[i] & 255]
        if row >= 0 and place >= 0:
            out[row, place + present] |= bit
            copy_fields(data, offsets[i], out[row], place, plan)


@entry_point
def finish_fighters(out, places, present, complete, flags, mask, hitstun):
    """Turn the bits of the halves into ``present`` 0 or 1, and clear hitstun where its flag says it is none.

    Args:
        out: the frames, ``[T, bytes of a frame] uint8``.
        places: where in a frame the fighters are.
        present: where in a fighter the bits of its halves are.
        complete: those bits when all halves were there.
        flags: where the byte is whose bits ``mask`` say that there is hitstun.
        mask: see ``flags``.
        hitstun: where the four bytes of hitstun are.
    """
    for row in range(out.shape[0]):
        for place in places:
            out[row, place + present] = out[row, place + present] == complete
            if out[row, place + flags] & mask == 0:
                out[row, place + hitstun : place + hitstun + 4] = 0
