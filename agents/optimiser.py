"""The optimiser of every trainer here: AdamW, warm-up, one schedule over the whole run, clipping."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from agents.settings import OptimiserConfig
from melee_env.errors import MeleeEnvError, OptionError

SCHEDULES = ("constant", "cosine", "cosine_restarts")
SMALLEST_SHARE = 0.05
"""The cosine ends at this share of the peak: a run that is prolonged is never frozen."""


class Optimiser:
    """Owns the step count, so that the learning rate is a function of it and a resumed run needs no scheduler."""

    def __init__(self, module: nn.Module, config: OptimiserConfig, total_steps: int) -> None:
        if config.schedule not in SCHEDULES:
            raise OptionError(f"unknown schedule {config.schedule!r}; known: {', '.join(SCHEDULES)}")
        if config.restart_period < 1 or config.restart_mult < 1:
            raise OptionError("restart_period and restart_mult must be at least 1")
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
        if self.config.schedule == "cosine":
            done = min(step / self.total_steps, 1.0)
        else:
            begin, period = 0.0, float(self.config.restart_period)
            while step >= begin + period:
                begin, period = begin + period, period * self.config.restart_mult
            done = (step - begin) / period
        return rate * (SMALLEST_SHARE + (1 - SMALLEST_SHARE) * 0.5 * (1 + math.cos(math.pi * done)))

    def update(self, loss: Tensor) -> float:
        """Backpropagate, clip, step; return the loss. Errors as in :meth:`step`."""
        value = self.accumulate(loss)
        self.step(value)
        return value

    def accumulate(self, loss: Tensor, share: float = 1.0) -> float:
        """Add the gradient of ``share`` · ``loss`` to what the next step takes; return the loss."""
        (loss * share).backward()  # type: ignore[no-untyped-call]
        return loss.item()

    def step(self, loss: float) -> None:
        """Clip what has been accumulated and step.

        Raises:
            MeleeEnvError: ``loss`` or the gradient is not finite; the weights are left as they were.
        """
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.config.clip_norm).item()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            self.adam.zero_grad(set_to_none=True)
            raise MeleeEnvError(
                f"training diverged at update {self.step_count} (loss {loss}, gradient norm {norm}): "
                "lower learning_rate or clip_norm; the last good checkpoint is intact"
            )
        for group in self.adam.param_groups:
            group["lr"] = self.learning_rate(self.step_count)
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        self.step_count += 1

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
