"""Environments over any backend: Versus, drills, vectors, self-play. Importing registers the ids."""
