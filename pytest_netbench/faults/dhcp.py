"""Faults of DHCP servers. The clients of the server's LAN ask again once it is wrong, and so have what it gives them.

Each is observed at the server and at each client.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from ipaddress import IPv4Network
from typing import Any, Final, NamedTuple, TypeVar

from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Act, Change, Symptom, common, given, shows
from pytest_netbench.faults.injecting import await_effects
from pytest_netbench.faults.servers import OnServer, hosting, process_fault, serving
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import DhcpServer
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet
from pytest_netbench.platforms.capabilities import EXEC
from pytest_netbench.text import listed

PORT: Final = 67
_RESOLV_CONF = "/etc/resolv.conf"
_ASKED_S: Final = 12.0
"""A client that gets no answer asks again after whole seconds, which no time scale shortens."""


class OnDhcp(OnServer):
    """A host with a DHCP server, its interface, its clients, and the routers of the LAN.

    Attributes:
        interface: Interface of the host in the LAN.
        clients: By host that asks: its interface in the LAN.
        gateways: Routers in the LAN.
    """

    interface: str
    clients: dict[str, str]
    gateways: tuple[str, ...]


D = TypeVar("D", bound=OnDhcp)


class Served(NamedTuple):
    """A LAN with the attachments of its DHCP server and of those who use it, and what the server is configured with."""

    lan: Subnet
    server: Attachment
    clients: tuple[Attachment, ...]
    config: DhcpServer


class Configured(NamedTuple):
    """What a host has: its IPv4 addresses with masks, its default gateway, and its DNS server."""

    addresses: tuple[str, ...]
    gateway: str | None
    resolver: str | None


def served_lans(network: DrawnNetwork) -> Iterator[Served]:
    """The LANs of a network that have a DHCP server and clients."""
    kinds = {node.name: {one.kind: one for one in node.services} for node in network.topology.nodes}
    for lan in network.lans:
        clients = tuple(one for one in lan.attachments if "dhcp-client" in kinds[one.node])
        for one in lan.attachments:
            config = kinds[one.node].get("dhcp")
            if isinstance(config, DhcpServer) and clients:
                yield Served(lan, one, clients, config)


def configured(lab: Lab, node: str, interface: str) -> Configured:
    """Read what a host has at present."""
    asked = (
        ("ip", "-j", "-4", "address", "show", "dev", interface),
        ("ip", "-j", "-4", "route", "show", "default"),
        ("cat", _RESOLV_CONF),
    )
    addresses, routes, names = (done.stdout for done in lab.nodes[node].capability(EXEC).run_many(asked))
    return Configured(
        addresses=tuple(
            f"{one['local']}/{one['prefixlen']}"
            for link in json.loads(addresses or "[]")
            for one in link.get("addr_info", ())
        ),
        gateway=next((route.get("gateway") for route in json.loads(routes or "[]")), None),
        resolver=next((line.split()[1] for line in names.splitlines() if line.startswith("nameserver ")), None),
    )


def let_ask(lab: Lab, p: OnDhcp) -> None:
    """Let the clients give back their leases, and ask for others."""
    for client in p.clients:
        hosting(lab, client).ask_again(lab.nodes[client])


def dhcp_fault(
    name: str,
    *,
    change: Callable[[D], Change],
    symptom: Callable[[D], Symptom],
    holds: Callable[[D, Configured], bool] = lambda _, found: not found.addresses,
    of_client: Callable[[D, str, str], Symptom] | None = None,
    runs: bool = True,
    touches: Callable[[D], Iterable[str]] = lambda _: (),
    around: Callable[[D, Act], Act] = lambda _, act: act,
    **fields: Any,
) -> OutsideValue[D]:
    """A fault of a DHCP server.

    Args:
        name: Of the fault.
        change: What becomes of the server, how that is undone, and what says so.
        symptom: What an agent can observe at the server.
        holds: Whether a client has what it gets from the server; by default it gets nothing.
        of_client: What an agent can observe at a client, which is at an interface; by default that it has no address.
        runs: Whether a DHCP server runs on the node of the fault while it is there.
        touches: What it touches beside its server, the clients and the gateways.
        around: What is done around the injection.
        fields: Further ones of the fault.
    """

    def is_right(lab: Lab, p: D) -> Iterator[str]:
        if hosting(lab, p.node).server_runs(lab.nodes[p.node], "dhcp") is not runs:
            yield f"the DHCP server of {p.node} {'runs' if not runs else 'does not run'}"
        for client, interface in p.clients.items():
            if not holds(p, found := configured(lab, client, interface)):
                yield f"{client} has {found._asdict()}"

    def whole(p: D) -> Change:
        wrong = change(p)

        def act(lab: Lab) -> None:
            assert wrong.act is not None
            wrong.act(lab)
            let_ask(lab, p)
            # files of services are read and written again as soon as all faults are injected
            await_effects([(fault, p)], lab, least_s=_ASKED_S)

        return Change(
            act=around(p, act),
            undo=wrong.undo,
            checks=(given(is_right, p),),
            symptoms=(symptom(p), *(common((of_client or _no_address)(p, *one)) for one in p.clients.items())),
            detail=wrong.detail or f"It is the one on {p.node}. {listed(list(p.clients))} asked it.",
        )

    def touched(p: D) -> frozenset[str]:
        # whoever gets a lease gets an address, a route and a resolver with it, over the cables of the LAN
        of_clients = (f"{node} {what}" for node, port in p.clients.items() for what in (port, "resolver"))
        of_server = (f"{p.node} dhcp", f"{p.node} {p.interface}")
        return frozenset((*of_clients, *of_server, *(f"all of {node}" for node in p.gateways), *touches(p)))

    usual = {"needs_services": ("dhcp",), "touches": touched, "change": whole}
    fault: OutsideValue[D] = process_fault(name, **{**usual, **fields})
    return fault


def _no_address(_p: OnDhcp, client: str, interface: str) -> Symptom:
    return shows(client, "no address", f"{interface} of {client} has no address.", interface=interface)


def on_server(network: DrawnNetwork, served: Served, node: Attachment, clients: tuple[Attachment, ...]) -> OnDhcp:
    """Parameters of a server on a host of a LAN, with these clients."""
    return OnDhcp.of(
        network,
        node.node,
        interface=node.interface,
        clients={one.node: one.interface for one in clients},
        gateways=tuple(one.node for one in served.lan.attachments if one.node not in network.hosts),
    )


DHCP_SERVER_DOWN: OutsideValue[OnDhcp] = dhcp_fault(
    "dhcp-server-down",
    about="The DHCP server of a LAN does not run: its clients have no address.",
    label="DHCP_DOWN",
    parameters=OnDhcp,
    called={"nika": "dhcp_service_down"},
    at=lambda network: (on_server(network, one, one.server, one.clients) for one in served_lans(network)),
    runs=False,
    change=lambda p: Change(
        act=lambda lab: hosting(lab, p.node).end_server(lab.nodes[p.node], "dhcp"),
        undo=lambda lab: hosting(lab, p.node).start_server(lab.nodes[p.node], "dhcp"),
    ),
    symptom=lambda p: shows(p.node, "nothing listens", f"Nothing on {p.node} listens on port {PORT}.", port=PORT),
)


class MissingSubnet(OnDhcp):
    """A DHCP server, and the prefix of another LAN that it serves instead of its own."""

    instead: str


def _for_others(network: DrawnNetwork) -> Iterator[MissingSubnet]:
    for one in served_lans(network):
        others = [lan.prefix for lan in network.lans if lan != one.lan]
        for instead in others[:1]:
            yield MissingSubnet(**dict(on_server(network, one, one.server, one.clients)), instead=instead)


def _moved(p: MissingSubnet) -> Change:
    said = f"It is the one on {p.node}. {listed(list(p.clients))} asked it."
    return Change(
        act=serving(p.node, DhcpServer, lambda one: one.model_copy(update={"prefix": p.instead}), ends="dhcp"),
        undo=serving(p.node, DhcpServer, ends="dhcp"),
        detail=f"{said} It has a range for {p.instead}, so they got no address.",
    )


def _range(p: MissingSubnet) -> Symptom:
    because = f"The DHCP server of {p.node} has a range for {p.instead}."
    return shows(p.node, "DHCP range", because, start=IPv4Network(p.instead).network_address)


DHCP_SUBNET_MISSING = dhcp_fault(
    "dhcp-subnet-missing",
    about="The DHCP server of a LAN has a range of addresses for another LAN and none for its own.",
    label="DHCP_SUBNET",
    parameters=MissingSubnet,
    called={"nika": "dhcp_missing_subnet"},
    at=_for_others,
    change=_moved,
    symptom=_range,
)
