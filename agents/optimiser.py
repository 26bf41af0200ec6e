"""The optimiser of every trainer here: AdamW, warm-up, one schedule over the whole run, clipping."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from agents.settings import OptimiserConfig
from melee_env.errors import MeleeEnvError, OptionError

SMALLEST_SHARE = 0.05
"""The cosine ends at this share of the peak: a run that is prolonged is never frozen."""


class Optimiser:
    """Owns the step count, so that the learning rate is a function of it and a resumed run needs no scheduler."""

    def __init__(self, module: nn.Module, config: OptimiserConfig, total_steps: int) -> None:
        if config.schedule not in ("constant", "cosine"):
            raise OptionError(f"unknown schedule {config.schedule!r}; known: constant, cosine")
        self.config = config
        self.total_steps = max(total_steps, 1)
        self.step_count = 0
        self.parameters = [p for p in module.parameters() if p.requires_grad]
        matrices = [p for p in self.parameters if p.dim() > 1]
        rest = [p for p in self.parameters if p.dim() <= 1]
        self.adam = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": config.weight_decay},
                {"params": rest, "weight_decay": 0.0},
            ],
            lr=config.learning_rate,
        )

    def learning_rate(self, step: int) -> float:
        """Return the rate of update number ``step`` (from 0)."""
        warmup_steps = max(1, min(self.config.warmup_steps, self.total_steps // 10))
        rate = self.config.learning_rate * min(1.0, (step + 1) / warmup_steps)
        if self.config.schedule == "constant":
            return rate
        done = min(step / self.total_steps, 1.0)
        return rate * (SMALLEST_SHARE + (1 - SMALLEST_SHARE) * 0.5 * (1 + math.cos(math.pi * done)))

    def update(self, loss: Tensor) -> float:
        """Backpropagate, clip, step; return the loss.

        Raises:
            MeleeEnvError: loss or gradient is not finite; the weights are left as they were.
        """
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.config.clip_norm)
        value = loss.item()
        if not (math.isfinite(value) and math.isfinite(norm.item())):
            raise MeleeEnvError(
                f"training diverged at update {self.step_count} (loss {value}, gradient norm {norm.item()}): "
                "lower learning_rate or clip_norm; the last good checkpoint is intact"
            )
        for group in self.adam.param_groups:
            group["lr"] = self.learning_rate(self.step_count)
        self.adam.step()
        self.step_count += 1
        return value

    def tensors(self) -> dict[str, Tensor]:
        """Return Adam's moments and step counts as named tensors."""
        state = self.adam.state_dict()["state"]
        return {
            f"{number}.{key}": torch.as_tensor(v)
            for number, items in state.items()
            for key, v in items.items()
        }

    def load(self, tensors: dict[str, Tensor], step_count: int) -> None:
        """Continue from :meth:`tensors` after ``step_count`` updates."""
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = tensor
        self.adam.load_state_dict({**self.adam.state_dict(), "state": state})
        self.step_count = step_count
