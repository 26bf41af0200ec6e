"""pyarrow, which comes with an extra."""

from __future__ import annotations

from typing import Any

from melee_env.errors import MissingExtra


def import_arrow() -> Any:
    """Return the module ``pyarrow``.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("pyarrow", "replays") from error
    return pyarrow
