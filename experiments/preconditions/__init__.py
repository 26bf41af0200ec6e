"""What must be there for the rest to work, and what to do where it is not (``melee-env doctor``)."""
