"""Why no network with faults can be drawn: which parameter excludes it, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.generators.faulty_networks import SIZES, Kind, has_place, have_size
from pytest_netbench.generators.networks.mixing import MIXED, MIXED_OF, offers
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.values import Span

_MOST_FAULTS: Final = 3
"""Faults that are listed by name."""


def why_nothing(
    kinds: Sequence[Sequence[Kind]],
    *,
    shapes: Sequence[str],
    routings: Sequence[str],
    platforms: Sequence[str],
    services: Sequence[str],
    faults: Sequence[str],
    level: int,
    size: Span,
    hosts: Span,
    access: str,
) -> str:
    """Return the reason why nothing can be drawn.

    Args:
        kinds: The kinds of networks that the parameters permit.
        shapes: A parameter, as the following are.
        routings: What they may be routed with.
        platforms: What their routers and switches may be.
        services: What they may do beside.
        faults: What may be broken.
        level: How many faults were to be drawn.
        size: Of the networks.
        hosts: In each LAN.
        access: What an agent can log in to; below ``all`` fewer places count.
    """
    if not have_size(shapes, size):
        having = [shape for shape in SIZES if have_size((shape,), size)]
        return f"nothing can be drawn: size={size} is there for shapes {', '.join(having)} (given: {'+'.join(shapes)})"
    needs = "; ".join(_needs(shapes, routings, platforms))
    if not kinds:
        return f"nothing can be drawn: {needs}"
    beside = f" ({needs})" if needs else ""
    fitting = [fault for fault in faults if any(has_place(kind, fault) for several in kinds for kind in several)]
    if not fitting:
        asked = _written(shapes=shapes, routings=routings, platforms=platforms, services=services)
        return f"nothing can be drawn: no network of {asked} has a place for {_named(faults)}{beside}"
    places = "a place for" if level == 1 else f"places for {level} faults (level={level}) of"
    seen = "" if access == "all" else f" at nodes that access={access} shows"
    network = f"no network of size={size} and hosts={hosts}"
    return f"nothing can be drawn: {network} has {places} {_named(fitting)}{seen}{beside}"


def _written(**parameters: Sequence[str]) -> str:
    *others, last = (f"{name}={'+'.join(values)}" for name, values in parameters.items() if values)
    return f"{', '.join(others)} and {last}"


def _needs(shapes: Sequence[str], routings: Sequence[str], platforms: Sequence[str]) -> Iterator[str]:
    """What shapes need of the parameters and are not given, shapes with equal needs together."""
    alike: dict[str, list[str]] = {}
    for shape in shapes:
        if lack := _lack(shape, routings, platforms):
            alike.setdefault(lack, []).append(shape)
    for lack, several in alike.items():
        yield f"shape {several[0]} needs {lack}" if len(several) == 1 else f"shapes {', '.join(several)} need {lack}"


def _lack(shape: str, routings: Sequence[str], platforms: Sequence[str]) -> str:
    known = SHAPES[shape]
    lacks = []
    if not set(routings) & set(known.routings):
        lacks.append(f"routings={' or '.join(sorted(known.routings))} (given: {'+'.join(routings)})")
    if not any(offers(known.platforms, one) for one in platforms):
        # no router of networks with faults is a Linux host
        drawn = sorted(one for one in known.platforms if one != "linux")
        mixed = [MIXED] if set(MIXED_OF) <= set(drawn) else []
        lacks.append(f"platforms={' or '.join([*drawn, *mixed])} (given: {'+'.join(platforms)})")
    return " and ".join(lacks)


def _named(faults: Sequence[str]) -> str:
    return " or ".join(faults) if len(faults) <= _MOST_FAULTS else f"any of the {len(faults)} faults"
