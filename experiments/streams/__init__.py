"""Two recordings of the same inputs, field by field (``melee-env diff-streams``)."""
