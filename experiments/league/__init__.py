"""Leagues: round robins between agents, and what ratings they come to."""
