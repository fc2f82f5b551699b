"""Drivers, each for one network OS: boot, apply, read, execute, ready; and the node interface that they use."""
