"""Whether an agent may pass: a run is judged against a baseline by a policy."""
