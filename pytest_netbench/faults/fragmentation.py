"""Packets that are too long for a link: faults that lose them only beside its low MTU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.blocking import Blocked, Blocking, lists_of_links
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import HostFault, HostInLan
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.syntax import below
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

MTUS: Final = (576, 640, 768)
"""Bytes: less than the packets of demands have, and more than those of pings and routing protocols."""
TABLES: Final = ("filter", "guard", "local")
_RULE: Final = "icmp type destination-unreachable icmp code frag-needed drop"


class LowMtu(OnDevice):
    """A link between two routers of one platform, and the MTU in bytes that both its ends have.

    Attributes:
        interface: Of the node, to the link.
        peer: The router at the other end.
        peer_interface: Its interface.
        prefix: Of the link.
        mtu: Of both.
    """

    interface: str
    peer: str
    peer_interface: str
    prefix: str
    mtu: int

    @property
    def ends(self) -> tuple[LowMtu, LowMtu]:
        """The link seen from the node, and from its peer."""
        other = {"node": self.peer, "interface": self.peer_interface}
        return self, self.model_copy(update={**other, "peer": self.node, "peer_interface": self.interface})


class LinkMtuConfiguredLow(DeviceFault[LowMtu]):
    """Both ends of a link between routers have an MTU that is lower than the packets of hosts.

    Alone it breaks nothing: senders are told by ICMP, and send shorter packets. FRR's configuration has no MTU.
    """

    shown_by = "company"
    name = "link-mtu-configured-low"
    label = "LINK_MTU"
    parameters = LowMtu
    platforms = ("cisco_ios",)
    found_at = "link"
    domain = "link"
    called = {"nika": "mtu_mismatch"}

    def _places(self, network: DrawnNetwork) -> Iterator[LowMtu]:
        for node in network.routers:
            yield from low_links(network, node)

    def touches(self, parameters: LowMtu) -> frozenset[str]:
        ends = (f"{one.node} {one.interface}" for one in parameters.ends)
        return frozenset({*ends, f"ospf {parameters.prefix}"})

    def inject(self, parameters: LowMtu, lab: Lab) -> None:
        for one in parameters.ends:
            super().inject(one, lab)

    def observe(self, parameters: LowMtu, lab: Lab) -> None:
        for one in parameters.ends:
            super().observe(one, lab)

    def recover(self, parameters: LowMtu) -> Commands:
        return {one.node: self.repair(one) for one in parameters.ends}

    def injection(self, parameters: LowMtu) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", f"ip mtu {parameters.mtu}")

    def repair(self, parameters: LowMtu) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", "no ip mtu")

    def symptoms(self, parameters: LowMtu, network: Observable) -> Iterator[Observation]:
        _, other = parameters.ends
        if other.node in network.platforms:
            yield asking.config(
                other.node, self.shown(other), f"{other.node} has this MTU at the other end of the link."
            )

    def explain(self, parameters: LowMtu) -> str:
        ends = " and ".join(f"{one.node} {one.interface}" for one in parameters.ends)
        return f"{about(self)} It is {parameters.mtu} bytes on {ends}."


class FragNeededDenied(HostInLan):
    """A host, and the name of the table of its packet filter."""

    table: str


class IcmpFragNeededDenied(HostFault[FragNeededDenied]):
    """A packet filter of a host drops the ICMP messages which say that its packets are too long for a link.

    It shows only where the MTU of a link is lower, so that is injected with it.
    """

    shown_by = "telemetry"
    domain = "policy"
    name = "icmp-frag-needed-denied"
    label = "FRAG_NEEDED"
    parameters = FragNeededDenied
    called = {"nika": "icmp_frag_needed_filter_misconfiguration"}
    company = LinkMtuConfiguredLow.name

    def accompanied(self, parameters: FragNeededDenied, network: DrawnNetwork) -> Iterator[LowMtu]:
        """Each link over which the host sends first, with each lower MTU."""
        for one in network.lan_of(parameters.node).attachments:
            if one.node in network.routers:
                yield from low_links(network, one.node)

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[FragNeededDenied]:  # noqa: ARG002  (its routers are asked)
        for table in TABLES:
            found = FragNeededDenied(**dict(host), table=table)
            if next(self.accompanied(found, network), None):
                yield found

    def touches(self, parameters: FragNeededDenied) -> frozenset[str]:
        return super().touches(parameters) | {f"{parameters.node} table inet {parameters.table}"}

    def injection(self, parameters: FragNeededDenied) -> tuple[str, ...]:
        table = parameters.table
        return (
            f"nft add table inet {table}",
            f"nft 'add chain inet {table} input {{ type filter hook input priority filter; policy accept; }}'",
            f"nft add rule inet {table} input {_RULE}",
        )

    def repair(self, parameters: FragNeededDenied) -> tuple[str, ...]:
        return (f"nft delete table inet {parameters.table}",)

    def shown(self, parameters: FragNeededDenied) -> tuple[str, ...]:
        return (f"table inet {parameters.table}", " chain input", f"  {_RULE}")

    def symptoms(self, parameters: FragNeededDenied, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (short pings pass)
        return iter(())


class FragmentsDenied(Blocking):
    """An access list of a router denies fragments that come in over a link, so that packets too long for it are lost.

    It shows only where the MTU of the link is lower than the packets of hosts, so that is injected with it.
    """

    shown_by = "telemetry"
    name = "fragments-denied"
    label = "ACL_FRAGMENTS"
    called = {"nika": "link_fragmentation_disabled"}
    denied = ("ip any any fragments",)
    company = LinkMtuConfiguredLow.name

    def accompanied(self, parameters: Blocked, network: DrawnNetwork) -> Iterator[LowMtu]:
        """The link that the list is on, with each lower MTU."""
        return (one for one in low_links(network, parameters.node) if one.prefix == parameters.prefix)

    def _places(self, network: DrawnNetwork) -> Iterator[Blocked]:
        for one in lists_of_links(network):
            # whoever translates addresses joins fragments first
            translates = "ip nat " in network.startup_configs.get(one.node, "")
            if not translates and next(self.accompanied(one, network), None):
                yield one

    def symptoms(self, parameters: Blocked, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"Long pings of {p.peer} to {p.node} are lost."
        yield from asking.state(network, p.peer, "large pings lost", because, address=p.address)


def low_links(network: DrawnNetwork, node: str) -> Iterator[LowMtu]:
    """Each link of a router to another one of its platform, both of which can be changed, with each lower MTU."""
    platform = network.platform_of(node)
    if platform not in LinkMtuConfiguredLow.platforms or not network.is_managed(node):
        return
    for link in network.transits:
        if len(link.attachments) != 2 or node not in {one.node for one in link.attachments}:
            continue
        near, far = sorted(link.attachments, key=lambda one: one.node != node)
        if network.platform_of(far.node) == platform and network.is_managed(far.node):
            for mtu in MTUS:
                yield LowMtu(
                    node=node,
                    platform=platform,
                    interface=near.interface,
                    peer=far.node,
                    peer_interface=far.interface,
                    prefix=link.prefix,
                    mtu=mtu,
                )
