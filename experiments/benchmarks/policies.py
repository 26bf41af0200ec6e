"""Latency of a whole agent by backbone and batch size, and the cost of a training step beside an LSTM's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.evaluation.players import one_thread
from melee_env.actions import make_codec
from melee_env.frame import empty_frames
from melee_env.observations import make_encoder

if TYPE_CHECKING:
    from agents.network_agent import NetworkAgent
    from agents.networks.policy import Policy

BATCHES = (1, 32)
WARM_UP = 20
FRAME_MS = 1000 / 60
"""what the game leaves for a frame"""
YARDSTICK = "lstm"


def bench_policies(
    *,
    steps: int = 300,
    seed: int = 0,
    observation: str = "compact",
    action: str = "multidiscrete",
    backbones: Sequence[str] = (),
) -> dict[str, Any]:
    """Time an agent on one thread: frame → observation → network → sampled action → controller.

    Every backbone has its own default size.

    Returns:
        ``rows`` with ``backbone``, ``hidden_size``, ``num_layers``, ``params``, ``batch``, ``median_ms``,
        ``p99_ms``, ``cpu_ms`` (median of the processor's time, which a busy machine disturbs less), and
        ``frame_share``, the median's share of a frame's 16.7 ms.
    """
    from agents.networks.backbone import backbone_names

    rows = []
    with one_thread():
        for name in backbones or backbone_names():
            agent = make_untrained_agent(name, seed, observation, action)
            config = agent.policy.config
            for batch in BATCHES:
                wall, cpu = time_agent(agent, batch, steps, seed)
                rows.append(
                    {
                        "backbone": name,
                        "hidden_size": config.hidden_size,
                        "num_layers": config.num_layers,
                        "params": count_parameters(agent.policy),
                        "batch": batch,
                        "median_ms": float(np.median(wall)),
                        "p99_ms": float(np.percentile(wall, 99)),
                        "cpu_ms": float(np.median(cpu)),
                        "frame_share": float(np.median(wall)) / FRAME_MS,
                    }
                )
    return {"rows": rows, "steps": steps, "seed": seed, "observation": observation, "threads": 1}


def bench_training(
    *,
    repeats: int = 5,
    seed: int = 0,
    hidden_size: int = 256,
    num_layers: int = 2,
    batch: int = 64,
    window: int = 60,
    backbones: Sequence[str] = (),
) -> dict[str, Any]:
    """Time one update of behavioural cloning (forward, loss, backward, AdamW) on one thread, by backbone.

    The backbones take turns, ``repeats`` times; the first turn does not count.

    Returns:
        ``rows`` with ``backbone``, ``params``, ``step_ms``, ``cpu_ms`` (medians) and ``times_lstm``, how many times
        the processor's time of ``torch.nn.LSTM``'s update.
    """
    from agents.networks.backbone import backbone_names

    names = [YARDSTICK, *(name for name in backbones or backbone_names() if name != YARDSTICK)]
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    params = {}
    with one_thread():
        updates = {}
        for name in names:
            policy, updates[name] = make_update(name, seed, hidden_size, num_layers, batch, window)
            params[name] = count_parameters(policy)
        for turn in range(repeats + 1):
            for name in names:
                wall, cpu = time.perf_counter(), time.thread_time()
                updates[name]()
                if turn:
                    times[name].append((time.perf_counter() - wall, time.thread_time() - cpu))
    medians = {name: 1000 * np.median(times[name], 0) for name in names}
    rows = [
        {
            "backbone": name,
            "params": params[name],
            "step_ms": float(medians[name][0]),
            "cpu_ms": float(medians[name][1]),
            "times_lstm": float(medians[name][1] / medians[YARDSTICK][1]),
        }
        for name in names
    ]
    return {
        "rows": rows,
        "hidden_size": hidden_size,
        "num_layers": num_layers,
        "batch": batch,
        "window": window,
        "repeats": repeats,
        "seed": seed,
        "threads": 1,
    }


def make_untrained_agent(
    name: str, seed: int, observation: str = "compact", action: str = "multidiscrete"
) -> NetworkAgent:
    """Return an agent whose network has its first weights."""
    import torch

    from agents.network_agent import NetworkAgent
    from agents.networks.policy import NetworkConfig, Policy

    encoder, space = make_encoder(observation), make_codec(action).space
    assert encoder.space.shape is not None
    nvec = tuple(int(n) for n in getattr(space, "nvec", ()))
    torch.manual_seed(seed)
    policy = Policy(NetworkConfig(network=name, observation_size=encoder.space.shape[-1], nvec=nvec))
    meta = {
        "agent": "bc",
        "observation": {"name": observation, "schema_hash": encoder.schema_hash},
        "action": {"name": action},
    }
    return NetworkAgent(policy, meta)


def time_agent(agent: NetworkAgent, batch: int, steps: int, seed: int) -> tuple[list[float], list[float]]:
    """Return wall and processor milliseconds of each of ``steps`` frames in ``batch`` games."""
    frames = empty_frames(batch)
    agent.reset(batch, seed)
    wall, cpu = [], []
    for number in range(WARM_UP + steps):
        begin_wall, begin_cpu = time.perf_counter(), time.thread_time()
        agent.act(frames)
        if number >= WARM_UP:
            wall.append(1000 * (time.perf_counter() - begin_wall))
            cpu.append(1000 * (time.thread_time() - begin_cpu))
    return wall, cpu


def make_update(
    name: str, seed: int, hidden_size: int, num_layers: int, batch: int, window: int
) -> tuple[Policy, Any]:
    """Return a policy and a function that updates it once on random frames."""
    import torch

    from agents.networks.policy import NetworkConfig, Policy
    from agents.optimiser import Optimiser
    from agents.settings import OptimiserConfig

    size = int(np.prod(make_encoder("compact").space.shape))
    space: Any = make_codec("multidiscrete").space
    nvec = tuple(int(n) for n in space.nvec)
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    policy = Policy(
        NetworkConfig(
            network=name,
            observation_size=size,
            nvec=nvec,
            hidden_size=hidden_size,
            num_layers=num_layers,
        )
    )
    optimiser = Optimiser(policy, OptimiserConfig(), total_steps=100)
    x = torch.randn(batch, window, size, generator=generator)
    actions = torch.stack([torch.randint(n, (batch, window), generator=generator) for n in nvec], -1)

    def update() -> None:
        distribution, _ = policy(x)
        optimiser.update(-distribution.log_prob(actions).mean())

    return policy, update


def count_parameters(policy: Policy) -> int:
    """Return how many numbers are trained."""
    return sum(parameter.numel() for parameter in policy.parameters())
