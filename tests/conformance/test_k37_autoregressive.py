"""K37: autoregressive heads by brute force: probabilities, entropy, KL, samples; each head sees those before it."""

import itertools

import pytest
import torch
from torch import Tensor

from agents.networks import autoregressive
from agents.networks.autoregressive import AutoregressiveDistribution, AutoregressiveHeads
from agents.networks.heads import IndependentHeads
from agents.networks.policy import NetworkConfig, Policy

SMALL = (2, 2, 3, 3, 4)
EVERY = torch.tensor(list(itertools.product(*(range(n) for n in SMALL))))


def make(seed: int = 0) -> tuple[AutoregressiveHeads, Tensor]:
    torch.manual_seed(seed)
    heads = AutoregressiveHeads(6, SMALL).double()
    for parameter in heads.parameters():  # far from uniform, so that every conditional differs
        torch.nn.init.normal_(parameter)
    return heads, torch.randn(2, 6, dtype=torch.float64)


def by_hand(heads: AutoregressiveHeads, hidden: Tensor, action: Tensor) -> Tensor:
    """The product of conditionals, one head after the other."""
    z, log_p, first = hidden, torch.zeros(()), 0
    for k, size in enumerate((2, 1, 1, 1)):
        logits = heads.logits[k](torch.nn.functional.silu(z)).float()
        chosen = action[first : first + size]
        if k == 0:
            log_p = log_p + torch.where(chosen == 1, logits.sigmoid(), 1 - logits.sigmoid()).log().sum()
            code = chosen.double()
        else:
            log_p = log_p + logits.log_softmax(-1)[chosen[0]]
            code = torch.eye(len(logits), dtype=torch.float64)[chosen[0]]
        if k < 3:
            z = z + heads.embeddings[k](code)
        first += size
    return log_p


def test_k37_log_prob_is_the_sum_of_conditionals_and_sums_to_one() -> None:
    heads, hidden = make()
    log_p = heads(hidden[0]).log_prob(EVERY)
    torch.testing.assert_close(
        log_p[::7], torch.stack([by_hand(heads, hidden[0], action) for action in EVERY[::7]])
    )
    assert log_p.exp().sum().item() == pytest.approx(1.0, abs=1e-5)


def test_k37_entropy_and_kl_are_sums_over_all_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    heads, hidden = make()
    other = make(1)[0](hidden)
    mine = heads(hidden)
    actions = EVERY[:, None].expand(-1, 2, -1)
    p, q = mine.log_prob(actions), other.log_prob(actions)
    entropy, kl = -(p.exp() * p).sum(0), (p.exp() * (p - q)).sum(0)
    torch.testing.assert_close(mine.entropy(), entropy, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mine.kl(other), kl, rtol=1e-4, atol=1e-4)
    # Along drawn actions they are right in the mean.
    monkeypatch.setattr(autoregressive, "MOST_ACTIONS", 0)
    many = AutoregressiveDistribution(heads, hidden[:1].expand(20_000, -1))
    assert many.entropy().mean().item() == pytest.approx(entropy[0].item(), rel=0.02)
    theirs = AutoregressiveDistribution(make(1)[0], hidden[:1].expand(20_000, -1))
    assert many.kl(theirs).mean().item() == pytest.approx(kl[0].item(), rel=0.05)


def test_k37_samples_follow_the_joint_probabilities() -> None:
    heads, hidden = make()
    drawn = heads(hidden[0].expand(40_000, -1)).sample(generator=torch.Generator().manual_seed(0))
    p = heads(hidden[0]).log_prob(EVERY).exp()
    number = (drawn * torch.tensor([72, 36, 12, 4, 1])).sum(-1)
    shares = torch.bincount(number, minlength=len(EVERY)) / len(drawn)
    torch.testing.assert_close(shares, p.detach(), rtol=0, atol=0.012, check_dtype=False)


def test_k37_every_head_sees_exactly_the_heads_before_it() -> None:
    heads, hidden = make()
    base = torch.zeros(len(SMALL), dtype=torch.int64)
    offsets = [0, 2, 5, 8, 12]  # logits of the stages: 2 buttons, 3, 3, 4
    for head, stage in enumerate((0, 0, 1, 2, 3)):
        changed = base.clone()
        changed[head] = 1
        before, after = (heads(hidden[0]).given(a).flat for a in (base, changed))
        own_and_earlier, later = slice(0, offsets[stage + 1]), slice(offsets[stage + 1], None)
        assert torch.equal(before[own_and_earlier], after[own_and_earlier])
        if stage < 3:
            assert (before[later] != after[later]).any()


def test_k37_mode_follows_its_own_choices_and_thresholds() -> None:
    heads, hidden = make()
    mode = heads(hidden[0]).mode()
    conditionals = heads(hidden[0]).given(mode)
    assert mode[2:].tolist() == [int(conditionals.logits[k][j].argmax()) for k, j in ((1, 0), (1, 1), (2, 0))]
    all_pressed = heads(hidden[0]).mode(torch.zeros(2))
    assert all_pressed[:2].tolist() == [1, 1]
    assert heads(hidden[0]).mode(torch.ones(2))[:2].tolist() == [0, 0]


@pytest.mark.parametrize(("kind", "nats"), [(AutoregressiveHeads, 0.6931), (IndependentHeads, 2 * 0.6931)])
def test_k37_only_autoregressive_heads_learn_that_choices_go_together(kind: type, nats: float) -> None:
    """A button is pressed if and only if the stick is right, on half of the frames, whatever is seen."""
    actions = torch.tensor([[0, 0], [1, 2]]).repeat(16, 1)
    torch.manual_seed(0)
    heads = kind(4, (2, 3))
    optimiser = torch.optim.Adam(heads.parameters(), lr=0.05)
    loss = torch.zeros(())
    for _ in range(150):
        optimiser.zero_grad()
        loss = -heads(torch.ones(len(actions), 4)).log_prob(actions).mean()
        loss.backward()
        optimiser.step()
    assert loss.item() == pytest.approx(nats, abs=0.02)


def test_k37_policy_with_autoregressive_heads_is_rebuilt_from_its_config() -> None:
    config = NetworkConfig(observation_size=3, nvec=SMALL, hidden_size=8, heads="autoregressive")
    policy = Policy(config)
    again = Policy(NetworkConfig.from_json(policy.config.to_json()))
    again.load_state_dict(policy.state_dict())
    x = torch.randn(2, 3)
    assert torch.equal(policy.eval().step(x)[0].mode(), again.eval().step(x)[0].mode())
