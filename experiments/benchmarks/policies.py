"""Latency of one frame through a policy network, by backbone and batch size."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from melee_env.actions import make_codec
from melee_env.observations import make_encoder

BATCHES = (1, 32)
WARM_UP = 20


def bench_policies(
    *, steps: int = 300, seed: int = 0, observation: str = "compact", action: str = "multidiscrete"
) -> dict[str, Any]:
    """Time ``Policy.step`` on one thread, observation in, action out.

    Returns:
        ``rows`` with ``backbone``, ``params``, ``batch``, ``median_ms``, ``p99_ms``.
    """
    import torch

    from agents.networks.backbone import backbone_names
    from agents.networks.policy import NetworkConfig, Policy

    size = int(np.prod(make_encoder(observation).space.shape))
    space: Any = make_codec(action).space
    nvec = tuple(int(n) for n in space.nvec)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    rows = []
    try:
        for name in backbone_names():
            torch.manual_seed(seed)
            policy = Policy(NetworkConfig(network=name, observation_size=size, nvec=nvec)).eval()
            params = sum(parameter.numel() for parameter in policy.parameters())
            for batch in BATCHES:
                milliseconds = _time_steps(policy, torch.randn(batch, size), steps)
                rows.append(
                    {
                        "backbone": name,
                        "params": params,
                        "batch": batch,
                        "median_ms": float(np.median(milliseconds)),
                        "p99_ms": float(np.percentile(milliseconds, 99)),
                    }
                )
    finally:
        torch.set_num_threads(threads)
    return {"rows": rows, "steps": steps, "seed": seed, "observation": observation, "threads": 1}


def _time_steps(policy: Any, observations: Any, steps: int) -> list[float]:
    import torch

    milliseconds = []
    with torch.inference_mode():
        state = policy.initial_state(len(observations))
        for number in range(WARM_UP + steps):
            began = time.perf_counter()
            distribution, state = policy.step(observations, state)
            distribution.sample()
            if number >= WARM_UP:
                milliseconds.append(1000 * (time.perf_counter() - began))
    return milliseconds
