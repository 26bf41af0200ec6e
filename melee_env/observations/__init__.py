"""Observations: frames of the shared schema as vectors. ``make_encoder(name)`` gives an encoder."""

from __future__ import annotations

import difflib
from functools import cache

from melee_env.errors import OptionError
from melee_env.observations.encoder import ObservationEncoder, compact, full

__all__ = ["ObservationEncoder", "encoder_names", "make_encoder"]

_PRESETS = {"compact": compact, "full": full}


def encoder_names() -> list[str]:
    """Return the names that :func:`make_encoder` knows."""
    return sorted(_PRESETS)


@cache
def make_encoder(name: str) -> ObservationEncoder:
    """Return the encoder called ``name`` (encoders hold no state, so it is always the same one).

    Raises:
        OptionError: unknown name.
    """
    if name not in _PRESETS:
        near = difflib.get_close_matches(str(name), _PRESETS, n=1) or encoder_names()
        raise OptionError(f"unknown observation {name!r}; did you mean {', '.join(near)}?")
    return _PRESETS[name]()
