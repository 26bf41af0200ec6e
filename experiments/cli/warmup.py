"""``melee-env warmup``: compile the engine before it is needed."""

from __future__ import annotations

from pathlib import Path

from experiments.cli.console import JSON_OPTION, save_json, say


def warmup(json: Path = JSON_OPTION) -> None:
    """Compile the engine into the cache; later runs load it from there."""
    from melee_env.engine.engine import compiled, warm_up
    from melee_env.engine.kernel import cache_folder

    cached = compiled()
    seconds = warm_up()
    save_json(json, {"seconds": seconds, "was_compiled": cached, "cache": cache_folder()})
    say(
        f"engine {'loaded from' if cached else 'compiled into'} the cache in {seconds:.1f} s: {cache_folder()}"
    )
