"""Session ends of EIGRP, from what eigrpd answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pytest_netbench.platforms.ends import Address, End, Sight, equal
from pytest_netbench.platforms.frr.igps import blocks

_SYSTEM = re.compile(r"^EIGRP \w+ for AS\((\d+)\)", re.MULTILINE)
_INTERFACE = re.compile(r"^(\S+)\s+\d+\s+\d+\s+\d+\s+\d+ / \d+\s", re.MULTILINE)
_NEIGHBOR = re.compile(r"^\d+\s+(\d+\.\d+\.\d+\.\d+)\s+(\S+)\s+\d+\s+\d+\s+\d+\s+\d+\s+(\d+)\s", re.MULTILINE)


def ends(node: str, shown: str, neighbors: str, addresses: Mapping[str, tuple[Address, ...]], config: str) -> list[End]:
    """From ``show ip eigrp interfaces``, ``show ip eigrp neighbor``, IPv4 addresses and the running config."""
    settings = blocks(config, "interface")
    process = [line for lines in blocks(config, "router eigrp").values() for line in lines]
    weights = next((line for line in process if line.startswith("metric weights")), "")
    passive = {line.split()[1] for line in process if line.startswith("passive-interface ")}
    seen = [(interface, address, int(queued)) for address, interface, queued in _NEIGHBOR.findall(neighbors)]
    found = []
    for system, name in _interfaces(shown):
        if name not in passive and addresses.get(name):
            secret = "\n".join(line for line in settings.get(name, ()) if "authentication" in line)
            own = [(address, queued) for where, address, queued in seen if where == name]
            found.append(end(node, name, addresses[name], own, asn=system, weights=weights, secret=secret))
    return found


def end(
    node: str, interface: str, addresses: tuple[Address, ...], seen: Iterable[tuple[str, int]], **words: str
) -> End:
    """The session end of one interface.

    Args:
        node: The router.
        interface: The kernel's name.
        addresses: Its IPv4 addresses; hellos come from the first.
        seen: Neighbors that are up: their addresses, and how many packets wait for each.
        words: What must be equal at both ends.
    """
    address = str(addresses[0].ip)
    return End(
        protocol="eigrp",
        node=node,
        interface=interface,
        addresses={interface: addresses},
        address=address,
        name=address,
        offers=equal(**words),
        accepts=equal(**words),
        seen={one: Sight("Up", is_up=True, unfinished=_queue(queued)) for one, queued in seen},
    )


def _queue(queued: int) -> str:
    return f"has {queued} packets queued" if queued else ""


def _interfaces(shown: str) -> list[tuple[str, str]]:
    """Each autonomous system with an interface of it."""
    pieces = _SYSTEM.split(shown)[1:]
    return [
        (system, name)
        for system, text in zip(pieces[::2], pieces[1::2], strict=True)
        for name in _INTERFACE.findall(text)
    ]
