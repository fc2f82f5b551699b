"""Faults between OpenFlow switches and their controller.

A switch without its controller keeps the flows that it has: packets pass as before, and no change of the network is
followed by a change of flows. So these faults break no flow by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from pytest_netbench.dialects.openflow_controller.intents import Intents, parse
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice, Symptom, given, shows
from pytest_netbench.faults.hosts import dropping
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


def _disconnected(lab: Lab, *switches: str) -> Iterator[str]:
    """A phrase for the first switch that is connected to its controller."""
    for name in switches:
        if any(one.is_connected for bridge in database.read(lab.nodes[name]) for one in bridge.controllers):
            database.refresh(lab.nodes[name])
            yield f"{name} is connected to its controller"
            return


def _lonely(*switches: str) -> tuple[Symptom, ...]:
    return tuple(shows(one, "no controller", f"{one} is not connected to its controller.") for one in switches)


def _is_running(lab: Lab, node: str) -> Iterator[str]:
    if programs.is_running(lab.nodes[node]):
        yield "the controller runs"


def _crash(lab: Lab, node: str) -> None:
    if not programs.crash(lab.nodes[node]):
        raise FaultHasNoEffect(CONTROLLER_CRASHED.name, f"{node}: the controller does not run")


def _crashed(p: Southbound) -> Change:
    return Change(
        act=given(_crash, p.node),
        repair=("controller start",),  # it knows its intents
        checks=(given(_is_running, p.node), given(_disconnected, *p.switches)),
        wrong="The controller of OpenFlow switches has crashed: its process is gone.",
        detail=f"The switches keep their flows, and get no new ones. `controller status` on {p.node} shows it.",
        symptoms=(shows(p.node, "no controller", f"The controller on {p.node} does not run."), *_lonely(*p.switches)),
    )


_southbound_fault = partial(config_fault, domain="management", shown_by="telemetry")

CONTROLLER_CRASHED = _southbound_fault(
    "controller-crashed",
    about="The controller of OpenFlow switches has crashed: its process is gone, and its switches have no controller.",
    label="SDN_CRASH",
    parameters=Southbound,
    platforms=(CONTROLLER,),
    called={"nika": "sdn_controller_crash"},
    at=_controllers,
    touches=lambda p: _sessions(p.switches),
    change=_crashed,
)
SOUTHBOUND_PORT_BLOCKED = _southbound_fault(
    "southbound-port-blocked",
    about="A packet filter of the controller drops what OpenFlow switches send to it.",
    label="SDN_BLOCK",
    parameters=Southbound,
    platforms=(CONTROLLER,),
    called={"nika": "southbound_port_block"},
    at=_controllers,
    touches=lambda p: _sessions(p.switches),
    change=lambda p: dropping(
        "filter", f"tcp dport {p.port} drop", checks=(given(_disconnected, *p.switches),), symptoms=_lonely(*p.switches)
    ),
)


def _other_ports(network: DrawnNetwork) -> Iterator[OtherPort]:
    for one in _controllers(network):
        for switch in one.switches:
            for port in _OTHER_PORTS:
                address = network.addresses[one.node]
                yield OtherPort(node=switch, platform=SWITCH, address=address, port=one.port, instead=port)


def _elsewhere(lab: Lab, p: OtherPort) -> Iterator[str]:
    targets = [one.address for bridge in database.read(lab.nodes[p.node]) for one in bridge.controllers]
    if targets != [p.target]:
        yield f"it connects to {', '.join(targets) or 'nothing'}"


def _misdirected(p: OtherPort) -> Change:
    because = f"{p.node} connects to port {p.instead}, and its controller listens on {p.port}."
    return Change(
        inject=(_connecting(p.target),),
        repair=(_connecting(f"tcp:{p.address}:{p.port}"),),
        shown=(),  # settings of the controller follow in the config
        checks=(given(_elsewhere, p), given(_disconnected, p.node)),
        symptoms=(shows(p.node, "controller", because, target=p.target), *_lonely(p.node)),
    )


SOUTHBOUND_PORT_WRONG = _southbound_fault(
    "southbound-port-wrong",
    about="An OpenFlow switch connects to another port of its controller than that on which it listens.",
    label="SDN_PORT",
    parameters=OtherPort,
    platforms=(SWITCH,),
    called={"nika": "southbound_port_mismatch"},
    at=_other_ports,
    touches=lambda p: _sessions((p.node,)),
    change=_misdirected,
)
