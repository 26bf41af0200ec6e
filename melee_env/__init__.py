"""Super Smash Bros. Melee as Gymnasium and PettingZoo environments."""

__version__ = "0.1.0"
