"""A cable over which nobody is told that packets are too long: it shows beside a link with a low MTU only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.cables import AddressedCable, impaired, link_impairment
from pytest_netbench.faults.change import given
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.fragmentation import LINK_MTU_CONFIGURED_LOW, LowMtu, low_links
from pytest_netbench.faults.impairments import EVIDENT_BPS, rate, set_to
from pytest_netbench.faults.paths import only_behind
from pytest_netbench.faults.router_links import ospf_links
from pytest_netbench.faults.selective_cables import between_routers
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC

_LONG_BYTES: Final = 1000
_TOLD: Final = re.compile(r"Frag needed|too long")
_NONE: Final = r'"received_packets": 0\b'


class UnheardLimit(AddressedCable):
    """A cable, by the end that is not told, and the link behind its other end on which packets are too long.

    Attributes:
        limit_peer: The router at the far end of that link.
        limit_address: Its address there.
    """

    limit_peer: str
    limit_address: str


def _before_links(network: DrawnNetwork) -> Iterator[UnheardLimit]:
    addresses = {(link.prefix, end.node): end.address for link in network.transits for end in link.attachments}
    # the lab sees it by pings to the far end of the link, which every OSPF router reaches
    for cable in between_routers(network, ospf_links(network)):
        for p in (cable, cable.turned):
            links = {one.peer: one.prefix for one in low_links(network, p.peer_node) if one.peer != p.node}
            for peer, prefix in links.items():
                if not (only_behind(network, p.peer_node, p.node) and only_behind(network, p.peer_node, peer)):
                    continue  # packets of hosts need not go over both
                yield UnheardLimit(**dict(p), limit_peer=peer, limit_address=addresses[prefix, peer])


def _limits(p: UnheardLimit, network: DrawnNetwork) -> Iterator[LowMtu]:
    return (one for one in low_links(network, p.peer_node) if one.peer == p.limit_peer)


def _is_told(lab: Lab, p: UnheardLimit) -> Iterator[str]:
    command = ["ping", "-n", "-c", "2", "-i", "0.1", "-W", "1", "-M", "do", "-s", str(_LONG_BYTES), p.limit_address]
    done = lab.nodes[p.node].capability(EXEC).run(command)
    said = done.stdout + done.stderr
    if _TOLD.search(said) or " 0 received" not in said:
        yield f"long pings of {p.node} to {p.limit_address}: {said.strip()}"


def _unadjusted(network: Observable, p: UnheardLimit) -> Iterator[Observation]:
    hosts = network.along_both((p.node, p.peer_node), (p.peer_node, p.limit_peer))
    yield from rate(hosts, EVIDENT_BPS, _NONE, "None of the long packets from {} arrive at {}, and it is not told why.")


LINK_TOO_BIG_LOST = link_impairment(
    "link-too-big-lost",
    about="What lies behind a cable loses the ICMP messages which say that packets are too long for a link further on,"
    " so that senders go on sending them.",
    label="TOO_BIG",
    requires=("links", "probes"),
    parameters=UnheardLimit,
    shown_by="telemetry",
    company=LINK_MTU_CONFIGURED_LOW.name,
    accompanied=_limits,
    at=_before_links,
    change=lambda p: impaired(
        p,
        given(set_to, p, Defect(lost_kind="too-big")),
        given(set_to, p, Defect()),
        given(_is_told, p),
        given(_unadjusted, p),
    ),
)
