"""How an agent worked, and why its trial failed: verdicts on a stored record. Pure."""

from pytest_netbench.process.verdicts import process_of

__all__ = ["process_of"]
