"""A controller that is told the network, and switches that get their flows from it."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.dialects.openflow_controller.intents import PORT, Host, Intents, Link, Network, Switch
from pytest_netbench.generators.networks.draft import Device, Draft, Net, Port
from pytest_netbench.generators.networks.processes import Datapath
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_nothing

GATEWAY: Final = "02:00:5e:00:00:01"
"""The hardware address of the gateway of each subnet, the same at all switches."""


def add_intents(draft: Draft) -> None:
    """Tell the controller of a draft its network, and each switch its controller."""
    (controller,) = (device for device in draft.devices if device.kind == "controller")
    switches = [device for device in draft.devices if device.kind == "switch"]
    address = controller.routed_ports[0].routed.ip
    for number, switch in enumerate(switches, start=1):
        switch.datapath = Datapath(number=number, controller=address, port=PORT)
    lans = [net for net in draft.nets if net.kind == "lan"]
    for port in (port for net in lans for port in net.hosts()):
        port.hardware_address = _hardware_address(port.routed.ip)
    controller.intents = Intents(
        switches=tuple(
            Switch(one.name, number, str(one.routed_ports[0].routed.ip)) for number, one in enumerate(switches, start=1)
        ),
        links=tuple(_links(draft)),
        networks=tuple(Network(str(net.network), str(net.gateway), GATEWAY, _switch(net).name) for net in lans),
        hosts=tuple(
            Host(str(port.routed.ip), str(port.hardware_address), far.device.name, port_number(far))
            for net in lans
            for port in net.hosts()
            for far in [_far_end(draft, port)]
        ),
    )


def port_number(port: Port) -> int:
    """The number of a switch's port in its bridge: that of its interface, since the first one is for management."""
    return int(port.interface.removeprefix("eth"))


def _hardware_address(address: IPv4Address) -> str:
    return ":".join(f"{octet:02x}" for octet in (2, 0, *address.packed))


def _links(draft: Draft) -> Iterator[Link]:
    for ends in draft.cables:
        if len(ends) == 2 and all(end.device.kind == "switch" for end in ends):
            one, other = ends
            yield Link(one.device.name, port_number(one), other.device.name, port_number(other))


def _switch(net: Net) -> Device:
    (switch,) = net.ports[0].toward
    return switch


def _far_end(draft: Draft, port: Port) -> Port:
    return next(end for ends in draft.cables if port in ends for end in ends if end is not port)


OPENFLOW = Scheme(prepare=add_nothing, configure=add_intents, platforms=("openvswitch",))
