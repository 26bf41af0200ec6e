"""Settings of DAgger, and of every trainer that plays under an expert."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agents.settings import LossConfig, NetworkSettings, OptimiserConfig


@dataclass(frozen=True, kw_only=True)
class ExpertRoundsConfig(NetworkSettings, LossConfig, OptimiserConfig):
    """Rounds of playing, labelling by an expert, and imitating all labels so far."""

    env: str = "melee_env/Multishine-v0"
    """environment id"""
    env_options: dict[str, Any] = field(default_factory=dict)
    """options of the environment (``opponent``, ``stage``, …)"""
    expert: str = "teacher:multishine"
    """who labels: an agent by name, or a checkpoint folder"""
    observation: str = "compact"
    """observation encoder by name"""
    action: str = "multidiscrete"
    """action codec by name"""
    seed: int = 0
    """fixes initialisation, games, mixing and order of the data"""
    rounds: int = 6
    """rounds of playing and imitating, at most"""
    num_envs: int = 8
    """games that run side by side; a round plays one episode of each"""
    updates_per_round: int = 200
    """gradient steps on all labels so far, every round"""
    batch_size: int = 16
    """lanes: sequences that advance together"""
    learning_rate: float = 2e-3
    """peak learning rate"""
    window: int = 64
    """frames that gradients flow back through; the state is carried on"""
    hidden_size: int = 64
    """width of the backbone"""
    previous_action: bool = True
    """the action that was played on the previous frame is an input too"""
    previous_action_dropout: float = 0.0
    """share of frames on which the previous-action input is hidden in training, 0..1"""
    dropout: float = 0.0
    """dropout inside the backbone, 0..1"""
    deterministic: bool = True
    """how the trained agent plays: the most likely action instead of a sample; rollouts always sample"""


@dataclass(frozen=True, kw_only=True)
class DAggerConfig(ExpertRoundsConfig):
    """Dataset aggregation: the policy plays, more and more often, and the expert labels what was visited."""

    stop_at_agreement: float = 0.9
    """stop after a round in which the policy played alone and did, sampled, what the expert would have done on this
    share of the frames; above 1 for never"""
    beta: str = "linear"
    """share of the frames on which the expert plays: linear, from 1 to 0, or exponential, a power of the round"""
    beta_rounds: int = 1
    """linear: round from which the policy plays alone"""
    beta_decay: float = 0.5
    """exponential: the share falls to this in every round"""
