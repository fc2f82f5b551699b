"""Entries of P4 switches: leaves know their hosts and spread all else over the spines, which know the subnets."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.generators.networks.draft import Device, Draft, Net, Port
from pytest_netbench.generators.networks.processes import Entries, Hop
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_nothing


def add_entries(draft: Draft) -> None:
    """Give each host a hardware address, and each switch of a draft its entries."""
    switches = [device for device in draft.devices if device.kind == "switch"]
    for number, switch in enumerate(switches, start=1):
        for port in switch.ports:
            port.hardware_address = f"02:5e:00:{number >> 8:02x}:{number & 255:02x}:{port_number(port):02x}"
    lans = {_switch(net): net for net in draft.nets if net.kind == "lan"}
    for host in (port for net in lans.values() for port in net.hosts()):
        host.hardware_address = _of_address(host.routed.ip)
    for switch in switches:
        addresses = {port_number(port): str(port.hardware_address) for port in switch.ports}
        switch.entries = Entries(port_addresses=addresses)
        if switch in lans:
            _fill_leaf(draft, switch.entries, switch, lans[switch])
        else:
            ways = dict(_ways(draft, switch))
            switch.entries.routes += [(net.network, (ways[leaf],)) for leaf, net in lans.items()]


def port_number(port: Port) -> int:
    """The number of a switch's port: that of its interface."""
    return int(port.interface.removeprefix("eth"))


def _fill_leaf(draft: Draft, entries: Entries, leaf: Device, net: Net) -> None:
    ways = dict(_ways(draft, leaf))
    # hosts of a leaf are on cables of their own, so it answers for them as for their gateway
    answering = next(port for port in leaf.ports if port.toward[0].kind == "host")
    asked = [net.gateway, *(port.routed.ip for port in net.hosts())]
    entries.answers |= {address: str(answering.hardware_address) for address in asked if address is not None}
    entries.routes += [(IPv4Network(port.routed.ip), (ways[port.device],)) for port in net.hosts()]
    entries.routes.append((net.network, ()))  # or else the default would send packets to nobody round in circles
    entries.default = tuple(hop for device, hop in ways.items() if device.kind == "switch")


def _ways(draft: Draft, switch: Device) -> Iterator[tuple[Device, Hop]]:
    """Each neighbor of a switch, and how packets get there."""
    for ends in draft.cables:
        for near, far in (ends, ends[::-1]):
            if near.device is switch:
                yield far.device, Hop(hardware_address=str(far.hardware_address), port=port_number(near))


def _switch(net: Net) -> Device:
    (switch,) = net.ports[0].toward
    return switch


def _of_address(address: IPv4Address) -> str:
    return ":".join(f"{octet:02x}" for octet in (2, 0, *address.packed))


P4 = Scheme(prepare=add_nothing, configure=add_entries, platforms=("p4",))
