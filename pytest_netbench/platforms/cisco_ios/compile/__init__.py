"""Compile the config to the desired state of the node. Pure, without I/O."""
