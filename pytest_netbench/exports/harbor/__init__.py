"""Tasks as Harbor's datasets: what a lab, an agent's container, the oracle and the verifier each get of a task."""
