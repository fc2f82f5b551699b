"""The flows of an application that must work and that must not, from its graph alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pytest_netbench.kubernetes.applications.addresses import DNS_ADDRESS, DNS_NODE, DNS_PORT
from pytest_netbench.kubernetes.applications.graph import Application, Transport, Workload
from pytest_netbench.model.faulty import FlowGroup
from pytest_netbench.model.objects import POD


class _Kind(NamedTuple):
    """Flows that one group can have."""

    protocol: Transport
    port: int
    to_service: bool


class _Target(NamedTuple):
    """A workload, the address that is sent to, and the port of its pod that is meant."""

    workload: Workload
    address: str
    port: int


def flow_groups(application: Application) -> tuple[FlowGroup, ...]:
    """Return the flows: of each ordered pair of workloads those to the Service, and two to the pod; and DNS of each.

    The two to the pod are one TCP port that nothing serves, and the UDP port of the same number as that of the server.
    """
    names = [one.name for one in application.workloads]
    dns = FlowGroup(sources=tuple(names), targets={DNS_NODE: DNS_ADDRESS}, protocol="udp", port=DNS_PORT)
    kinds = _kinds(application)
    allowed = [one for kind, targets in kinds.items() for one in _groups(application, kind, targets, allowed=True)]
    denied = [one for kind, targets in kinds.items() for one in _groups(application, kind, targets, allowed=False)]
    return (*allowed, dns, *denied)


def _kinds(application: Application) -> dict[_Kind, list[_Target]]:
    found: dict[_Kind, list[_Target]] = {}
    for one in application.served:
        assert one.address is not None
        assert one.port is not None
        assert one.service_port is not None
        target = _Target(one, one.address, one.port)
        found.setdefault(_Kind("tcp", one.service_port, to_service=True), []).append(target)
    other = application.other_port
    found[_Kind("tcp", other, to_service=False)] = [_Target(one, POD, other) for one in application.workloads]
    for one in application.workloads:
        port = one.port or other
        found.setdefault(_Kind("udp", port, to_service=False), []).append(_Target(one, POD, port))
    return found


def _groups(application: Application, kind: _Kind, targets: Sequence[_Target], *, allowed: bool) -> Iterator[FlowGroup]:
    """The flows of a kind that must work, or must not, in few groups: targets with the same sources are together."""
    names = [one.name for one in application.workloads]
    left: dict[str, tuple[_Target, frozenset[str]]] = {}
    for target in targets:
        sources = frozenset(
            one.name
            for one in application.workloads
            if one is not target.workload
            and application.permits(one, target.workload, kind.protocol, target.port) is allowed
        )
        if sources:
            left[target.workload.name] = (target, sources)
    while left:
        sources = _common(left.values())
        together = [target for target, own in left.values() if _is_of(target, own, sources)]
        for target in together:
            del left[target.workload.name]
        yield FlowGroup(
            sources=tuple(name for name in names if name in sources),
            targets={target.workload.name: target.address for target in together},
            protocol=kind.protocol,
            port=kind.port,
            allowed=allowed,
        )


def _common(left: Iterable[tuple[_Target, frozenset[str]]]) -> frozenset[str]:
    """The sources that most targets share. A target may be among them, as nothing sends to itself."""
    pairs = list(left)
    possible = [one for target, own in pairs for one in (own, own | {target.workload.name})]
    return max(possible, key=lambda sources: sum(_is_of(target, own, sources) for target, own in pairs))


def _is_of(target: _Target, own: frozenset[str], sources: frozenset[str]) -> bool:
    return own == sources - {target.workload.name}
