"""The flows that intents need, by switch. Pure; it also runs in the node of the controller.

Each switch is the gateway of the subnets behind it: it answers ARP for the gateway's address, and hands packets that
came to the gateway to the port of their host with the host's hardware address. A packet that was sent to the hardware
address of the gateway and is for another subnet goes along a shortest path. Of equal
next hops, a subnet has the one that its place in the list of subnets says, so that subnets are spread over them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from pytest_netbench.dialects.openflow_controller.intents import Host, Intents, Network

HOST_PRIORITY = 100
NETWORK_PRIORITY = 50
_IP, _ARP, _REQUEST = 0x0800, 0x0806, 1

Place = tuple[str, int]
"""A switch and a port of it."""


class Rule(NamedTuple):
    """A flow without an encoding.

    Attributes:
        match: Field and value, in order.
        actions: ``("output", port)``, ``("set", field, value)``, ``("ttl",)`` or ``("answer", mac, address)``, which
            turns an ARP request into its reply and sends it back.
    """

    priority: int
    match: tuple[tuple[str, int | str | tuple[str, str]], ...]
    actions: tuple[tuple[str | int, ...], ...]

    @property
    def key(self) -> tuple[int, tuple[tuple[str, int | str | tuple[str, str]], ...]]:
        """What makes it replace another one."""
        return self.priority, self.match


def tables(intents: Intents, down: Collection[Place] = ()) -> dict[str, list[Rule]]:
    """Return the flows of each switch; ``down`` are ports without carrier."""
    found: dict[str, list[Rule]] = {one.name: [] for one in intents.switches}
    neighbors = _neighbors(intents, down)
    gateways: dict[str, str] = {}
    for number, network in enumerate(intents.networks):
        gateways.setdefault(network.switch, network.mac)
        found[network.switch].append(_answering(network))
        for switch, port in _next_hops(network.switch, neighbors, number).items():
            found[switch].append(_toward(network, port))
    for host in intents.hosts:
        found[host.switch] += _delivering(host, gateways.get(host.switch))
    return found


def _delivering(host: Host, gateway: str | None) -> Iterator[Rule]:
    """ARP for a host, packets from hosts of its subnet, and packets that came to the gateway."""
    output = ("output", host.port)
    yield Rule(HOST_PRIORITY, (("eth_type", _ARP), ("arp_tpa", host.address)), (output,))
    match = (("eth_type", _IP), ("ipv4_dst", host.address))
    yield Rule(HOST_PRIORITY, (("eth_dst", host.mac), *match), (output,))
    if gateway is not None:
        rewritten = (("set", "eth_src", gateway), ("set", "eth_dst", host.mac))
        yield Rule(HOST_PRIORITY, (("eth_dst", gateway), *match), (*rewritten, ("ttl",), output))


def _answering(network: Network) -> Rule:
    match = (("eth_type", _ARP), ("arp_op", _REQUEST), ("arp_tpa", network.gateway))
    return Rule(HOST_PRIORITY, match, (("answer", network.mac, network.gateway),))


def _toward(network: Network, port: int) -> Rule:
    address, _, length = network.prefix.partition("/")
    mask = (0xFFFFFFFF << 32 - int(length)) & 0xFFFFFFFF
    dotted = ".".join(str(mask >> shift & 0xFF) for shift in (24, 16, 8, 0))
    match = (("eth_dst", network.mac), ("eth_type", _IP), ("ipv4_dst", (address, dotted)))
    return Rule(NETWORK_PRIORITY, match, (("ttl",), ("output", port)))


_Neighbors = Mapping[str, Mapping[str, int]]
"""By switch and neighbor: the port toward it."""


def _neighbors(intents: Intents, down: Collection[Place]) -> _Neighbors:
    found: dict[str, dict[str, int]] = {one.name: {} for one in intents.switches}
    for link in intents.links:
        if not {*link.ends} & {*down}:
            found[link.one].setdefault(link.other, link.one_port)
            found[link.other].setdefault(link.one, link.other_port)
    return found


def _next_hops(target: str, neighbors: _Neighbors, number: int) -> dict[str, int]:
    """By switch that can reach ``target``: the port on a shortest path to it."""
    far = {target: 0}
    waiting = deque([target])
    while waiting:
        one = waiting.popleft()
        for other in neighbors[one]:
            if other not in far:
                far[other] = far[one] + 1
                waiting.append(other)
    found = {}
    for switch, distance in far.items():
        nearer = [port for other, port in neighbors[switch].items() if far[other] == distance - 1]
        if nearer:
            found[switch] = nearer[number % len(nearer)]
    return found
