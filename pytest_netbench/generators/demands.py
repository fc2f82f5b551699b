"""The traffic of drawn networks: who sends how much to whom."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from pytest_netbench.generators.networks import DrawnNetwork
from pytest_netbench.model.demand import BURST_PACKETS, Demand

TrafficName = Literal["bursts", "gravity", "matrix", "none", "uniform", "web"]
MOST_DEMANDS: Final = 10
"""All traffic of a network is sent and received by one process, in real time."""
RATE_BPS: Final = 800_000
"""More than a slow cable carries (``faults.cables``)."""
SLOW_RATES_BPS: Final[Mapping[str, int]] = {"p4": 200_000}
"""By platform of switches: less, where each packet costs a switch much processor time."""
_LEAST_WEIGHT, _MOST_WEIGHT = 1.0, 4.0
_FIRST_PORT: Final = 20_000
MOST_LOSS: Final = 0.05
_LEAST_AT_ONCE: Final = 2
"""Many senders send few packets each. So all have a burst in the shortest sample that telemetry takes."""


def draw_demands(network: DrawnNetwork, kind: TrafficName, source: random.Random) -> tuple[Demand, ...]:
    """Draw the demands of a network.

    Args:
        network: The network.
        kind: ``uniform``: each host sends as much as the others, to one other host. ``gravity``: each pair of hosts in
            proportion to the product of their drawn weights, the largest of them. ``matrix``: drawn hosts of two
            LANs in proportion to the traffic matrix of the network, the largest of its entries. ``bursts``: hosts send
            to the same one at the same moments, some packets at a time, together 16 or more. ``none`` and ``web``:
            nobody sends.
        source: Of the choices.
    """
    if kind in ("none", "web"):
        return ()
    chosen = _PATTERNS[kind](network, source)
    at_once = max(_LEAST_AT_ONCE, BURST_PACKETS // max(1, len(chosen))) if kind == "bursts" else 1
    return tuple(
        Demand(
            source=one,
            target=other,
            address=network.addresses[other],
            port=_FIRST_PORT + number,
            rate_bps=rate_bps,
            most_loss=MOST_LOSS,
            burst_packets=at_once,
        )
        for number, (one, other, rate_bps) in enumerate(chosen[:MOST_DEMANDS])
    )


_Chosen = list[tuple[str, str, int]]


def _rate_bps(network: DrawnNetwork) -> int:
    return SLOW_RATES_BPS.get(network.platform, RATE_BPS)


def _uniform(network: DrawnNetwork, source: random.Random) -> _Chosen:
    """Hosts in a drawn order, each with a drawn target in another LAN if it can reach one."""
    hosts = source.sample(network.hosts, len(network.hosts))
    return [(one, source.choice(targets), _rate_bps(network)) for one in hosts if (targets := _targets(network, one))]


def _gravity(network: DrawnNetwork, source: random.Random) -> _Chosen:
    weights = {host: source.uniform(_LEAST_WEIGHT, _MOST_WEIGHT) for host in network.hosts}
    pairs = [(one, other) for one in network.hosts for other in _targets(network, one)]
    return _largest([(one, other, weights[one] * weights[other]) for one, other in pairs], _rate_bps(network))


def _matrix(network: DrawnNetwork, source: random.Random) -> _Chosen:
    """Hosts behind the routers of the matrix: one of each LAN, drawn for each entry."""
    behind: dict[str, list[str]] = {}
    for host in network.hosts:
        for end in network.lan_of(host).attachments:
            behind.setdefault(end.node, []).append(host)
    drawn = [
        (source.choice(behind[entry.source]), source.choice(behind[entry.target]), entry.value)
        for entry in network.matrix
        if behind.get(entry.source) and behind.get(entry.target)
    ]
    targets = {host: set(_targets(network, host)) for host in network.hosts}
    return _largest(
        [(one, other, value) for one, other, value in drawn if value > 0 and other in targets[one]], _rate_bps(network)
    )


def _largest(pairs: Sequence[tuple[str, str, float]], rate_bps: int) -> _Chosen:
    """The pairs of hosts with the greatest weights, with rates in proportion to these."""
    largest = sorted(pairs, key=lambda pair: pair[2], reverse=True)[:MOST_DEMANDS]
    if not largest:
        return []
    mean = sum(weight for _, _, weight in largest) / len(largest)
    return [(one, other, round(rate_bps * weight / mean)) for one, other, weight in largest]


def _bursts(network: DrawnNetwork, source: random.Random) -> _Chosen:
    """Hosts that all send to a drawn one, together as much as one host otherwise."""
    senders: dict[str, list[str]] = {}
    for one in network.hosts:
        for other in _targets(network, one):
            senders.setdefault(other, []).append(one)
    if not senders:
        return []
    most = max(map(len, senders.values()))
    target = source.choice([one for one, many in senders.items() if len(many) == most])
    chosen = senders[target][:MOST_DEMANDS]
    return [(one, target, _rate_bps(network) // len(chosen)) for one in chosen]


_PATTERNS: Final[Mapping[str, Callable[[DrawnNetwork, random.Random], _Chosen]]] = {
    "bursts": _bursts,
    "gravity": _gravity,
    "matrix": _matrix,
    "uniform": _uniform,
}


def _targets(network: DrawnNetwork, host: str) -> Sequence[str]:
    """Hosts of other LANs that can be sent UDP; those of its own LAN if there is no other one."""
    reached = [
        other
        for other in network.hosts
        if other != host and network.reaches(host, other) and _passes(network, host, other)
    ]
    lan = network.lan_of(host)
    return [other for other in reached if network.lan_of(other) is not lan] or reached


def _passes(network: DrawnNetwork, host: str, other: str) -> bool:
    """Whether no access list denies UDP from one host to another one, wherever the list is."""
    ends = {"source": network.addresses[host], "target": network.addresses[other]}
    return all(
        access.permits(**ends, protocol="udp", port=port)
        for access in network.access_lists
        for port in (_FIRST_PORT, _FIRST_PORT + MOST_DEMANDS - 1)
    )
