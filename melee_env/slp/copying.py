"""The loops that touch every event of a file, compiled: find the events, gather a field, scatter records.

Everything works on bytes. Slippi is big-endian and frames are little-endian, so a field is copied backwards.
"""

# Kernels are typed by their callers.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from melee_env.engine.kernel import entry_point


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
def scatter(data, offsets, targets, plan, out, present, bit):
    """Copy fields of events into records.

    Args:
        data: the file, ``[bytes] uint8``.
        offsets: ``[N]`` byte offsets of the events.
        targets: ``[N]`` byte offsets of their records in ``out``, -1 for events to leave out.
        plan: ``[fields, 3] int64``: where a field is in the event, where in the record, how many bytes.
        out: the records, ``[bytes] uint8``.
        present: where in the record the byte is in which ``bit`` is set.
        bit: says that this kind of event was there.
    """
    for i in range(offsets.shape[0]):
        if targets[i] < 0:
            continue
        out[targets[i] + present] |= bit
        for k in range(plan.shape[0]):
            source = offsets[i] + plan[k, 0]
            target = targets[i] + plan[k, 1]
            size = plan[k, 2]
            if size == 4:
                out[target] = data[source + 3]
                out[target + 1] = data[source + 2]
                out[target + 2] = data[source + 1]
                out[target + 3] = data[source]
            elif size == 2:
                out[target] = data[source + 1]
                out[target + 1] = data[source]
            else:
                out[target] = data[source]
