"""Settings of proximal policy optimisation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class PPOConfig:
    """Proximal policy optimisation over ``melee_env.sb3.make_vec``."""

    env: str = "melee_env/Versus-v0"
    """environment id"""
    env_options: dict[str, Any] = field(default_factory=dict)
    """options of the environment (``opponent``, ``character``, …)"""
    observation: str = "compact"
    """observation encoder by name; with ``init`` it must be the clone's"""
    action: str = "multidiscrete"
    """action codec by name; with ``init`` it must be the clone's"""
    opponents: tuple[str, ...] = ()
    """self-play: opponents by name or folder, met the more often the less they are beaten; empty for the
    environment's own opponent"""
    copy_every: int = 0
    """self-play: rollouts after which a copy of the policy joins the opponents, 0 for never"""
    init: str = ""
    """checkpoint folder of a cloned network to continue; empty for a fresh one"""
    kl_coef: float = 0.0
    """pull towards the policy of ``init``: factor of KL(policy ‖ init) in the loss"""
    seed: int = 0
    """fixes initialisation, games and samples"""
    total_steps: int = 500_000
    """environment steps, all games together"""
    num_envs: int = 32
    """games that run side by side"""
    rollout_steps: int = 64
    """steps of each game between two updates"""
    batch_size: int = 512
    """steps per minibatch"""
    epochs: int = 4
    """passes over each rollout"""
    learning_rate: float = 3e-4
    """constant learning rate"""
    gamma: float = 0.99
    """discount per step"""
    gae_lambda: float = 0.95
    """λ of the advantage estimate"""
    clip_range: float = 0.2
    """clip of the probability ratio"""
    entropy_coef: float = 0.01
    """factor of the entropy bonus"""
    value_coef: float = 0.5
    """factor of the value loss"""
    clip_range_value: float = 0.0
    """clip of the change of a value, 0 for none"""
    clip_norm: float = 0.5
    """gradients are scaled down to this norm"""
    network: str = "mlp"
    """backbone of a fresh network by name"""
    previous_action: bool = False
    """the action of the previous frame is an input of a fresh network too"""
    heads: str = "independent"
    """independent, or autoregressive: buttons, then main stick, C-stick and shoulder, each given those before"""
    window: int = 16
    """frames that gradients flow back through in a network with a memory; divides rollout_steps"""
    hidden_size: int = 128
    """width of a fresh network"""
    num_layers: int = 2
    """layers of a fresh network"""
    save_every: int = 20
    """rollouts between two checkpoints"""
    deterministic: bool = False
    """how the trained agent plays: the most likely action instead of a sample"""
