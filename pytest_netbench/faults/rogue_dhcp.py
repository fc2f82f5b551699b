"""Rogue DHCP servers: another host of a LAN answers its neighbors, before the server that should.

Which of two servers answers first is chance. So the right one is stopped while the neighbors ask. From then on they
keep to the server that they have their lease from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Act, Change, Symptom, shows
from pytest_netbench.faults.dhcp import PORT, Configured, OnDhcp, Served, dhcp_fault, let_ask, on_server, served_lans
from pytest_netbench.faults.servers import config_of, hosting
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import DhcpServer, DnsServer, HostService
from pytest_netbench.model.network import Attachment, DrawnNetwork
from pytest_netbench.text import listed

_LONG_S: Final = 60.0
_MOMENT_S: Final = 0.001
_FOREIGN: Final = ("192.168.88.0/24", "192.168.178.0/24", "192.168.50.0/24", "172.31.99.0/24", "10.255.77.0/24")
"""Subnets that routers for homes have by default, and two more."""


class Rogue(OnDhcp):
    """A host with a rogue DHCP server.

    Attributes:
        server: The host with the right server.
        server_interface: Its interface in the LAN.
        instead: What the rogue server gives instead of what is right.
    """

    server: str
    server_interface: str
    instead: str


Instead = Callable[[DrawnNetwork, Served, Attachment], str | None]
"""What a rogue server on a host gives; ``None`` if it has nothing to give."""


def _rogues(network: DrawnNetwork, instead: Instead) -> Iterator[Rogue]:
    for one in served_lans(network):
        for rogue in one.clients:
            others = tuple(client for client in one.clients if client is not rogue)
            given = instead(network, one, rogue)
            if others and given is not None:
                right = {"server": one.server.node, "server_interface": one.server.interface}
                yield Rogue(**dict(on_server(network, one, rogue, others)), **right, instead=given)


def _alone(p: Rogue, act: Act) -> Act:
    """Do something while the right server is stopped."""

    def alone(lab: Lab) -> None:
        driver, node = hosting(lab, p.server), lab.nodes[p.server]
        driver.throttle_server(node, "dhcp", stopped_s=_LONG_S, running_s=_MOMENT_S)
        try:
            act(lab)
        finally:
            driver.throttle_server(node, "dhcp", stopped_s=0.0, running_s=0.0)

    return alone


def _rogue_fault(
    name: str,
    *,
    instead: Instead,
    offers: Callable[[Rogue, Lab], Sequence[HostService]],
    own_address: bool = False,
    **fields: Any,
) -> OutsideValue[Rogue]:
    """A rogue DHCP server.

    Args:
        name: Of the fault.
        instead: What it gives instead of what is right.
        offers: The servers that run on the host of the rogue.
        own_address: Whether the host needs an address of what it gives.
        fields: Further ones of the fault.
    """

    def change(p: Rogue) -> Change:
        def act(lab: Lab) -> None:
            if own_address:
                _address("add", p, lab)
            hosting(lab, p.node).serve(lab.nodes[p.node], offers(p, lab))

        def undo(lab: Lab) -> None:
            hosting(lab, p.node).withdraw(lab.nodes[p.node], offers(p, lab))
            let_ask(lab, p)
            if own_address:
                _address("del", p, lab)

        right = f"The right DHCP server is on {p.server}."
        victims = f"{listed(list(p.clients))} got it"
        return Change(act=act, undo=undo, detail=f"It is on {p.node}. {right} {victims}: {p.instead}.")

    return dhcp_fault(
        name,
        parameters=Rogue,
        at=lambda network: _rogues(network, instead),
        touches=lambda p: (f"{p.server} dhcp", f"{p.server} {p.server_interface}"),
        change=change,
        around=_alone,
        symptom=_listens,
        **fields,
    )


def _listens(p: Rogue) -> Symptom:
    because = f"{p.node} listens on port {PORT}, and is not the DHCP server of its LAN."
    return shows(p.node, "listens", because, port=PORT)


def _address(verb: str, p: Rogue, lab: Lab) -> None:
    prefix = IPv4Network(p.instead)
    command = f"ip address {verb} {prefix[1]}/{prefix.prefixlen} dev {p.interface}"
    (done,) = lab.driver(p.node).apply(lab.nodes[p.node], [command])
    if done.status != "success":
        raise LabError(f"{p.node}: {command}: {done.message}")


DHCP_GATEWAY_SPOOFED = _rogue_fault(
    "dhcp-gateway-spoofed",
    about="A host runs a rogue DHCP server that gives its neighbors the host itself as gateway, and it does not"
    " forward.",
    label="DHCP_GATEWAY",
    called={"nika": "dhcp_spoofed_gateway"},
    instead=lambda _, __, rogue: rogue.address,
    offers=lambda p, lab: [config_of(lab, p.server, DhcpServer).model_copy(update={"gateway": p.instead})],
    holds=lambda p, found: found.gateway == p.instead,
    of_client=lambda p, client, _: shows(
        client, "gateway", f"The default gateway of {client} is {p.instead}.", hop=p.instead
    ),
)


def _lies(p: Rogue, lab: Lab) -> list[HostService]:
    dhcp = config_of(lab, p.server, DhcpServer).model_copy(update={"resolver": p.instead})
    known = next(one for node in lab.topology.nodes for one in node.services if isinstance(one, DnsServer))
    return [dhcp, known.model_copy(update={"records": dict.fromkeys(known.records, p.instead)})]


DHCP_DNS_SPOOFED = _rogue_fault(
    "dhcp-dns-spoofed",
    about="A host runs a rogue DHCP server that gives its neighbors the host itself as DNS server, which lies.",
    label="DHCP_DNS",
    needs_services=("dhcp", "dns"),
    called={"nika": "dhcp_spoofed_dns"},
    instead=lambda _, served, rogue: rogue.address if served.config.resolver and served.config.domain else None,
    offers=_lies,
    holds=lambda p, found: found.resolver == p.instead,
    of_client=lambda p, client, _: shows(
        client, "resolver", f"The DNS server of {client} is {p.instead}.", address=p.instead
    ),
)


def _foreign(network: DrawnNetwork, *_: object) -> str | None:
    taken = [IPv4Network(one.prefix) for one in network.subnets]
    return next((one for one in _FOREIGN if not any(IPv4Network(one).overlaps(other) for other in taken)), None)


def _is_foreign(p: Rogue, found: Configured) -> bool:
    prefix = IPv4Network(p.instead)
    return len(found.addresses) == 1 and IPv4Address(found.addresses[0].partition("/")[0]) in prefix


def _below(p: Rogue, client: str, interface: str) -> Symptom:
    because = f"{interface} of {client} has an address of {p.instead}."
    # all such subnets are /24
    start = str(IPv4Network(p.instead)[0]).removesuffix(".0")
    return shows(client, "address below", because, interface=interface, start=start)


DHCP_SUBNET_SPOOFED = _rogue_fault(
    "dhcp-subnet-spoofed",
    about="A host runs a rogue DHCP server that gives its neighbors addresses of a subnet that nobody else has.",
    label="DHCP_RANGE",
    called={"nika": "dhcp_spoofed_subnet"},
    instead=_foreign,
    offers=lambda p, lab: [moved_leases(config_of(lab, p.server, DhcpServer), IPv4Network(p.instead))],
    own_address=True,
    holds=_is_foreign,
    of_client=_below,
)


def moved_leases(config: DhcpServer, prefix: IPv4Network) -> DhcpServer:
    """What a server is configured with, in another subnet. Clients keep the last part of their addresses."""
    first = int(IPv4Network(config.prefix)[0])
    leases = {mac: str(prefix[int(IPv4Address(address)) - first]) for mac, address in config.leases.items()}
    changed = {"prefix": str(prefix), "gateway": str(prefix[1]), "leases": leases}
    return config.model_copy(update=changed)
