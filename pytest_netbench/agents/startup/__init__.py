"""Whether an agent can start, found before the first lab is deployed."""
