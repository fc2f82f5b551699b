"""Hosts whose own TCP is what limits them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import HostFault, HostInLan
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

_SETTING: Final = "net.ipv4.tcp_rmem"
_USUAL: Final = "4096 131072 6291456"
"""Linux's default."""
_SMALL: Final = "512 512 512"
"""Bytes of a buffer, with what the kernel needs for itself: some hundred bytes arrive in a second."""


class HostReceiveWindowSmall(HostFault[HostInLan]):
    """A host has so small a buffer for what TCP receives that pages take seconds, although the network is fast."""

    domain = "service"
    name = "host-receive-window-small"
    label = "HOST_WINDOW"
    parameters = HostInLan
    called = {"nika": "tcp_receive_window_limited"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[HostInLan]:  # noqa: ARG002  (any host)
        # only pages show it
        if any(service.kind == "web" for node in network.topology.nodes for service in node.services):
            yield host

    def touches(self, parameters: HostInLan) -> frozenset[str]:
        return super().touches(parameters) | {f"{parameters.node} {_SETTING}"}

    def injection(self, parameters: HostInLan) -> tuple[str, ...]:  # noqa: ARG002  (the same on each)
        return (f"sysctl -qw {_SETTING}='{_SMALL}'",)

    def repair(self, parameters: HostInLan) -> tuple[str, ...]:  # noqa: ARG002  (the same on each)
        return (f"sysctl -qw {_SETTING}='{_USUAL}'",)

    def shown(self, parameters: HostInLan) -> tuple[str, ...]:  # noqa: ARG002  (no config has it)
        return ()

    def symptoms(self, parameters: HostInLan, network: Observable) -> Iterator[Observation]:
        because = f"TCP on {parameters.node} has a buffer of less than 10 kB for what it receives."
        yield from asking.state(network, parameters.node, "small buffer", because)

    def remains(self, parameters: HostInLan, lab: Lab) -> Iterator[str]:
        found = " ".join(lab.nodes[parameters.node].run(["sysctl", "-n", _SETTING]).stdout.split())
        if found != _SMALL:
            yield f"{_SETTING} is {found}"
