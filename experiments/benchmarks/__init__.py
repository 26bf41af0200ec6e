"""How fast things are: engine, environments, policies, data.

Every figure is the median of repeated runs with its spread; compilation and warm-up are not counted, and the
caller adds the machine.
"""
