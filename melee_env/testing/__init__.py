"""Checks for users' own environments, wrappers, backends, opponents and agents: run them in your tests.

There is one function per rule, and one per kind of thing that runs them all. A check plays a little and raises
``AssertionError`` with the rule that was broken and what to do about it; its docstring names the rule's number.
"""

from melee_env.testing.backends import BACKEND_RULES, check_backend
from melee_env.testing.environments import ENV_RULES, check_env, rollout_digest
from melee_env.testing.opponents import OPPONENT_RULES, check_opponent, legal_controllers, sample_frames
from melee_env.testing.vectors import check_vector_env
from melee_env.testing.wrappers import WRAPPER_RULES, check_wrapper

__all__ = [
    "BACKEND_RULES",
    "ENV_RULES",
    "OPPONENT_RULES",
    "WRAPPER_RULES",
    "check_backend",
    "check_env",
    "check_opponent",
    "check_vector_env",
    "check_wrapper",
    "legal_controllers",
    "rollout_digest",
    "sample_frames",
]
