"""Rewards as sums of named terms. ``make_reward("damage+stock")`` parses a preset."""

from melee_env.rewards.terms import TERMS, RewardSum, RewardTerm, make_reward

__all__ = ["TERMS", "RewardSum", "RewardTerm", "make_reward"]
