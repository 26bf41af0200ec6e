"""Special moves, one module per fighter family, registered in the state tables."""
