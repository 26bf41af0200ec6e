"""Checks for users' own environments, opponents and agents: run them in your tests.

Each check plays a little and raises ``AssertionError`` with a sentence about the rule that was broken.
"""

from melee_env.testing.environments import check_env, rollout_digest
from melee_env.testing.opponents import check_opponent, legal_controllers, sample_frames
from melee_env.testing.vectors import check_vector_env

__all__ = [
    "check_env",
    "check_opponent",
    "check_vector_env",
    "legal_controllers",
    "rollout_digest",
    "sample_frames",
]
