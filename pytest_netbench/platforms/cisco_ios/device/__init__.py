"""The device: its running config, the state that is applied, and what exec commands may use."""
