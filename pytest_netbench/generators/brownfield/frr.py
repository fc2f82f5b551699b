"""Leftovers in configurations of FRR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from pytest_netbench.generators.brownfield.common import Grow, Lines, as_number, prefix_list, route_map, summary_route
from pytest_netbench.generators.brownfield.ground import Ground

# faults and planned routes are spelled like this, too
_DISCARDING: Final = ("Null0", "Null0 250", "blackhole", "blackhole 254")


def kinds(config: str) -> Iterator[Grow]:
    """What may be left over on a router with this configuration."""
    of_bgp = "router bgp " in config
    yield from (prefix_list, _access_list, _access_list, _static_routes, _ipv6_prefix_list)
    yield from (partial(route_map, of_bgp=of_bgp),) * 2
    if of_bgp:
        yield from (_community_list, _as_path_list)


def once(config: str, ground: Ground) -> Iterator[Lines]:
    """What a router has once: ports without a cable, and sessions that are shut down."""
    names = [line.split()[1] for line in config.splitlines() if line.startswith("interface eth")]
    for number in range(len(names), len(names) + ground.source.randint(2, 6)):
        yield [f"interface eth{number}", f" description {_spare(ground)}", " shutdown", "exit"]


def session(number: int, ground: Ground) -> tuple[str, Lines]:
    """A session of BGP that is shut down: the neighbor's address, and the lines. ``number``: of the own system."""
    address = str(ground.address())
    return address, [
        f"router bgp {number}",
        f" neighbor {address} remote-as {as_number(ground)}",
        f" neighbor {address} description {ground.note()}",
        f" neighbor {address} shutdown",
        "exit",
    ]


def described(interface: str, text: str) -> Lines:
    """Another description of an interface."""
    return [f"interface {interface}", f" description {text}", "exit"]


def _spare(ground: Ground) -> str:
    return ground.source.choice(
        ("spare", "*** unused ***", "SPARE", f"was {ground.note()}", f"reserved, {ground.note()}")
    )


def _access_list(ground: Ground) -> Lines:
    some, name = ground.source, ground.name()
    lines = [f"access-list {name} remark {ground.note()}"] if some.random() < 0.5 else []
    for number in range(1, some.randint(3, 16)):
        verdict = some.choice(("permit", "permit", "deny"))
        lines.append(f"access-list {name} seq {5 * number} {verdict} {ground.network(14, 28)}")
    return [*lines, f"access-list {name} seq 200 {some.choice(('permit', 'deny'))} any"]


def _static_routes(ground: Ground) -> Lines:
    lines = []
    for _ in range(ground.source.randint(1, 6)):
        if net := summary_route(ground):
            via = ground.source.choice((f"{ground.address()}", f"{ground.address()} 250", *_DISCARDING))
            lines.append(f"ip route {net} {via}")
    return lines


def _ipv6_prefix_list(ground: Ground) -> Lines:
    some, name = ground.source, ground.name()
    verdicts = [some.choice(("permit", "deny")) for _ in range(some.randint(2, 7))]
    return [
        f"ipv6 prefix-list {name} seq {5 * number} {verdict} 2001:db8:{some.randrange(65_536):x}::/48"
        for number, verdict in enumerate(verdicts, 1)
    ]


def _community_list(ground: Ground) -> Lines:
    some, name = ground.source, ground.name()
    return [
        f"bgp community-list standard {name} seq {5 * number} permit {as_number(ground)}:{some.randint(1, 999)}"
        for number in range(1, some.randint(3, 8))
    ]


def _as_path_list(ground: Ground) -> Lines:
    some, name = ground.source, ground.name()
    ends = [f"_{as_number(ground)}{some.choice(('_', '$'))}" for _ in range(some.randint(2, 7))]
    return [f"bgp as-path access-list {name} seq {5 * number} permit {end}" for number, end in enumerate(ends, 1)]
