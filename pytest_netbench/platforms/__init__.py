"""Network-OS knowledge: apply config, read config, what is read-only, normalise a line."""
