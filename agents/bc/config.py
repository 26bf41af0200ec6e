"""Settings of behavioural cloning."""

from __future__ import annotations

from dataclasses import dataclass

from agents.settings import LossConfig, NetworkSettings, OptimiserConfig


@dataclass(frozen=True, kw_only=True)
class BCConfig(NetworkSettings, LossConfig, OptimiserConfig):
    """Behavioural cloning. The same object is the command line, the argument and the JSON in the checkpoint."""

    env: str = "melee_env/Versus-v0"
    """environment that the agent is meant for; recorded, not opened"""
    observation: str = "compact"
    """observation encoder of the demonstrations, by name"""
    action: str = "multidiscrete"
    """action codec of the demonstrations, by name"""
    characters: tuple[str, ...] = ()
    """fighters that the agent is meant to play, by name; empty for all"""
    seed: int = 0
    """fixes initialisation, split and order of the data"""
    epochs: int = 8
    """passes over the training games"""
    batch_size: int = 32
    """lanes: sequences that advance together"""
    window: int = 64
    """frames that gradients flow back through; the state is carried on"""
    validation_fraction: float = 0.15
    """share of the games kept for validation, 0..1; at least one game; 0 validates on the training games"""
    patience: int = 4
    """stop after this many epochs without a better validation loss"""
    min_delta: float = 0.0
    """by how much a validation loss must be lower to count as better for patience; the best epoch is kept anyway"""
    accumulation_steps: int = 1
    """windows whose gradients make one update"""
    ema: bool = False
    """validate and keep the running mean of the weights instead of the last ones"""
    ema_decay: float = 0.999
    """share of the running mean that stays at each update, 0..1"""
    precision: str = "float32"
    """float32, or bf16: matrix products of training in bfloat16"""
    action_oversample: float = 1.0
    """games are cut into windows, and one in which a button of press rate r is pressed is drawn min(sqrt(1/r), this)
    times as often as one without; 1 for whole games in order"""
    tensorboard: bool = False
    """also write curves into the folder tensorboard of the checkpoint"""
    previous_action_dropout: float = 0.1
    """share of frames on which the previous-action input is hidden in training, 0..1"""
    max_seconds: float = 0.0
    """stop after the epoch that exceeds this, 0 for no limit; such a run depends on the machine's speed"""
    frame_skip: int = 1
    """frames for which the demonstrations hold an action, and the trained agent too"""
    deterministic: bool = False
    """how the trained agent plays: the most likely action instead of a sample"""
    temperature: float = 1.0
    """how the trained agent samples: below 1 sharpens"""
