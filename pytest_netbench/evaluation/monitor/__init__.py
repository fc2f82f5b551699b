"""The invariant monitor: which flows are right after each change that an agent makes. Not available to agents."""
