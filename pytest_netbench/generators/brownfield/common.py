"""Leftovers that FRR and IOS write alike: prefix lists, route maps, lists of communities and of AS paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_netbench.generators.brownfield.ground import Ground

Lines = list[str]
Grow = Callable[[Ground], Lines]
"""Draws one leftover; no lines if none is left to draw."""

_LOW, _HIGH = 64_496, 65_534
_STEPS: Final = (5, 5, 5, 10, 1)


def prefix_list(ground: Ground) -> Lines:
    """A prefix list that nothing uses."""
    some, name = ground.source, ground.name()
    step = some.choice(_STEPS)
    lines = [f"ip prefix-list {name} description {ground.note()}"] if some.random() < 0.3 else []
    for number in range(1, some.randint(2, 14)):
        net = ground.network(14, 26)
        longer = f" le {some.randint(net.prefixlen + 1, 32)}" if some.random() < 0.4 else ""
        lines.append(
            f"ip prefix-list {name} seq {number * step} {some.choice(('permit', 'permit', 'deny'))} {net}{longer}"
        )
    return lines


def as_number(ground: Ground) -> int:
    """A private AS number, or one for documentation."""
    return ground.source.randint(_LOW, _HIGH)


def route_map(ground: Ground, *, of_bgp: bool) -> Lines:
    """A route map that nothing uses, with a prefix list of its own.

    Args:
        ground: Of its names and addresses.
        of_bgp: Whether the device has BGP, whose attributes it sets then.
    """
    some, lines = ground.source, prefix_list(ground)
    listed = lines[-1].split()[2]
    name = ground.name()
    for number in range(some.randint(1, 4)):
        lines.append(f"route-map {name} {some.choice(('permit', 'permit', 'deny'))} {(number + 1) * 10}")
        if some.random() < 0.3:
            lines.append(f" description {ground.note()}")
        if some.random() < 0.8:
            lines.append(f" match ip address prefix-list {listed}")
        lines += _sets(ground) if of_bgp else [f" set metric {some.randint(1, 200)}"]
    return lines


def _sets(ground: Ground) -> Lines:
    some, own = ground.source, as_number(ground)
    lines = [
        f" set local-preference {some.choice((50, 80, 90, 110, 120, 150, 200, 300))}",
        f" set metric {some.randint(1, 500)}",
        f" set as-path prepend {' '.join([str(own)] * some.randint(1, 3))}",
        f" set community {own}:{some.randint(1, 999)}",
    ]
    return some.sample(lines, some.randint(1, 2))


def summary_route(ground: Ground) -> str | None:
    """A prefix that a static route may lead to, written ``PREFIX/LENGTH``; ``None`` if it has one."""
    net = ground.network(20, 28)
    return str(net) if ground.take(str(net)) else None
