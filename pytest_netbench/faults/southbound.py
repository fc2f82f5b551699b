"""Faults between OpenFlow switches and their controller.

A switch without its controller keeps the flows that it has: packets pass as before, and no change of the network is
followed by a change of flows. So these faults break no flow by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from pytest_netbench.dialects.openflow_controller.intents import Intents, parse
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.openflow_controller import programs
from pytest_netbench.platforms.openvswitch import database

CONTROLLER: Final = "openflow_controller"
SWITCH: Final = "openvswitch"
BRIDGE: Final = "br0"
_OTHER_PORTS: Final = (6633, 6654)
"""The port of OpenFlow before it had one of its own, and a slip of the finger."""


class Southbound(OnDevice):
    """A controller, where it listens, and its switches."""

    port: int
    switches: tuple[str, ...]


class OtherPort(OnDevice):
    """A switch, where its controller listens, and where it connects instead."""

    address: str
    port: int
    instead: int

    @property
    def target(self) -> str:
        """Where it connects by mistake."""
        return f"tcp:{self.address}:{self.instead}"


P = TypeVar("P", bound=OnDevice)


class _SouthboundFault(DeviceFault[P]):
    domain = "management"
    shown_by = "telemetry"

    def _disconnected(self, switches: tuple[str, ...], lab: Lab) -> Iterator[str]:
        for name in switches:
            if any(one.is_connected for bridge in database.read(lab.nodes[name]) for one in bridge.controllers):
                database.refresh(lab.nodes[name])
                yield f"{name} is connected to its controller"
                return


class ControllerCrashed(_SouthboundFault[Southbound]):
    """The controller of OpenFlow switches has crashed: its process is gone, and its switches have no controller."""

    name = "controller-crashed"
    label = "SDN_CRASH"
    parameters = Southbound
    platforms = (CONTROLLER,)
    called = {"nika": "sdn_controller_crash"}

    def _places(self, network: DrawnNetwork) -> Iterator[Southbound]:
        return _controllers(network)

    def touches(self, parameters: Southbound) -> frozenset[str]:
        return _sessions(parameters.switches)

    def injection(self, parameters: Southbound) -> tuple[str, ...]:  # noqa: ARG002  (a crash is no command)
        return ()

    def inject(self, parameters: Southbound, lab: Lab) -> None:
        if not programs.crash(lab.nodes[parameters.node]):
            raise FaultHasNoEffect(self.name, f"{parameters.node}: the controller does not run")

    def repair(self, parameters: Southbound) -> tuple[str, ...]:  # noqa: ARG002  (it knows its intents)
        return ("controller start",)

    def remains(self, parameters: Southbound, lab: Lab) -> Iterator[str]:
        if programs.is_running(lab.nodes[parameters.node]):
            yield "the controller runs"
        yield from self._disconnected(parameters.switches, lab)

    def explain(self, parameters: Southbound) -> str:
        return (
            "The controller of OpenFlow switches has crashed: its process is gone. The switches keep their flows, and"
            f" get no new ones. `controller status` on {parameters.node} shows it."
        )

    def symptoms(self, parameters: Southbound, network: Observable) -> Iterator[Observation]:
        because = f"The controller on {parameters.node} does not run."
        yield from asking.state(network, parameters.node, "no controller", because)
        yield from _lonely(parameters.switches, network)


class SouthboundPortBlocked(_SouthboundFault[Southbound]):
    """A packet filter of the controller drops what OpenFlow switches send to it."""

    name = "southbound-port-blocked"
    label = "SDN_BLOCK"
    parameters = Southbound
    platforms = (CONTROLLER,)
    called = {"nika": "southbound_port_block"}

    def _places(self, network: DrawnNetwork) -> Iterator[Southbound]:
        return _controllers(network)

    def touches(self, parameters: Southbound) -> frozenset[str]:
        return _sessions(parameters.switches)

    def injection(self, parameters: Southbound) -> tuple[str, ...]:
        return (
            "nft add table inet filter",
            "nft 'add chain inet filter input { type filter hook input priority filter; policy accept; }'",
            f"nft add rule inet filter input tcp dport {parameters.port} drop",
        )

    def repair(self, parameters: Southbound) -> tuple[str, ...]:  # noqa: ARG002  (there was no table)
        return ("nft delete table inet filter",)

    def shown(self, parameters: Southbound) -> tuple[str, ...]:
        return ("table inet filter", " chain input", f"  tcp dport {parameters.port} drop")

    def remains(self, parameters: Southbound, lab: Lab) -> Iterator[str]:
        return self._disconnected(parameters.switches, lab)

    def symptoms(self, parameters: Southbound, network: Observable) -> Iterator[Observation]:
        return _lonely(parameters.switches, network)


class SouthboundPortWrong(_SouthboundFault[OtherPort]):
    """An OpenFlow switch connects to another port of its controller than that on which it listens."""

    name = "southbound-port-wrong"
    label = "SDN_PORT"
    parameters = OtherPort
    platforms = (SWITCH,)
    called = {"nika": "southbound_port_mismatch"}

    def _places(self, network: DrawnNetwork) -> Iterator[OtherPort]:
        for one in _controllers(network):
            for switch in one.switches:
                for port in _OTHER_PORTS:
                    yield OtherPort(
                        node=switch,
                        platform=SWITCH,
                        address=network.addresses[one.node],
                        port=one.port,
                        instead=port,
                    )

    def touches(self, parameters: OtherPort) -> frozenset[str]:
        return _sessions((parameters.node,))

    def injection(self, parameters: OtherPort) -> tuple[str, ...]:
        return (_connecting(parameters.target),)

    def repair(self, parameters: OtherPort) -> tuple[str, ...]:
        return (_connecting(f"tcp:{parameters.address}:{parameters.port}"),)

    def shown(self, parameters: OtherPort) -> tuple[str, ...]:  # noqa: ARG002  (see below: settings follow)
        return ()

    def remains(self, parameters: OtherPort, lab: Lab) -> Iterator[str]:
        targets = [one.address for bridge in database.read(lab.nodes[parameters.node]) for one in bridge.controllers]
        if targets != [parameters.target]:
            yield f"it connects to {', '.join(targets) or 'nothing'}"
        yield from self._disconnected((parameters.node,), lab)

    def symptoms(self, parameters: OtherPort, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} connects to port {p.instead}, and its controller listens on {p.port}."
        yield from asking.state(network, p.node, "controller", because, target=p.target)
        yield from _lonely((p.node,), network)


def intents_of(network: DrawnNetwork) -> Iterator[tuple[str, Intents]]:
    """Each controller of a network, with what its startup config tells it."""
    for node in network.topology.nodes:
        if network.platform_of(node.name) == CONTROLLER:
            lines = network.startup_configs[node.name].splitlines()
            yield node.name, parse(line.removeprefix("controller ") for line in lines if line.startswith("controller "))


def _controllers(network: DrawnNetwork) -> Iterator[Southbound]:
    for node, intents in intents_of(network):
        names = tuple(one.name for one in intents.switches)
        yield Southbound(node=node, platform=CONTROLLER, port=intents.listen, switches=names)


def _sessions(switches: tuple[str, ...]) -> frozenset[str]:
    return frozenset(f"{name} southbound" for name in switches)


def _connecting(target: str) -> str:
    # a controller that is set anew would lose its other settings
    return f"ovs-vsctl set controller {BRIDGE} target='\"{target}\"'"


def _lonely(switches: tuple[str, ...], network: Observable) -> Iterator[Observation]:
    for name in switches:
        yield from asking.state(network, name, "no controller", f"{name} is not connected to its controller.")
