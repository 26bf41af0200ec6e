"""The policy: window equals steps, the previous action, normalisation."""

import pytest
import torch

from agents.networks.backbone import make_backbone
from agents.networks.policy import NetworkConfig, Policy, scale_actions
from melee_env.errors import OptionError

NVEC = (2,) * 8 + (17,) * 4 + (5,)


def make(**options: object) -> Policy:
    torch.manual_seed(0)
    return Policy(NetworkConfig(observation_size=6, nvec=NVEC, hidden_size=16, **options)).eval()  # type: ignore[arg-type]


@pytest.mark.parametrize("network", ["gru", "mlp"])
@pytest.mark.parametrize("previous_action", [False, True])
def test_window_equals_steps(network: str, previous_action: bool) -> None:
    policy = make(network=network, previous_action=previous_action)
    x, before = torch.randn(2, 7, 6), torch.randint(0, 2, (2, 7, 13))
    start = torch.zeros(2, 7, dtype=torch.bool)
    start[:, 0] = start[1, 3] = True
    with torch.no_grad():
        window, _ = policy(x, None, start, before)
        state = policy.initial_state(2)
        for t in range(7):
            step, state = policy.step(x[:, t], state, start[:, t], before[:, t])
            for ours, theirs in zip(step.logits, window.logits, strict=True):
                torch.testing.assert_close(ours, theirs[:, t], rtol=0, atol=1e-5)


def test_previous_action_is_blank_where_a_game_starts() -> None:
    policy = make(previous_action=True)
    x, start = torch.randn(1, 1, 6), torch.ones(1, 1, dtype=torch.bool)
    one, _ = policy(x, None, start, torch.zeros(1, 1, 13, dtype=torch.int64))
    other, _ = policy(x, None, start, torch.ones(1, 1, 13, dtype=torch.int64))
    torch.testing.assert_close(one.logits[0], other.logits[0])


def test_previous_action_is_required_where_it_is_an_input() -> None:
    with pytest.raises(ValueError, match="previous_actions"):
        make(previous_action=True)(torch.zeros(1, 1, 6))


def test_actions_are_scaled_to_the_unit_interval() -> None:
    assert scale_actions(torch.tensor([0, 1, 0, 8, 16, 4]), (2, 2, 17, 17, 17, 5)).tolist() == [
        -1,
        1,
        -1,
        0,
        1,
        1,
    ]


def test_normaliser_centres_and_does_not_blow_up_constants() -> None:
    policy = make()
    x = torch.randn(5000, 6) * 3 + 7
    x[:, 5] = 2.0
    policy.normaliser.fit(x)
    y = policy.normaliser(x)
    torch.testing.assert_close(y.mean(0), torch.zeros(6), rtol=0, atol=1e-3)
    torch.testing.assert_close(y[:, :5].std(0), torch.ones(5), rtol=0, atol=1e-2)
    assert policy.normaliser(x + 0.01)[:, 5].abs().max() < 1


def test_config_survives_json() -> None:
    config = make(network="mlp", value=True).config
    assert NetworkConfig.from_json(config.to_json()) == config


def test_unknown_network_lists_the_known() -> None:
    with pytest.raises(OptionError, match="gru, h3, jamba"):
        make_backbone("grue", 4)
