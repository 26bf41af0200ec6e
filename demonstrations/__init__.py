"""Recorded games: readers, the columnar store, trajectories and statistics."""
