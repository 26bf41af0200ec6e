"""K25: a window equals repeated steps. K26: no leak between lanes or over the start of a game."""

import pytest
import torch
from torch import Tensor

from agents.networks.backbone import BUILT_IN, Backbone, State, make_backbone
from agents.networks.gru import GRU
from agents.testing import check_backbone


@pytest.mark.parametrize("name", sorted(BUILT_IN))
@pytest.mark.parametrize("num_layers", [1, 2])
def test_k25_k26_built_in_backbone(name: str, num_layers: int) -> None:
    torch.manual_seed(0)
    check_backbone(make_backbone(name, 7, hidden_size=16, num_layers=num_layers), 7)


class Forgetful(GRU):
    """Broken: ignores games that start inside a window."""

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        return super().forward(x, state, None)


class Leaky(GRU):
    """Broken: every lane sees the batch mean."""

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        return super().forward(x + x.mean(0), state, episode_start)


class Stepwise(GRU):
    """Broken: steps differ from the window."""

    def step(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        return super().step(x * 1.01, state, episode_start)


@pytest.mark.parametrize("kind", [Forgetful, Leaky, Stepwise])
def test_k25_k26_broken_backbone_is_caught(kind: type[Backbone]) -> None:
    with pytest.raises(AssertionError):
        check_backbone(kind(7, hidden_size=16), 7)  # type: ignore[call-arg]


def test_k26_padding_changes_nothing() -> None:
    torch.manual_seed(0)
    backbone = make_backbone("gru", 5, hidden_size=8).eval()
    x = torch.randn(2, 6, 5)
    padded = torch.cat([x, torch.full((2, 3, 5), 1e3)], 1)
    torch.testing.assert_close(backbone(padded)[0][:, :6], backbone(x)[0], rtol=0, atol=1e-6)
