"""The network's own actions as its previous-action input, for a whole window at once.

Frame by frame, the action at t would be decoded, fed in at t + 1, and so on. Here all frames are decoded in one
pass from the inputs of the last pass, again and again: a frame depends on earlier frames only, so after k passes
the first k frames are those of the frame-by-frame run, and inputs that no longer change are those of all frames.
A network that mostly agrees with the demonstrations gets there in a few passes, whatever its backbone.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agents.bc.lanes import Window
from agents.networks.backbone import State
from agents.networks.policy import Policy
from agents.scheduled_sampling.config import ScheduledSamplingConfig
from melee_env.errors import OptionError


class ScheduledSampling:
    """Replaces the demonstrations' previous actions by the network's own, with a probability that grows."""

    def __init__(self, config: ScheduledSamplingConfig) -> None:
        if not config.previous_action:
            raise OptionError(
                "scheduled sampling feeds the previous action back: previous_action must be true"
            )
        if not 0 <= config.sampling_probability <= 1:
            raise OptionError(f"sampling_probability must be 0..1, got {config.sampling_probability}")
        if config.ramp_epochs < 1 or config.max_passes < 1:
            raise OptionError("ramp_epochs and max_passes must be at least 1")
        self.config = config
        self.last: Tensor | None = None
        """the network's own action on the last frame of the window before, ``[B, heads]``"""

    def probability(self, epoch: int) -> float:
        """Return the share of replaced frames in ``epoch``, counted from 1: 0 at first, then a linear ramp."""
        return self.config.sampling_probability * min(1.0, (epoch - 1) / self.config.ramp_epochs)

    @torch.no_grad()
    def __call__(
        self, policy: Policy, window: Window, state: State | None, blank: Tensor, epoch: int
    ) -> Tensor:
        """Return the previous actions ``[B, T, heads]`` to train on.

        Args:
            policy: the network; dropout is off while it decodes.
            window: what the demonstrations say.
            state: the network's state before the window.
            blank: ``[B, T]`` bool, where the channel is hidden.
            epoch: number of the epoch, from 1.
        """
        p = self.probability(epoch)
        if p == 0.0:
            return window.previous_actions
        replaced = (torch.rand(blank.shape) < p)[..., None]
        before = window.previous_actions[:, 0] if window.first or self.last is None else self.last
        was_training = policy.training
        policy.eval()
        previous = window.previous_actions
        for _ in range(self.config.max_passes):
            distribution, _ = policy(window.observations, state, window.episode_start, previous, blank)
            own = distribution.mode()
            fed_back = torch.cat([before[:, None], own[:, :-1]], 1)
            again = torch.where(replaced, fed_back, window.previous_actions)
            settled = torch.equal(again, previous)
            previous = again
            if settled:
                break
        self.last = own[:, -1]
        policy.train(was_training)
        return previous
