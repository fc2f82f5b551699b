"""Drivers: boot, apply, read, execute, ready, for one network OS each; and what a node offers to them."""
