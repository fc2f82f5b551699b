"""Rogue DHCP servers: another host of a LAN answers its neighbors, before the server that should.

Which of two servers answers first is chance. So the right one is stopped while the neighbors ask. From then on they
keep to the server that they have their lease from.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.faults.dhcp import PORT, Configured, DhcpFault, OnDhcp, Served, config_of, on_server, served_lans
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.servers import hosting
from pytest_netbench.faults.wording import about, listed
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import DhcpServer, DnsServer, HostService
from pytest_netbench.model.network import Attachment, DrawnNetwork

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


class _RogueServer(DhcpFault[Rogue]):
    """A rogue DHCP server. A subclass says what it offers, and how its clients show it."""

    parameters = Rogue

    def places(self, network: DrawnNetwork) -> Iterator[Rogue]:
        for one in served_lans(network):
            for rogue in one.clients:
                others = tuple(client for client in one.clients if client is not rogue)
                instead = self._instead(network, one, rogue)
                if others and instead is not None:
                    yield Rogue(
                        **dict(on_server(network, one, rogue, others)),
                        server=one.server.node,
                        server_interface=one.server.interface,
                        instead=instead,
                    )

    def touches(self, parameters: Rogue) -> frozenset[str]:
        of_server = {f"{parameters.server} {what}" for what in (self.kind, parameters.server_interface)}
        return super().touches(parameters) | of_server

    def change(self, parameters: Rogue, lab: Lab) -> None:
        hosting(lab, parameters.node).serve(lab.nodes[parameters.node], self._offers(parameters, lab))

    def inject(self, parameters: Rogue, lab: Lab) -> None:
        driver, node = hosting(lab, parameters.server), lab.nodes[parameters.server]
        driver.throttle_server(node, self.kind, stopped_s=_LONG_S, running_s=_MOMENT_S)
        try:
            super().inject(parameters, lab)
        finally:
            driver.throttle_server(node, self.kind, stopped_s=0.0, running_s=0.0)

    def undo(self, parameters: Rogue, lab: Lab) -> None:
        hosting(lab, parameters.node).withdraw(lab.nodes[parameters.node], self._offers(parameters, lab))
        self.let_ask(parameters, lab)

    def of_server(self, parameters: Rogue, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.node} listens on port {PORT}, and is not the DHCP server of its LAN."
        yield from asking.state(network, parameters.node, "listens", because, port=PORT)

    def explain(self, parameters: Rogue) -> str:
        right = f"The right DHCP server is on {parameters.server}."
        victims = f"{listed(list(parameters.clients))} got it"
        return f"{about(self)} It is on {parameters.node}. {right} {victims}: {parameters.instead}."

    @abstractmethod
    def _instead(self, network: DrawnNetwork, served: Served, rogue: Attachment) -> str | None:
        """What a rogue server on a host gives; ``None`` if it has nothing to give."""

    @abstractmethod
    def _offers(self, parameters: Rogue, lab: Lab) -> Sequence[HostService]:
        """The servers that run on the host of the rogue."""


class DhcpGatewaySpoofed(_RogueServer):
    """A host runs a rogue DHCP server that gives its neighbors the host itself as gateway, and it does not forward."""

    name = "dhcp-gateway-spoofed"
    label = "DHCP_GATEWAY"
    called = {"nika": "dhcp_spoofed_gateway"}

    def _instead(self, network: DrawnNetwork, served: Served, rogue: Attachment) -> str:  # noqa: ARG002  (its address)
        return rogue.address

    def _offers(self, parameters: Rogue, lab: Lab) -> list[HostService]:
        return [config_of(lab, parameters.server).model_copy(update={"gateway": parameters.instead})]

    def holds(self, parameters: Rogue, found: Configured) -> bool:
        return found.gateway == parameters.instead

    def of_client(self, parameters: Rogue, client: str, interface: str, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it has one gateway)
        because = f"The default gateway of {client} is {parameters.instead}."
        yield from asking.state(network, client, "gateway", because, hop=parameters.instead)


class DhcpDnsSpoofed(_RogueServer):
    """A host runs a rogue DHCP server that gives its neighbors the host itself as DNS server, which lies."""

    needs_services: tuple[str, ...] = ("dhcp", "dns")
    name = "dhcp-dns-spoofed"
    label = "DHCP_DNS"
    called = {"nika": "dhcp_spoofed_dns"}

    def _instead(self, network: DrawnNetwork, served: Served, rogue: Attachment) -> str | None:  # noqa: ARG002  (its address)
        return rogue.address if served.config.resolver and served.config.domain else None

    def _offers(self, parameters: Rogue, lab: Lab) -> list[HostService]:
        dhcp = config_of(lab, parameters.server).model_copy(update={"resolver": parameters.instead})
        known = next(one for node in lab.topology.nodes for one in node.services if isinstance(one, DnsServer))
        lies = known.model_copy(update={"records": dict.fromkeys(known.records, parameters.instead)})
        return [dhcp, lies]

    def holds(self, parameters: Rogue, found: Configured) -> bool:
        return found.resolver == parameters.instead

    def of_client(self, parameters: Rogue, client: str, interface: str, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it has one resolver)
        because = f"The DNS server of {client} is {parameters.instead}."
        yield from asking.state(network, client, "resolver", because, address=parameters.instead)


class DhcpSubnetSpoofed(_RogueServer):
    """A host runs a rogue DHCP server that gives its neighbors addresses of a subnet that nobody else has."""

    name = "dhcp-subnet-spoofed"
    label = "DHCP_RANGE"
    called = {"nika": "dhcp_spoofed_subnet"}

    def _instead(self, network: DrawnNetwork, served: Served, rogue: Attachment) -> str | None:  # noqa: ARG002  (any host)
        taken = [IPv4Network(one.prefix) for one in network.subnets]
        return next((one for one in _FOREIGN if not any(IPv4Network(one).overlaps(other) for other in taken)), None)

    def change(self, parameters: Rogue, lab: Lab) -> None:
        self._address("add", parameters, lab)
        super().change(parameters, lab)

    def undo(self, parameters: Rogue, lab: Lab) -> None:
        super().undo(parameters, lab)
        self._address("del", parameters, lab)

    def _offers(self, parameters: Rogue, lab: Lab) -> list[HostService]:
        return [_moved(config_of(lab, parameters.server), IPv4Network(parameters.instead))]

    def of_client(self, parameters: Rogue, client: str, interface: str, network: Observable) -> Iterator[Observation]:
        because = f"{interface} of {client} has an address of {parameters.instead}."
        # all such subnets are /24
        start = str(IPv4Network(parameters.instead)[0]).removesuffix(".0")
        yield from asking.state(network, client, "address below", because, interface=interface, start=start)

    def _address(self, verb: str, parameters: Rogue, lab: Lab) -> None:
        prefix = IPv4Network(parameters.instead)
        command = f"ip address {verb} {prefix[1]}/{prefix.prefixlen} dev {parameters.interface}"
        (done,) = lab.driver(parameters.node).apply(lab.nodes[parameters.node], [command])
        if done.status != "success":
            raise LabError(f"{parameters.node}: {command}: {done.message}")

    def holds(self, parameters: Rogue, found: Configured) -> bool:
        prefix = IPv4Network(parameters.instead)
        return len(found.addresses) == 1 and IPv4Address(found.addresses[0].partition("/")[0]) in prefix


def _moved(config: DhcpServer, prefix: IPv4Network) -> DhcpServer:
    """What a server is configured with, in another subnet. Clients keep the last part of their addresses."""
    first = int(IPv4Network(config.prefix)[0])
    leases = {mac: str(prefix[int(IPv4Address(address)) - first]) for mac, address in config.leases.items()}
    changed = {"prefix": str(prefix), "gateway": str(prefix[1]), "leases": leases}
    return config.model_copy(update=changed)
