"""Fills a template of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from melee_env.errors import MissingExtra


def render(name: str, **values: Any) -> str:
    """Return the page of a template; a value that it needs and does not get is an error.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise MissingExtra("jinja2", "dashboard") from None
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name).render(**values)
