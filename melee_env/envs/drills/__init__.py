"""Drills: small tasks with their own starts, rewards and ends, one folder each."""
