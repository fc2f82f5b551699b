"""From the config to the desired state of the node: pure, no I/O."""
