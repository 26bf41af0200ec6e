"""The engine against recorded games: one step at a time, and running free."""
