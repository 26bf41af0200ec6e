"""Agents that play on the emulator: pacing, latency, traces.

What lives here: everything of ``melee-env play --backend dolphin``. What does not: the emulator itself, which is
``melee_env.backends.dolphin``.
"""
