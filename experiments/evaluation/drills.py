"""Drills: what an agent achieves at one technique, counted on the running game."""


def run_drill(): ...
