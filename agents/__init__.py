"""Agents as plug-ins: the protocol, networks, losses, trainers, and one folder per plug-in."""
