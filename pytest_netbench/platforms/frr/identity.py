"""The router ID that ospfd takes where none is configured.

It keeps the first one that zebra tells it, and zebra tells another one whenever the kernel has confirmed an address. So
it would depend on the machine's load which address became the router ID. Here it is what zebra chooses when it knows
all addresses: the highest of loopback interfaces, else the highest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv4Interface, ip_interface
from typing import Final

from pytest_netbench.deadline import poll
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr.sections import Section

_PATIENCE_S: Final = 1.0
_PAUSE_S: Final = 0.01
_ASK: Final = (("zebra", "do show interface brief json"),)
_CONFIGURED: Final = re.compile(r"(ospf )?router-id \S", re.IGNORECASE)
_DEFAULT_INSTANCE: Final = "router ospf"
_LOOPBACK: Final = "lo"


def pins(node: HostedNode, section: Section, before: Iterable[Section]) -> tuple[str, ...]:
    """Return commands with which ospfd keeps the router ID of its default instance; none where one is configured.

    Args:
        node: It is asked until it knows the addresses, for a second at most.
        section: The next section of the config that ospfd is given.
        before: The sections that all daemons have been given.
    """
    if section.head.text.lower() != _DEFAULT_INSTANCE or any(_CONFIGURED.match(line.text) for line in section.body):
        return ()
    chosen = _chosen(_known(node, set(_addresses(before))))
    return () if chosen is None else (f"ospf router-id {chosen}", "no ospf router-id")


def _addresses(sections: Iterable[Section]) -> Iterable[tuple[str, str]]:
    for one in sections:
        opened, *names = one.head.text.split()
        texts = [line.text.lower().split() for line in one.body]
        if opened == "interface" and len(names) == 1 and ["shutdown"] not in texts:
            yield from ((names[0], words[2]) for words in texts if words[:2] == ["ip", "address"] and len(words) == 3)


def _known(node: HostedNode, wanted: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """The (interface, address) pairs that are up once the wanted ones are among them; none if nothing is wanted."""
    if not wanted:
        return []
    return poll(lambda: _up(node), until=set(wanted).issubset, within_s=_PATIENCE_S, pause_s=_PAUSE_S)


def _up(node: HostedNode) -> list[tuple[str, str]]:
    ((answer, _),) = node.vty(_ASK)
    try:
        interfaces = json.loads(answer)
    except ValueError:
        return []
    return [
        (name, address)
        for name, one in interfaces.items()
        if one.get("status") == "up" and one.get("vrfName") == "default"
        for address in one.get("addresses", ())
    ]


def _chosen(known: Iterable[tuple[str, str]]) -> IPv4Address | None:
    found = [(name == _LOOPBACK, ip_interface(address)) for name, address in known]
    ranked = [(first, one.ip) for first, one in found if isinstance(one, IPv4Interface) and not one.ip.is_loopback]
    return max(ranked)[1] if ranked else None
