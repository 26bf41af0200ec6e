"""The command line ``melee-env``: one file per command, each importing what it needs when it runs.

``--help`` of a command therefore loads no learning library and no engine.
"""

from experiments.cli.app import app, main

__all__ = ["app", "main"]
