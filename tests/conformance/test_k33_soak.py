"""K33: long runs and many environments leave neither memory nor file handles behind."""

from __future__ import annotations

import json
import subprocess
import sys

SOAK = """
import json
from experiments.benchmarks.soak import soak_environments
print(json.dumps(soak_environments(steps=1_000_000, single_steps=5_000, cycles=200)))
"""


def test_k33_a_million_steps_and_many_environments_leave_nothing() -> None:
    """In a process of its own; `melee-env bench soak` does the same with ten thousand environments.

    The rule allows 10 MB for a million steps of one game. Here 64 games share a step, so that a leak per step is
    smaller, and so is the limit.
    """
    done = subprocess.run([sys.executable, "-c", SOAK], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["memory_growth_mb"] < 2, found
    assert found["handles_growth"] == 0, found
