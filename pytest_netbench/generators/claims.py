"""Reports that claim where something is wrong, and what: right, or wrong in a drawn way.

All are written in the same words, and what they name has the same distribution. So a text alone tells neither whether
its claim is right nor whether anything is wrong at all.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, get_args

from pytest_netbench.generators.networks import DrawnNetwork
from pytest_netbench.generators.reports import COMPLAINTS, hosts_near
from pytest_netbench.model.diagnosis import ReportTruth
from pytest_netbench.model.faulty import fault_of

_LATELY: Final = (
    "There was planned work on {device} last night. It was closed as successful.",
    "A colleague changed something on {device} yesterday.",
    "{device} was red in the monitoring for a moment this morning.",
    "{device} has been under suspicion since last week.",
)
_SUSPICION: Final = (
    "The last shift suspected {cause}.",
    "Our guess is {cause}.",
    "It looks like {cause} to us.",
)
_CLOSING: Final = (
    "We have not verified this. Please have a look.",
    "Please check, it may be something else, or nothing.",
    "Please find out whether this is so.",
)
_CAUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "OSPF between routers": ("ospf-",),
    "a BGP session or what it announces": ("bgp-",),
    "the address translation": ("nat-",),
    "packets that are too long for a link": ("link-mtu", "interface-mtu", "fragments-", "icmp-frag"),
    "a link that is too slow": ("link-slow", "link-queue"),
    "a bad cable": ("link-",),
    "a port or its VLAN": ("port-", "vlan-", "interface-"),
    "a route that leads nowhere": ("static-", "route-", "host-route-", "host-neighbor-", "ecmp-", "flow-rule-"),
    "name resolution": ("dns-", "host-resolver-"),
    "a web server": ("web-", "http-", "lb-", "tcp-", "host-cpu-", "host-receive-"),
    "addresses that a DHCP server hands out": ("dhcp-",),
    "a tunnel": ("vpn-",),
}
"""By cause, as operators call it: how the names of its faults begin. The first that fits counts."""
_CAUSES_OF_DOMAINS: Final[Mapping[str, str]] = {
    "addressing": "an address that is wrong or there twice",
    "filtering": "a filter",
    "node": "a device that has crashed",
    "policy": "a filter",
}
_OTHER_CAUSE: Final = "something that nobody has thought of"


def draw_claim(
    network: DrawnNetwork,
    injected: Sequence[tuple[str, Collection[str]]],
    faults: Sequence[str],
    truth: ReportTruth | None,
    source: random.Random,
) -> tuple[str, ReportTruth]:
    """Draw a report.

    Args:
        network: The network.
        injected: The faults that were drawn, each with its nodes. A healthy network has them too, and they are left
            out only later, so that its report is of the same distribution.
        faults: All that might have been drawn.
        truth: What is right of it; ``None`` draws it.
        source: Of the choices.

    Returns:
        The text, and what is right of it.
    """
    drawn = source.choice(get_args(ReportTruth))
    is_what = truth or drawn
    fault, nodes = source.choice(injected)
    own = {node for _, several in injected for node in several}
    near = hosts_near(network, own)
    far = [host for host in network.hosts if host not in near]
    one = source.choice((far if is_what == "elsewhere" else near) or list(network.hosts))
    others = [host for host in (far if is_what == "elsewhere" else network.hosts) if host != one]
    other = source.choice(others or [host for host in network.hosts if host != one] or list(network.hosts))
    device = source.choice(sorted(nodes))
    if is_what in ("wrong-device", "elsewhere"):
        device = source.choice(_others(network, device, own))
    cause = cause_of(fault)
    if is_what == "wrong-cause":
        right = {cause_of(name) for name, _ in injected}
        cause = cause_of(source.choice([name for name in faults if cause_of(name) not in right] or [fault]))
    words = [source.choice(several) for several in (COMPLAINTS, _LATELY, _SUSPICION, _CLOSING)]
    return " ".join(one_of.format(one=one, other=other, device=device, cause=cause) for one_of in words), is_what


def cause_of(fault: str) -> str:
    """What operators call a fault who do not know what is wrong."""
    for cause, beginnings in _CAUSES.items():
        if fault.startswith(beginnings):
            return cause
    found: Any = fault_of(fault)
    return _CAUSES_OF_DOMAINS.get(found.domain, _OTHER_CAUSE)


def _others(network: DrawnNetwork, device: str, without: Collection[str]) -> list[str]:
    """Other nodes, of the same kind if there are any: host, router or switch."""
    names = [node.name for node in network.topology.nodes if node.name not in without]
    return [name for name in names if _kind(network, name) == _kind(network, device)] or names or [device]


def _kind(network: DrawnNetwork, name: str) -> tuple[bool, bool]:
    return name in (*network.hosts, *network.switched_off), name in network.routers
