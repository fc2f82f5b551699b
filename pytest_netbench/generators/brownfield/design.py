"""The design document of a network: what is planned, so that each oddity that is found can be judged."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network, collapse_addresses
from typing import Final, NamedTuple

from pytest_netbench.model.network import DrawnNetwork

MOST_SENTENCES: Final = 150
"""Of planned exceptions; more are given as lists."""
_COST: Final = re.compile(r"^ (?:ip ospf cost|isis metric) (\d+)$", re.MULTILINE)
_ROUTING: Final = {
    "ospf": "OSPF everywhere, with the usual timers (hello 10 s, dead 40 s) and no authentication. LANs are passive.",
    "isis": "IS-IS of level 2 everywhere, with the usual timers. LANs are passive.",
    "bgp": "External BGP on each link between routers, with equal paths used together; the usual timers.",
    "ibgp": "OSPF for links and loopbacks, with the usual timers; LANs by BGP within one autonomous system.",
    "static": "Static routes to each LAN along a shortest path.",
}
_LEFTOVERS: Final = (
    "Lists, maps and policies that no interface, neighbor or process uses are leftovers, whatever they say.",
    "Descriptions are not maintained.",
    "Ports without a cable are shut down on purpose.",
    "Every link has an MTU of 1500, and none is slowed down or filtered but for what is listed below.",
)


class Planned(NamedTuple):
    """Something that a device has on purpose: a sentence, and the same as an entry below a heading."""

    sentence: str
    heading: str
    entry: str


def design_of(
    network: DrawnNetwork, retired: Sequence[IPv4Network], planned: Sequence[Planned], source: random.Random
) -> str:
    """Return the document.

    Args:
        network: As it was drawn.
        retired: Blocks of sites that are gone.
        planned: What was added on purpose.
        source: Of the order of exceptions.
    """
    lines = [
        "Addressing",
        *(f"- {kind}: {', '.join(map(str, blocks))}" for kind, blocks in _blocks(network)),
        f"- {', '.join(map(str, retired))}: sites that are gone. All static routes to there are leftovers.",
        "Roles",
        *(f"- {role}: {', '.join(names)}" for role, names in _roles(network)),
        "Routing",
        f"- {_ROUTING.get(network.routing, network.routing)}",
        *_areas(network),
        *([f"- AS numbers: {_systems(network)}"] if network.autonomous_systems else []),
        *_metrics(network),
        "Policy",
        *(f"- {one}" for one in _LEFTOVERS),
        *_services(network),
        "Planned exceptions",
        *(f"- {one}" for one in _exceptions(source.sample(list(planned), len(planned)))),
        *([] if planned else ["- none"]),
    ]
    return "\n".join(lines)


def _exceptions(planned: Sequence[Planned]) -> Iterator[str]:
    """A sentence each; of many, which would be most of a brief, a list for each kind."""
    if len(planned) <= MOST_SENTENCES:
        yield from (one.sentence for one in planned)
        return
    kinds: dict[str, list[str]] = {}
    for one in planned:
        kinds.setdefault(one.heading, []).append(one.entry)
    yield from (f"{heading}: {'; '.join(entries)}." for heading, entries in kinds.items())


def _blocks(network: DrawnNetwork) -> Iterator[tuple[str, list[IPv4Network]]]:
    names = {"lan": "LANs", "transit": "links", "loopback": "loopbacks"}
    for kind, name in names.items():
        prefixes = [IPv4Network(one.prefix) for one in network.subnets if one.kind == kind]
        if prefixes:
            yield name, list(collapse_addresses(prefixes))


def _roles(network: DrawnNetwork) -> Iterator[tuple[str, list[str]]]:
    roles: dict[str, list[str]] = {}
    for node in network.topology.nodes:
        roles.setdefault(node.role or "node", []).append(node.name)
    yield from roles.items()


def _areas(network: DrawnNetwork) -> Iterator[str]:
    areas: dict[int, list[str]] = {}
    for subnet in network.subnets:
        if subnet.area is not None:
            areas.setdefault(subnet.area, []).append(subnet.prefix)
    if len(areas) == 1:
        yield f"- All of OSPF is in area {next(iter(areas))}."
    else:
        yield from (f"- OSPF area {area}: {', '.join(prefixes)}" for area, prefixes in sorted(areas.items()))


def _systems(network: DrawnNetwork) -> str:
    return ", ".join(f"{node} {number}" for node, number in network.autonomous_systems.items())


def _metrics(network: DrawnNetwork) -> Iterator[str]:
    """The metric of each link that has not the usual one."""
    found = []
    for subnet in network.transits:
        end = subnet.attachments[0]
        section = (
            network.startup_configs[end.node].partition(f"interface {end.interface}\n")[2].partition("interface ")[0]
        )
        if cost := _COST.search(section):
            found.append(f"{'--'.join(one.node for one in subnet.attachments)} {cost[1]}")
    if found:
        yield f"- Metrics of links: {', '.join(found)}. All others have the usual one."
    elif network.routing in ("ospf", "isis", "ibgp"):
        yield "- All links have the usual metric."


def _services(network: DrawnNetwork) -> Iterator[str]:
    for access in network.access_lists:
        where = f"{access.node}: the access list {access.name} of {access.interface} (in)"
        yield f"- {where} filters what its LAN sends, by intent."
    for one in network.translations:
        hidden = ", ".join(one.hidden)
        yield f"- {one.node} translates {hidden} to {one.address} toward {', '.join(one.outside)}."
    for node in dict.fromkeys(one.node for one in network.markings):
        yield f"- {node} marks what comes in from its LANs."
