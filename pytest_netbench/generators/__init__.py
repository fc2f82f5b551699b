"""(parameters, seed) to Task."""
