"""Agents as plug-ins: the protocol, networks, losses, trainers, and one folder per plug-in.

``agents.make("scripted:fighter-5")``, ``agents.load("runs/bc_fox")``, ``agents.train("bc", …)``. Importing this
package imports no learning library; what needs one imports it when it is asked for.
"""

from agents.base import Agent, AgentSpec
from agents.registry import load, make, names, spec, specs, train

__all__ = ["Agent", "AgentSpec", "load", "make", "names", "spec", "specs", "train"]
