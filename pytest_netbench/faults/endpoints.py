"""Hosts that are what limits their own traffic: by their TCP, or because they are short of processor time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, get_args

from pytest_netbench.dialects.signs import sign_of
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import HostFault, HostInLan
from pytest_netbench.faults.servers import OnServer, ProgramFault, servers_in
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import ServerName
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet
from pytest_netbench.platforms.capabilities import PROGRAMS

STOPPED_S: Final = 1.5
RUNNING_S: Final = 0.06
"""Wall seconds of each turn: 4 % of a processor."""
_SHORT: Final = "short of processor time"
_SHOWN_BY: Final[tuple[ServerName, ...]] = ("dns", "web")
_SETTING: Final = "net.ipv4.tcp_rmem"
_USUAL: Final = "4096 131072 6291456"
"""Linux's default."""
_SMALL: Final = "512 512 512"
"""Bytes of a buffer, with what the kernel needs for itself: some hundred bytes arrive in a second."""


class HostReceiveWindowSmall(HostFault[HostInLan]):
    """A host has so small a buffer for what TCP receives that pages take seconds, although the network is fast."""

    needs_services: tuple[str, ...] = ("web",)
    shown_by = "servers"
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


class HostCpuLimited(ProgramFault[OnServer]):
    """All programs of a host get almost no time of a processor, so that its servers answer late and pings in time."""

    needs_services: tuple[str, ...] = ("dns",)
    name = "host-cpu-limited"
    label = "HOST_CPU"
    parameters = OnServer
    called = {"nika": "receiver_resource_contention, sender_resource_contention"}

    def places(self, network: DrawnNetwork) -> Iterator[OnServer]:
        found = (one for kind in _SHOWN_BY for one in servers_in(network, kind))
        yield from {one.node: one for one in found}.values()

    def touches(self, parameters: OnServer) -> frozenset[str]:
        return frozenset({f"all of {parameters.node}", *(f"{parameters.node} {kind}" for kind in get_args(ServerName))})

    def inject(self, parameters: OnServer, lab: Lab) -> None:
        self._throttle(parameters, lab, STOPPED_S, RUNNING_S)

    def undo(self, parameters: OnServer, lab: Lab) -> None:
        self._throttle(parameters, lab, 0.0, 0.0)

    def _throttle(self, parameters: OnServer, lab: Lab, stopped_s: float, running_s: float) -> None:
        programs = lab.nodes[parameters.node].capability(PROGRAMS)
        programs.throttle_all(stopped_s=stopped_s, running_s=running_s)

    def observe(self, parameters: OnServer, lab: Lab) -> None:
        sign = sign_of(parameters.platform, _SHORT)
        assert sign is not None
        said = lab.nodes[parameters.node].run(["/bin/sh", "-c", sign.command]).stderr
        if not re.search(sign.pattern, said, re.MULTILINE):
            raise FaultHasNoEffect(
                self.name, f"a busy program of {parameters.node} gets {said.strip()} % of a processor"
            )

    def evidence(self, parameters: OnServer, network: Observable) -> Iterator[Observation]:
        because = f"A busy loop on {parameters.node} gets less than 9 % of a processor."
        yield from asking.state(network, parameters.node, _SHORT, because)
