"""DrawnNetwork: a network on paper: a topology with startup configs, and what is known about them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import permutations
from typing import Any, Literal

from pytest_netbench.model.base import Model
from pytest_netbench.model.services import AccessList, Marking, Translation, Validation
from pytest_netbench.model.topology import Topology

SubnetKind = Literal["lan", "transit", "loopback", "management"]
"""lan: hosts and their gateways. transit: between routers. loopback: one router. management: a controller and its
switches."""


class Attachment(Model):
    """An interface in a subnet. ``address`` is an IPv4 address without a mask."""

    node: str
    interface: str
    address: str


class Subnet(Model):
    """An IPv4 subnet and the interfaces in it, routers first.

    Attributes:
        prefix: For example ``10.0.1.0/24``.
        area: OSPF area of the routers' interfaces in it; ``None`` without OSPF.
        gateway: Address that hosts of a LAN use as default gateway; ``None`` for other kinds.
        attachments: Each interface with an address in the subnet. A gateway address that several routers share is not
            among them.
    """

    name: str
    kind: SubnetKind
    prefix: str
    area: int | None = None
    gateway: str | None = None
    attachments: tuple[Attachment, ...]


class MatrixEntry(Model):
    """Traffic between the LANs of two routers, in any unit: only proportions count."""

    source: str
    target: str
    value: float


class DrawnNetwork(Model):
    """A network in which every host reaches every other host, unless addresses are translated.

    Attributes:
        platform: Platform of the routers and switches. Hosts are ``linux``.
        routers: Names of nodes that forward between subnets, switches with routed interfaces among them.
        hosts: Names of hosts that work.
        switched_off: Names of hosts that do not, by intent.
        addresses: By node: the address under which other nodes reach it: of a host its only one, of a router its
            loopback or else its first. A switch without an address is missing.
        autonomous_systems: By router with BGP: its AS number.
        access_lists: Of the service ``filter``.
        translations: Of the service ``nat``. Hosts with a translated address cannot be reached from others.
        markings: Of the service ``qos``.
        validations: Of the service ``rpki``, one for each session with another autonomous system.
        matrix: Traffic matrix of a backbone; empty for other shapes.
    """

    shape: str
    routing: str
    platform: str
    topology: Topology
    startup_configs: dict[str, str]
    subnets: tuple[Subnet, ...]
    routers: tuple[str, ...]
    hosts: tuple[str, ...]
    addresses: dict[str, str]
    autonomous_systems: dict[str, int]
    switched_off: tuple[str, ...] = ()
    access_lists: tuple[AccessList, ...] = ()
    translations: tuple[Translation, ...] = ()
    markings: tuple[Marking, ...] = ()
    validations: tuple[Validation, ...] = ()
    matrix: tuple[MatrixEntry, ...] = ()

    # cached, and so of the subnets alone: a copy with other hosts or configurations takes the values along
    @cached_property
    def lans(self) -> tuple[Subnet, ...]:
        """The subnets that have hosts."""
        return tuple(subnet for subnet in self.subnets if subnet.kind == "lan")

    @cached_property
    def _lans_by_node(self) -> Mapping[str, Subnet]:
        """By node of a LAN, host or router: the first LAN of it."""
        return {one.node: subnet for subnet in reversed(self.lans) for one in subnet.attachments}

    @property
    def flows(self) -> tuple[tuple[str, str], ...]:
        """The ordered pairs of hosts of which the first must reach the second by ping."""
        return tuple((one, other) for one, other in permutations(self.hosts, 2) if self.reaches(one, other))

    def reaches(self, source: str, target: str) -> bool:
        """Whether packets of one host can be sent to the address of another one, which then can answer."""
        return self.is_hidden(source) or not self.is_hidden(target)

    def is_hidden(self, host: str) -> bool:
        """Whether the address of a host is translated."""
        if not self.translations:
            return False
        lan = self.lan_of(host).prefix
        return any(lan in translation.hidden for translation in self.translations)

    @property
    def transits(self) -> tuple[Subnet, ...]:
        """The subnets between routers."""
        return tuple(subnet for subnet in self.subnets if subnet.kind == "transit")

    def platform_of(self, node: str) -> str:
        """Return the platform of a node."""
        return self.topology.node(node).platform or self.platform

    def is_managed(self, node: str) -> bool:
        """Whether an agent may change a node."""
        return self.topology.node(node).control == "managed"

    def lan_of(self, host: str) -> Subnet:
        """Return the subnet of ``host``.

        Raises:
            KeyError: There is no such host.
        """
        if host not in self.hosts:
            raise KeyError(host)
        return self._lans_by_node[host]

    def fields(self) -> dict[str, Any]:
        """Return the fields of a task's payload (``model.payload.Networked``) that deploy this network."""
        return {
            "platform": self.platform,
            "topology": self.topology,
            "startup_configs": dict(self.startup_configs),
            "strict": True,
        }
