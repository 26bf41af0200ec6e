"""The embedded engine: Melee's rules over N games in structured arrays, compiled by Numba.

``step.py`` is the frame order; every phase is a file named after the game's own step; figures live in
``data/``. Nothing here knows of environments, files or agents.
"""
