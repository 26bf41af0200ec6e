"""Settings that several trainers share. One field, one line of meaning; nothing here imports a learning library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LossConfig:
    """How the heads' losses are shaped and summed. The defaults are the plain negative log-likelihood."""

    button_weight: float = 1.0
    """factor of the buttons' summed loss against the sticks'"""
    button_pos_weight: str | float = 1.0
    """factor of the frames on which a button is pressed; "auto" takes sqrt((1-r)/r) of its press rate r"""
    focal_gamma: float = 0.0
    """focal exponent of every head, 0 for none"""
    label_smoothing: float = 0.0
    """share of the target spread over the other choices, categorical heads only"""
    stick_edge_weight: float = 1.0
    """weight of a full tilt of the main stick against neutral"""
    neutral_weight: float = 1.0
    """weight of frames on which buttons and main stick rest"""
    transition_weight: float = 1.0
    """lowest weight of frames on which the action changes"""
    entropy_weight: float = 0.0
    """factor of the entropy bonus"""
    head_normalize: bool = False
    """divide each head's loss by its own size"""


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """The network that a trainer builds."""

    network: str = "gru"
    """backbone by name: gru, lstm, mamba, attention, … or an installed one (agents.networks.backbone)"""
    hidden_size: int | None = None
    """width of the backbone, null for its own default"""
    num_layers: int | None = None
    """layers of the backbone, null for its own default"""
    dropout: float = 0.2
    """dropout inside the backbone, 0..1"""
    previous_action: bool = False
    """the action of the previous frame is an input too"""
    heads: str = "independent"
    """independent, or autoregressive: buttons, then main stick, C-stick and shoulder, each given those before"""


@dataclass(frozen=True, kw_only=True)
class OptimiserConfig:
    """AdamW with warm-up, a schedule over the whole run, and clipping."""

    learning_rate: float = 1e-3
    """peak learning rate"""
    weight_decay: float = 1e-2
    """decoupled weight decay of the matrices"""
    warmup_steps: int = 50
    """updates until the peak is reached, at most a tenth of the run"""
    schedule: str = "cosine"
    """constant; cosine: down to 5 % of the peak at the end of the run; or cosine_restarts: again and again"""
    restart_period: int = 1000
    """updates of the first descent of cosine_restarts"""
    restart_mult: float = 2.0
    """how many times as long as the one before each further descent is"""
    clip_norm: float = 1.0
    """gradients are scaled down to this norm"""
