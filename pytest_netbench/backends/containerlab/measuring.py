"""The process that makes one call of a prober between the containers of a lab. Standard library only."""

from pytest_netbench.probing.worker import main

__all__ = ["main"]
