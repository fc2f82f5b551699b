"""Observations that evidence of many faults has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network
from typing import Final

from pytest_netbench.dialects.state_checks import state_check_of
from pytest_netbench.faults.evidence import sql
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Configured, Matches, Observation, Refused

_LAST: Final = "(SELECT max(time_s) FROM interfaces WHERE time_s < (SELECT max(time_s) FROM interfaces))"
"""The last sample that is whole."""
_NEWEST: Final = "(SELECT max(time_s) FROM interfaces)"
_LATELY_S: Final = 5
"""Wall seconds."""
_ARRIVES: Final = 0.95
"""Of what is sent, at least so much is received if nothing is lost: both are not counted at the same moment."""
_NONE: Final = Matches(pattern=r'"rows": \[\[0\]\]')


def config(network: Observable, node: str, lines: Sequence[str], because: str) -> Iterator[Observation]:
    """The running config of a node is as after commands; none if nobody can look at it."""
    if node in network.platforms:
        shows = Configured(dialect=network.platforms[node], lines=tuple(lines))
        yield Observation(method="get-running-cfg", params={"device": node}, shows=shows, because=because)


def config_matches(node: str, pattern: str, because: str, *, is_absent: bool = False) -> Observation:
    """The running config of a node matches a regular expression."""
    shows = Matches(pattern=pattern, is_absent=is_absent)
    return Observation(method="get-running-cfg", params={"device": node}, shows=shows, because=because)


def state(network: Observable, node: str, name: str, because: str, /, **words: object) -> Iterator[Observation]:
    """A command of a node shows that it is in a state; none if nobody can look at it, or its dialect has no sign."""
    platform = network.platforms.get(node)
    sign = None if platform is None else state_check_of(platform, name, **words)
    if sign is not None:
        yield Observation(
            method="execute-cmd",
            params={"device": node, "command": sign.command},
            shows=Matches(pattern=sign.pattern, is_absent=sign.is_absent),
            because=because,
            is_shared=sign.is_shared,
        )


def neighbor_lost(network: Observable, node: str, protocol: str, address: str) -> Iterator[Observation]:
    """The telemetry has no neighbor of a node that is up at an address."""
    if network.has_counters and node in network.measured:
        query = sql.is_up(node, protocol, address, _LAST)
        because = f"{address} is not up as {protocol.upper()} neighbor of {node}."
        yield Observation(method="query-telemetry", params={"sql": query}, shows=_NONE, because=because, is_shared=True)


def lost_between(
    network: Observable, near: tuple[str, str], far: tuple[str, str], because: str
) -> Iterator[Observation]:
    """The counters of both ends of a link tell that traffic is lost between them; none where they need not.

    Args:
        network: What can be looked at.
        near: Node and interface that send.
        far: Node and interface that receive.
        because: What it means.
    """
    is_read = network.has_counters and {near[0], far[0]} <= network.measured
    if is_read and network.carries(near[0], far[0]):
        sent, received = _counted("sent", *near), _counted("received", *far)
        yield Observation(
            method="query-telemetry",
            params={"sql": f"SELECT ({received}) < {_ARRIVES} * ({sent})"},
            shows=Matches(pattern=r'"rows": \[\[1\]\]'),
            because=because,
            is_shared=True,
        )


def _counted(what: str, node: str, interface: str) -> str:
    """A query for the packets of an interface in the last seconds."""
    column = f"{what}_packets"
    return sql.select(
        f"max({column}) - min({column})",
        "interfaces",
        f"node = '{node}'",
        f"interface = '{interface}'",
        f"time_s > {_NEWEST} - {_LATELY_S}",
    )


def not_counted(network: Observable, node: str, interface: str | None, because: str) -> Iterator[Observation]:
    """The telemetry has no counters of a node, or of one of its interfaces; none if it never has."""
    if not network.has_counters or (network.is_limited and node not in network.measured):
        return
    only = () if interface is None else (f"interface = '{interface}'",)
    query = sql.select("count(*)", "interfaces", f"node = '{node}'", *only, f"time_s = {_LAST}")
    yield Observation(method="query-telemetry", params={"sql": query}, shows=_NONE, because=because)


def unreached(network: Observable, source: str, target: str | None) -> Iterator[Observation]:
    """A ping from one host to another one gets no answer; none if it must not get through anyway."""
    if target is not None and (source, target) in network.pairs:
        yield from unanswered(source, target, f"{source} does not reach {target}.")


def unanswered(source: str, target: str, because: str) -> Iterator[Observation]:
    """A ping from one host to another one gets no answer."""
    yield Observation(
        method="check-reachability",
        params={"protocol": "icmp", "source": source, "target": target},
        shows=Matches(pattern=r'"reached": 0\b'),
        because=because,
        is_shared=True,
    )


def missed(network: Observable, node: str) -> Iterator[Observation]:
    """A ping of another host to one gets no answer."""
    source = next((one for one, target in network.pairs if target == node), None)
    if source is not None:
        yield from unreached(network, source, node)


def silent(node: str) -> Observation:
    """A node does not answer."""
    return Observation(
        method="get-running-cfg",
        params={"device": node},
        shows=Refused(pattern="did not answer"),
        because=f"{node} answers nobody.",
    )


def shared(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Observations that other faults show, too."""
    return (one.model_copy(update={"is_shared": True}) for one in observations)


def routed(prefix: str) -> dict[str, str]:
    """The words of a prefix that signs of routes have."""
    network = IPv4Network(prefix)
    return {"prefix": prefix, "net": str(network.network_address)}


def first(count: int, observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """The first observations, each once."""
    found = {one.model_dump_json(): one for one in observations}
    return tuple(found.values())[:count]
