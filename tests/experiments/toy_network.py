"""A small network with random weights, for tests that need no training."""

from typing import Any

import torch

from agents.network_agent import NetworkAgent
from agents.networks.policy import NetworkConfig, Policy
from melee_env.actions import make_codec
from melee_env.observations import make_encoder


def toy_network(seed: int = 0, delay: int = 0, observation: str = "compact") -> NetworkAgent:
    encoder, codec = make_encoder(observation), make_codec("multidiscrete")
    torch.manual_seed(seed)
    nvec = tuple(int(n) for n in codec.space.nvec)  # type: ignore[attr-defined]
    network = NetworkConfig("gru", encoder.size, nvec, hidden_size=8, previous_action=True)
    meta: dict[str, Any] = {
        "agent": "bc",
        "observation": {"name": encoder.name, "schema_hash": encoder.schema_hash},
        "action": {"name": codec.name, "nvec": list(nvec)},
        "network": network.to_json(),
        "action_delay": delay,
        "play": {"deterministic": True},
    }
    policy = Policy(network)
    for weights in policy.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return NetworkAgent(policy, meta)
