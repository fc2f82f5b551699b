"""Evidence of faults: which observations of an agent prove that one is there. It belongs to the ground truth."""
