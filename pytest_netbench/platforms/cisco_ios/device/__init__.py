"""The device: its running config, the applied state, and the interface for exec commands."""
