"""Networks: backbones that carry a state through time, heads that make an action of it, and the policy of both."""
