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
        # Unsigned (no index from the end) and all loads before the stores: the compiler moves the bytes together.
        there = np.uint64(source + plan[k, 0])
        here = np.uint64(target + plan[k, 1])
        size = plan[k, 2]
        if size == 4:
            first, second = data[there], data[there + np.uint64(1)]
            third, fourth = data[there + np.uint64(2)], data[there + np.uint64(3)]
            out[here], out[here + np.uint64(1)] = fourth, third
            out[here + np.uint64(2)], out[here + np.uint64(3)] = second, first
        elif size == 2:
            first, second = data[there], data[there + np.uint64(1)]
            out[here], out[here + np.uint64(1)] = second, first
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


@kernel
def scatter_half(data, half, at, copy, frame, place_of, present, bit):
    """Copy the fields of one kind of half-frame of one copy; return the index behind its last event.

    Args:
        data: the file, ``[bytes] uint8``.
        half: the kind's ``offsets [N]``, ``keys [N]`` (see :func:`key_halves`) and ``plan [fields, 3]``.
        at: index of the copy's first event.
        copy: the copy.
        frame: one frame, ``[bytes] uint8``.
        place_of: ``[256, 256]`` where in a frame the fighter of a port (leader, follower) is, -1 for none.
        present: where in a fighter the byte is in which ``bit`` is set.
        bit: says that this kind of half was there.
    """
    offsets, keys, plan = half
    while at < offsets.shape[0] and keys[at] >> 16 <= copy:
        if keys[at] >= 0:  # else it belongs to no fighter
            place = place_of[(keys[at] >> 8) & 255, keys[at] & 255]
            if place >= 0:
                frame[place + present] |= bit
                copy_fields(data, offsets[at], frame, place, plan)
        at += 1
    return at


@entry_point
def build_frames(data, halves, row_of, place_of, places, heads, ports, out, layout):
    """Fill the frames ``out [T, bytes of a frame] uint8``, but for their items, which are zeroed.

    Every frame is put together in one small array that stays in the processor's cache.

    Args:
        data: the file, ``[bytes] uint8``.
        halves: of the pre-frame and of the post-frame events ``offsets``, ``keys`` and ``plan`` (see
            :func:`scatter_half`).
        row_of: ``[C]`` which frame a copy becomes, -1 for none.
        place_of: ``[256, 256]`` where in a frame the fighter of a port (leader, follower) is, -1 for none.
        places: where in a frame the fighters are.
        heads: ``[T, bytes] uint8``: what a frame begins with.
        ports: ``[4, 2]``: place and value of the bytes that say each seat's port and kind.
        out: the frames; every row is that of one copy.
        layout: where in a fighter are ``present``, the byte of the flags that says whether there is hitstun, and
            hitstun; the mask of that byte; the bits of ``present`` when all halves are there.
    """
    present, flags, hitstun, mask, complete = layout
    before, after = halves
    frame = np.zeros(out.shape[1], np.uint8)
    i = j = 0
    for copy in range(row_of.shape[0]):
        frame.fill(0)
        i = scatter_half(data, before, i, copy, frame, place_of, present, np.uint8(1))
        j = scatter_half(data, after, j, copy, frame, place_of, present, np.uint8(2))
        row = row_of[copy]
        if row < 0:
            continue
        frame[: heads.shape[1]] = heads[row]
        for k in range(ports.shape[0]):
            frame[ports[k, 0]] = ports[k, 1]
        for place in places:
            frame[place + present] = frame[place + present] == complete
            if frame[place + flags] & mask == 0:
                frame[place + hitstun : place + hitstun + 4] = 0
        target = out[row]
        for k in range(frame.shape[0]):
            target[k] = frame[k]
