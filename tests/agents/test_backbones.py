"""Every backbone by name: it learns what needs memory, and comes back from a checkpoint in a fresh process."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from agents import checkpoint
from agents.networks.backbone import BUILT_IN, default_shape, make_backbone
from agents.networks.policy import NetworkConfig, Policy

NVEC = (2, 2, 3)
DELAY = 4


def updates_until_recall(name: str, most: int) -> int:
    """Train a small network to repeat a random bit ``DELAY`` frames late; return after how many updates it can."""
    torch.manual_seed(0)
    backbone = make_backbone(name, 1, hidden_size=32)
    head = torch.nn.Linear(32, 1)
    adam = torch.optim.Adam([*backbone.parameters(), *head.parameters()], lr=1e-2)
    for update in range(most):
        bits = torch.randint(0, 2, (16, 24)).float()
        hidden, _ = backbone(2 * bits[..., None] - 1)
        loss = F.binary_cross_entropy_with_logits(head(hidden)[:, DELAY:, 0], bits[:, :-DELAY])
        if loss.item() < 0.1:
            return update
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(backbone.parameters(), 1.0)
        adam.step()
    return most


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {"mlp"}))
def test_learns_a_delayed_recall(name: str) -> None:
    assert updates_until_recall(name, 300) < 300


def test_a_network_without_memory_cannot() -> None:
    assert updates_until_recall("mlp", 100) == 100


def test_every_backbone_comes_back_in_a_fresh_process(tmp_path: Path) -> None:
    x = torch.linspace(-1, 1, 2 * 5 * 3).view(2, 5, 3)
    expected = []
    for name in sorted(BUILT_IN):
        policy = Policy(NetworkConfig(network=name, observation_size=3, nvec=NVEC, hidden_size=16)).eval()
        checkpoint.save(
            tmp_path / name, policy.state_dict(), {"agent": "bc", "network": policy.config.to_json()}
        )
        with torch.no_grad():
            expected.append(policy(x)[0].logits[0].double().sum().item())
    program = (
        "import sys, torch\n"
        "from pathlib import Path\n"
        "from agents import checkpoint\n"
        "from agents.networks.policy import NetworkConfig, Policy\n"
        "x = torch.linspace(-1, 1, 2 * 5 * 3).view(2, 5, 3)\n"
        "for folder in sorted(Path(sys.argv[1]).iterdir()):\n"
        "    meta = checkpoint.read_meta(folder)\n"
        "    policy = Policy(NetworkConfig.from_json(meta['network'])).eval()\n"
        "    checkpoint.load_weights(folder, policy)\n"
        "    with torch.no_grad():\n"
        "        print(policy(x)[0].logits[0].double().sum().item())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert [float(line) for line in result.stdout.split()] == pytest.approx(expected, abs=1e-6)


def test_each_backbone_has_its_own_defaults() -> None:
    assert default_shape("lstm") == (256, 2)
    assert default_shape("gru") == (256, 1)
    policy = Policy(NetworkConfig(network="jamba", observation_size=3, nvec=NVEC, hidden_size=16))
    assert (policy.config.hidden_size, policy.config.num_layers) == (16, 3)
