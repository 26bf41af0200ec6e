"""K59: scheduled sampling with p = 0 is teacher forcing, bit for bit; with p = 1 it is the free run."""

from pathlib import Path
from typing import Any

import pytest
import torch

import agents
from agents.bc.lanes import Window
from agents.networks.backbone import backbone_names
from agents.networks.policy import NetworkConfig, Policy
from agents.scheduled_sampling.config import ScheduledSamplingConfig
from agents.scheduled_sampling.feedback import ScheduledSampling
from agents.testing import toy_trajectories
from melee_env.errors import OptionError
from melee_env.observations import make_encoder

TINY: dict[str, Any] = {"hidden_size": 16, "batch_size": 4, "window": 16, "warmup_steps": 2, "epochs": 3}
LANES, LENGTH = 3, 12


def window() -> Window:
    """Noise with games that start inside the window; the demonstrated actions are those of no network."""
    generator = torch.Generator().manual_seed(1)
    actions = torch.randint(0, 2, (LANES, LENGTH, 13), generator=generator)
    start = torch.zeros(LANES, LENGTH, dtype=torch.bool)
    start[:, 0] = start[1, 7] = True
    return Window(
        torch.randn(LANES, LENGTH, 6, generator=generator),
        actions,
        start,
        actions.roll(1, 1),
        torch.ones(LANES, LENGTH, dtype=torch.bool),
        first=True,
    )


def policy(network: str = "gru") -> Policy:
    torch.manual_seed(0)
    made = Policy(
        NetworkConfig(
            network=network,
            observation_size=6,
            nvec=(2,) * 8 + (17,) * 4 + (5,),
            hidden_size=32,
            previous_action=True,
        )
    )
    with torch.no_grad():
        made.heads.linear.weight.mul_(20)  # its own actions differ from frame to frame and with the input
    return made.train()


def free_run(network: Policy, data: Window) -> torch.Tensor:
    """What a policy that plays frame by frame is fed: ``[B, T, heads]``."""
    state, previous, fed = network.initial_state(LANES), data.previous_actions[:, 0], []
    network.eval()
    with torch.no_grad():
        for t in range(LENGTH):
            fed.append(previous)
            distribution, state = network.step(
                data.observations[:, t], state, data.episode_start[:, t], previous
            )
            previous = distribution.mode()
    network.train()
    return torch.stack(fed, 1)


@pytest.mark.parametrize("network", backbone_names())
def test_k59_p_one_is_the_free_run(network: str) -> None:
    data, made = window(), policy(network)
    sampling = ScheduledSampling(
        ScheduledSamplingConfig(sampling_probability=1.0, ramp_epochs=1, max_passes=LENGTH)
    )
    fed = sampling(made, data, None, data.episode_start, epoch=2)
    expected = free_run(made, data)
    assert torch.equal(fed, expected)
    assert not torch.equal(expected, data.previous_actions)
    assert made.training


def test_k59_the_free_run_goes_on_over_windows() -> None:
    data, made = window(), policy()
    sampling = ScheduledSampling(
        ScheduledSamplingConfig(sampling_probability=1.0, ramp_epochs=1, max_passes=LENGTH)
    )
    halves, state = [], None
    for part in (slice(0, 5), slice(5, LENGTH)):
        half = Window(*(getattr(data, name)[:, part] for name in list(vars(data))[:5]), first=part.start == 0)
        halves.append(sampling(made, half, state, half.episode_start, epoch=2))
        with torch.no_grad():
            _, state = made.eval()(half.observations, state, half.episode_start, halves[-1])
    assert torch.equal(torch.cat(halves, 1), free_run(made, data))


def test_k59_the_share_of_own_actions_is_p() -> None:
    data, made = window(), policy()
    config = ScheduledSamplingConfig(sampling_probability=0.5, ramp_epochs=1, max_passes=1)
    torch.manual_seed(3)
    changed = [
        (ScheduledSampling(config)(made, data, None, data.episode_start, 2) != data.previous_actions).any(-1)
        for _ in range(40)
    ]
    assert 0.4 < float(torch.stack(changed)[:, :, 1:].float().mean()) < 0.6  # every own action differs here


def test_k59_the_ramp_is_linear_from_zero() -> None:
    sampling = ScheduledSampling(ScheduledSamplingConfig(sampling_probability=0.4, ramp_epochs=4))
    shares = [sampling.probability(epoch) for epoch in range(1, 8)]
    assert shares == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.4, 0.4])


def test_k59_p_zero_is_teacher_forcing_bit_for_bit(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    games = toy_trajectories(observation_size=make_encoder("compact").space.shape[-1])
    agents.train("bc", demonstrations=games, out=tmp_path / "bc", previous_action=True, **TINY)
    agents.train(
        "scheduled_sampling", demonstrations=games, out=tmp_path / "ss", sampling_probability=0.0, **TINY
    )
    agents.train("scheduled_sampling", demonstrations=games, out=tmp_path / "half", ramp_epochs=1, **TINY)
    weights = [(tmp_path / name / "training.safetensors") for name in ("bc", "ss", "half")]
    from agents.checkpoint import load_tensors

    forced, zero, half = (load_tensors(file)[0] for file in weights)
    assert all(torch.equal(forced[key], zero[key]) for key in forced)
    assert any(not torch.equal(forced[key], half[key]) for key in forced)
    assert agents.load(tmp_path / "ss").name == "scheduled_sampling"


def test_k59_losses_have_their_own_name(tmp_path: Path) -> None:
    games = toy_trajectories(observation_size=make_encoder("compact").space.shape[-1])
    agent = agents.train("scheduled_sampling", demonstrations=games, out=tmp_path / "ss", **TINY)
    entry = agent.meta["history"][-1]  # type: ignore[attr-defined]
    assert "fed_back_train_loss" in entry and "train_loss" not in entry


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(OptionError, match="previous_action"):
        ScheduledSampling(ScheduledSamplingConfig(previous_action=False))
    with pytest.raises(OptionError, match="sampling_probability"):
        ScheduledSampling(ScheduledSamplingConfig(sampling_probability=1.5))
