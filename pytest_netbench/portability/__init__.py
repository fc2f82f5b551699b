"""How far verdicts transfer: the same work on two backends, and every difference between the networks."""
