"""Observations: frames of the shared schema as vectors. ``make_encoder(name)`` gives an encoder."""

from __future__ import annotations

from functools import cache

from melee_env.observations.encoder import ObservationEncoder, controller_history
from melee_env.observations.exphil import ExphilEncoder
from melee_env.observations.presets import PRESETS, Switches, build

__all__ = ["ObservationEncoder", "Switches", "controller_history", "encoder_names", "make_encoder"]


def encoder_names() -> list[str]:
    """Return the presets that :func:`make_encoder` knows."""
    return sorted([*PRESETS, "exphil"])


@cache
def make_encoder(name: str) -> ObservationEncoder:
    """Return the encoder called ``name`` (encoders hold no state, so it is always the same one).

    ``"preset:switch=value,…"`` changes a preset, see :class:`~melee_env.observations.presets.Switches`.

    Raises:
        OptionError: an unknown name or switch, or an impossible value.

    >>> make_encoder("compact:items=0").size < make_encoder("compact").size
    True
    """
    return ExphilEncoder(name) if str(name).partition(":")[0] == "exphil" else build(name)
