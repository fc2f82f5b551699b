"""Faults of DHCP servers. The clients of the server's LAN ask again once it is wrong, and so have what it gives them.

Each is observed at the server and at each client.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.injecting import await_effects
from pytest_netbench.faults.servers import OnServer, ProgramFault, hosting
from pytest_netbench.faults.wording import about, listed
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import DhcpServer, ServerName
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

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


P = TypeVar("P", bound=OnDhcp)


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


def config_of(lab: Lab, node: str) -> DhcpServer:
    """What the DHCP server of a host is configured with in the healthy network."""
    return next(one for one in lab.topology.node(node).services if isinstance(one, DhcpServer))


def configured(lab: Lab, node: str, interface: str) -> Configured:
    """Read what a host has at present."""
    asked = (
        ("ip", "-j", "-4", "address", "show", "dev", interface),
        ("ip", "-j", "-4", "route", "show", "default"),
        ("cat", _RESOLV_CONF),
    )
    addresses, routes, names = (done.stdout for done in lab.nodes[node].run_many(asked))
    return Configured(
        addresses=tuple(
            f"{one['local']}/{one['prefixlen']}"
            for link in json.loads(addresses or "[]")
            for one in link.get("addr_info", ())
        ),
        gateway=next((route.get("gateway") for route in json.loads(routes or "[]")), None),
        resolver=next((line.split()[1] for line in names.splitlines() if line.startswith("nameserver ")), None),
    )


class DhcpFault(ProgramFault[P]):
    """What faults of DHCP share. A subclass says what becomes of the server, and what a client then has."""

    kind: ClassVar[ServerName] = "dhcp"
    needs_services: tuple[str, ...] = ("dhcp",)

    def touches(self, parameters: P) -> frozenset[str]:
        # whoever gets a lease gets an address, a route and a resolver with it, over the cables of the LAN
        of_clients = {f"{node} {what}" for node, port in parameters.clients.items() for what in (port, "resolver")}
        of_server = {f"{parameters.node} {what}" for what in (self.kind, parameters.interface)}
        return frozenset({*of_clients, *of_server, *(f"all of {node}" for node in parameters.gateways)})

    def inject(self, parameters: P, lab: Lab) -> None:
        self.change(parameters, lab)
        self.let_ask(parameters, lab)
        # files of services are read and written again as soon as all faults are injected
        fault: Any = self
        await_effects([(fault, parameters)], lab, least_s=_ASKED_S)

    def let_ask(self, parameters: P, lab: Lab) -> None:
        """Let the clients give back their leases, and ask for others."""
        for client in parameters.clients:
            hosting(lab, client).ask_again(lab.nodes[client])

    def observe(self, parameters: P, lab: Lab) -> None:
        node = lab.nodes[parameters.node]
        if hosting(lab, parameters.node).server_runs(node, self.kind) is not self.server_runs:
            runs = "does not run" if self.server_runs else "runs"
            raise FaultHasNoEffect(self.name, f"the DHCP server of {parameters.node} {runs}")
        for client, interface in parameters.clients.items():
            if not self.holds(parameters, found := configured(lab, client, interface)):
                raise FaultHasNoEffect(self.name, f"{client} has {found._asdict()}")

    def explain(self, parameters: P) -> str:
        return f"{about(self)} It is the one on {parameters.node}. {listed(list(parameters.clients))} asked it."

    def evidence(self, parameters: P, network: Observable) -> Iterator[Observation]:
        yield from self.of_server(parameters, network)
        for client, interface in parameters.clients.items():
            yield from self.of_client(parameters, client, interface, network)

    # what a subclass says

    server_runs: ClassVar[bool] = True
    """Whether a DHCP server runs on the node of the fault while it is there."""

    @abstractmethod
    def change(self, parameters: P, lab: Lab) -> None:
        """Make what is wrong with the server."""

    @abstractmethod
    def holds(self, parameters: P, found: Configured) -> bool:
        """Whether a client has what it gets from the server."""

    @abstractmethod
    def of_server(self, parameters: P, network: Observable) -> Iterator[Observation]:
        """What an agent can observe at the server."""

    def of_client(self, parameters: P, client: str, interface: str, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (subclasses need them)
        """What an agent can observe at a client."""
        because = f"{interface} of {client} has no address."
        yield from asking.state(network, client, "no address", because, interface=interface)


def on_server(network: DrawnNetwork, served: Served, node: Attachment, clients: tuple[Attachment, ...]) -> OnDhcp:
    """Parameters of a server on a host of a LAN, with these clients."""
    return OnDhcp(
        node=node.node,
        platform=network.platform_of(node.node),
        interface=node.interface,
        clients={one.node: one.interface for one in clients},
        gateways=tuple(one.node for one in served.lan.attachments if one.node not in network.hosts),
    )


class DhcpServerDown(DhcpFault[OnDhcp]):
    """The DHCP server of a LAN does not run: its clients have no address."""

    name = "dhcp-server-down"
    label = "DHCP_DOWN"
    parameters = OnDhcp
    called = {"nika": "dhcp_service_down"}
    server_runs = False

    def places(self, network: DrawnNetwork) -> Iterator[OnDhcp]:
        for one in served_lans(network):
            yield on_server(network, one, one.server, one.clients)

    def of_server(self, parameters: OnDhcp, network: Observable) -> Iterator[Observation]:
        because = f"Nothing on {parameters.node} listens on port {PORT}."
        yield from asking.state(network, parameters.node, "nothing listens", because, port=PORT)

    def change(self, parameters: OnDhcp, lab: Lab) -> None:
        hosting(lab, parameters.node).end_server(lab.nodes[parameters.node], self.kind)

    def undo(self, parameters: OnDhcp, lab: Lab) -> None:
        hosting(lab, parameters.node).start_server(lab.nodes[parameters.node], self.kind)

    def holds(self, parameters: OnDhcp, found: Configured) -> bool:  # noqa: ARG002  (nobody gives it any)
        return not found.addresses


class MissingSubnet(OnDhcp):
    """A DHCP server, and the prefix of another LAN that it serves instead of its own."""

    instead: str


class DhcpSubnetMissing(DhcpFault[MissingSubnet]):
    """The DHCP server of a LAN has a range of addresses for another LAN and none for its own."""

    name = "dhcp-subnet-missing"
    label = "DHCP_SUBNET"
    parameters = MissingSubnet
    called = {"nika": "dhcp_missing_subnet"}

    def places(self, network: DrawnNetwork) -> Iterator[MissingSubnet]:
        for one in served_lans(network):
            others = [lan.prefix for lan in network.lans if lan != one.lan]
            for instead in others[:1]:
                place = on_server(network, one, one.server, one.clients)
                yield MissingSubnet(**dict(place), instead=instead)

    def of_server(self, parameters: MissingSubnet, network: Observable) -> Iterator[Observation]:
        because = f"The DHCP server of {parameters.node} has a range for {parameters.instead}."
        start = IPv4Network(parameters.instead).network_address
        yield from asking.state(network, parameters.node, "DHCP range", because, start=start)

    def change(self, parameters: MissingSubnet, lab: Lab) -> None:
        config = config_of(lab, parameters.node)
        self._serve(config.model_copy(update={"prefix": parameters.instead}), parameters, lab)

    def undo(self, parameters: MissingSubnet, lab: Lab) -> None:
        self._serve(config_of(lab, parameters.node), parameters, lab)

    def _serve(self, config: DhcpServer, parameters: MissingSubnet, lab: Lab) -> None:
        driver, node = hosting(lab, parameters.node), lab.nodes[parameters.node]
        driver.end_server(node, self.kind)
        driver.serve(node, [config])

    def holds(self, parameters: MissingSubnet, found: Configured) -> bool:  # noqa: ARG002  (nobody gives it any)
        return not found.addresses

    def explain(self, parameters: MissingSubnet) -> str:
        return f"{super().explain(parameters)} It has a range for {parameters.instead}, so they got no address."
