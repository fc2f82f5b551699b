"""Network namespaces, by the names of nodes, that this process enters for a moment. Standard library only."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from pytest_netbench.kernel.syscalls import CLONE_NEWNET, setns


class Networks:
    """Network namespaces to measure in.

    Args:
        descriptors: Those of the namespaces, by name of node.
        home: That of the namespace to come back to.
    """

    def __init__(self, descriptors: Mapping[str, int], home: int) -> None:
        self._descriptors = descriptors
        self._home = home

    def __iter__(self) -> Iterator[str]:
        return iter(self._descriptors)

    def inside(self, node: str) -> contextlib.AbstractContextManager[None]:
        """Be in the network of a node for a moment; sockets made there stay there."""
        return inside(self._descriptors[node], self._home)


@contextlib.contextmanager
def inside(network: int, home: int) -> Iterator[None]:
    """Be in a network namespace for a moment, then in ``home``; both are descriptors."""
    setns(network, CLONE_NEWNET)
    try:
        yield
    finally:
        setns(home, CLONE_NEWNET)
