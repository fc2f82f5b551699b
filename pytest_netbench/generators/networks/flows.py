"""The flows that must work in a network, and those that must not, as groups of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from pytest_netbench.model.faulty import FlowGroup, MarkedFlows
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.services import AccessList

HTTP: Final = 80


def flow_groups(network: DrawnNetwork) -> tuple[FlowGroup, ...]:
    """Return ping and HTTP between all hosts, and the flows that access lists and translations allow or forbid."""
    groups = [*_everywhere(network, "icmp", None), *_everywhere(network, "tcp", HTTP), *_to_hidden(network)]
    # routers that share a LAN have equal lists
    for access in {one.name: one for one in network.access_lists}.values():
        for port in access.ports:
            groups += _filtered(network, access, port)
    return tuple(group for group in groups if group.count)


def marked_flows(network: DrawnNetwork) -> tuple[MarkedFlows, ...]:
    """Return the flows that arrive with a DSCP which routers give them, by LAN; none without the service ``qos``.

    Packets between hosts of one LAN pass no router.
    """
    if not network.markings:
        return ()
    one = network.markings[0]  # all mark alike
    inside = {(marking.node, name) for marking in network.markings for name in marking.interfaces}
    groups = []
    for lan in network.lans:
        ends = {(end.node, end.interface) for end in lan.attachments}
        hosts = [host for host in network.hosts if network.lan_of(host) == lan]
        targets = [host for host in network.hosts if host not in hosts and network.reaches(hosts[0], host)]
        if ends & inside and targets:
            udp = {"sources": hosts, "targets": {name: network.addresses[name] for name in targets}, "protocol": "udp"}
            groups.append(MarkedFlows.model_validate({**udp, "port": one.port, "dscp": one.dscp}))
    return tuple(groups)


def _everywhere(network: DrawnNetwork, protocol: Literal["icmp", "tcp"], port: int | None) -> Iterator[FlowGroup]:
    """From each host to each that it can reach."""
    hidden = [host for host in network.hosts if network.is_hidden(host)]
    others = [host for host in network.hosts if host not in hidden]
    for sources, targets in ((hidden, network.hosts), (others, others)):
        yield from _group(network, sources, targets, protocol=protocol, port=port)


def _to_hidden(network: DrawnNetwork) -> Iterator[FlowGroup]:
    """From outside to translated addresses."""
    hidden = [host for host in network.hosts if network.is_hidden(host)]
    others = [host for host in network.hosts if host not in hidden]
    yield from _group(network, others, hidden, allowed=False)


def _filtered(network: DrawnNetwork, access: AccessList, port: int) -> Iterator[FlowGroup]:
    """From each host that a list filters to hosts of other LANs, at one port: first what passes, then what does not."""
    inside = _behind(network, access)
    verdicts: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for source in inside:
        targets: dict[bool, list[str]] = {True: [], False: []}
        for target in network.hosts:
            if target not in inside:
                addresses = {"source": network.addresses[source], "target": network.addresses[target]}
                targets[access.permits(**addresses, protocol="tcp", port=port)].append(target)
        for allowed, names in targets.items():
            verdicts.setdefault((allowed, tuple(names)), []).append(source)
    for (allowed, chosen), sources in sorted(verdicts.items(), key=lambda one: not one[0][0]):
        if not (allowed and port == HTTP):  # which is among the flows between all hosts
            yield from _group(network, sources, chosen, protocol="tcp", port=port, allowed=allowed)


def _behind(network: DrawnNetwork, access: AccessList) -> list[str]:
    """The hosts of the LAN at whose gateway a list is."""
    for lan in network.lans:
        if any((one.node, one.interface) == (access.node, access.interface) for one in lan.attachments):
            return [host for host in network.hosts if network.lan_of(host) == lan]
    return []


def _group(
    network: DrawnNetwork,
    sources: Iterable[str],
    targets: Iterable[str],
    *,
    protocol: Literal["icmp", "tcp"] = "icmp",
    port: int | None = None,
    allowed: bool = True,
) -> Iterator[FlowGroup]:
    """One group, or none if it has no nodes."""
    senders, receivers = tuple(sources), {name: network.addresses[name] for name in targets}
    if senders and receivers:
        yield FlowGroup(sources=senders, targets=receivers, protocol=protocol, port=port, allowed=allowed)
