"""Packets that are too long for a link: faults that lose them only beside its low MTU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.access_lists import Blocked, blocking, lists_of, lost
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnPort, given, of_port, on_port
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.hosts import HostInLan, dropping, host_fault, hosts_in
from pytest_netbench.faults.paths import routers_of
from pytest_netbench.faults.router_links import router_links
from pytest_netbench.model.network import DrawnNetwork

MTUS: Final = (576, 640, 768)
"""Bytes: less than the packets of demands have, and more than those of pings and routing protocols."""
TABLES: Final = ("filter", "guard", "local")
_COMPANY: Final = "link-mtu-configured-low"
_PLATFORM: Final = "cisco_ios"
"""FRR's configuration has no MTU."""
_RULE: Final = "icmp type destination-unreachable icmp code frag-needed drop"


class LowMtu(OnPort):
    """A link between two routers of one platform, and the MTU in bytes that both its ends have.

    Attributes:
        interface: Of the node, to the link.
        peer: The router at the other end.
        peer_interface: Its interface.
        prefix: Of the link.
        mtu: Of both.
    """

    peer: str
    peer_interface: str
    prefix: str
    mtu: int


def low_links(network: DrawnNetwork, node: str) -> Iterator[LowMtu]:
    """Each link of a router to another one of its platform, both of which can be changed, with each lower MTU."""
    if network.platform_of(node) != _PLATFORM or not network.is_managed(node):
        return
    for link in network.transits:
        if len(link.attachments) != 2 or node not in {one.node for one in link.attachments}:
            continue
        near, far = sorted(link.attachments, key=lambda one: one.node != node)
        if network.platform_of(far.node) == _PLATFORM and network.is_managed(far.node):
            ends = {"interface": near.interface, "peer": far.node, "peer_interface": far.interface}
            for mtu in MTUS:
                yield LowMtu.of(network, node, **ends, prefix=link.prefix, mtu=mtu)


def _lowered(p: LowMtu) -> Change:
    other = p.model_copy(update={"node": p.peer, "interface": p.peer_interface})
    here, there = (
        Change(inject=on_port(one, f"ip mtu {p.mtu}"), repair=on_port(one, *p.without("ip mtu"))) for one in (p, other)
    )
    ends = f"{p.node} {p.interface} and {p.peer} {p.peer_interface}"
    return Change(
        inject=here.inject,
        repair=here.repair,
        elsewhere={p.peer: there},
        symptoms=(given(asking.config, p.peer, there.inject, f"{p.peer} has this MTU at the other end of the link."),),
        detail=f"It is {p.mtu} bytes on {ends}.",
    )


# alone it breaks nothing: senders are told by ICMP, and send shorter packets
LINK_MTU_CONFIGURED_LOW = config_fault(
    _COMPANY,
    about="Both ends of a link between routers have an MTU that is lower than the packets of hosts.",
    label="LINK_MTU",
    domain="link",
    found_at="link",
    parameters=LowMtu,
    platforms=(_PLATFORM,),
    shown_by="company",
    called={"nika": "mtu_mismatch"},
    at=lambda network: (one for node in network.routers for one in low_links(network, node)),
    touches=lambda p: of_port(p) | {f"{p.peer} {p.peer_interface}", f"ospf {p.prefix}"},
    change=_lowered,
)


class FragNeededDenied(HostInLan):
    """A host, and the name of the table of its packet filter."""

    table: str


def _first_links(p: HostInLan, network: DrawnNetwork) -> Iterator[LowMtu]:
    """Each link over which a host sends first, with each lower MTU."""
    return (one for node in routers_of(network, network.lan_of(p.node)) for one in low_links(network, node))


ICMP_FRAG_NEEDED_DENIED = host_fault(
    "icmp-frag-needed-denied",
    about="A packet filter of a host drops the ICMP messages which say that its packets are too long for a link.",
    label="FRAG_NEEDED",
    domain="policy",
    parameters=FragNeededDenied,
    shown_by="telemetry",
    company=_COMPANY,
    accompanied=_first_links,
    called={"nika": "icmp_frag_needed_filter_misconfiguration"},
    at=lambda network: (
        FragNeededDenied(**dict(host), table=table)
        for _, host in hosts_in(network)
        for table in TABLES
        if next(_first_links(host, network), None)
    ),
    touches=lambda p: of_port(p) | {f"{p.node} table inet {p.table}"},
    change=lambda p: dropping(p.table, _RULE),
)


def _of_link(p: Blocked, network: DrawnNetwork) -> Iterator[LowMtu]:
    """The link that a list is on, with each lower MTU."""
    return (one for one in low_links(network, p.node) if one.prefix == p.prefix)


def _untranslated(network: DrawnNetwork) -> Iterator[Blocked]:
    for one in lists_of(network, router_links(network)):
        # whoever translates addresses joins fragments first
        translates = "ip nat " in network.startup_configs.get(one.node, "")
        if not translates and next(_of_link(one, network), None):
            yield one


# it shows only where the MTU of the link is lower than the packets of hosts, so that is injected with it
FRAGMENTS_DENIED = blocking(
    "fragments-denied",
    "ip any any fragments",
    about="An access list of a router denies fragments that come in over a link, so that packets too long for it are"
    " lost.",
    label="ACL_FRAGMENTS",
    shown_by="telemetry",
    company=_COMPANY,
    accompanied=_of_link,
    called={"nika": "link_fragmentation_disabled"},
    at=_untranslated,
    change=lambda p: lost(p.peer, "large pings lost", f"Long pings of {p.peer} to {p.node} are lost.", p.address),
)
