"""A multi-layer perceptron: sees one frame, remembers nothing."""

from __future__ import annotations

from torch import Tensor, nn

from agents.networks.backbone import Backbone, State


class MLP(Backbone):
    """``num_layers`` × (linear, GELU, dropout), the same for every frame."""

    def __init__(
        self, input_size: int, hidden_size: int = 256, num_layers: int = 2, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_size = hidden_size
        layers: list[nn.Module] = []
        for size in [input_size] + [hidden_size] * (num_layers - 1):
            layers += [nn.Linear(size, hidden_size), nn.GELU(), nn.Dropout(dropout)]
        self.layers = nn.Sequential(*layers)

    def initial_state(self, batch_size: int) -> State:
        """Return the empty state."""
        return ()

    def forward(
        self, x: Tensor, state: State | None = None, episode_start: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Process every frame of ``[B, T, F]`` by itself."""
        return self.layers(x), ()
