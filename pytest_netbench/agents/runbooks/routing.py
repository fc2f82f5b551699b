"""Runbook: OSPF, BGP and static routes. Both ends of a session must fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.reading import Device, Port, prefix_in

_MUST_BE_EQUAL = {
    "ip ospf hello-interval": "ospf-timers-wrong",
    "ip ospf dead-interval": "ospf-timers-wrong",
    "ip ospf network": "ospf-network-type-wrong",
    "ip ospf authentication": "ospf-authentication-wrong",
    "ip mtu": "ospf-mtu-wrong",
}


def check_routing(facts: Facts) -> Iterator[Finding]:
    """What is wrong with routing, as the configs say."""
    for one, other in facts.cables:
        yield from _ospf_link(facts, one, other)
    stopped = list(dict.fromkeys(_stopped(facts)))
    yield from stopped
    for device in facts.routers:
        if device.name not in {one.end.node for one in stopped}:
            yield from _unannounced(facts, device)
        yield from _bgp(facts, device)
        yield from _static(facts, device)


def _ospf_link(facts: Facts, one: Port, other: Port) -> Iterator[Finding]:
    areas = [_area(facts.devices[port.node], port) for port in (one, other)]
    if None in areas:
        return
    end = End(one.node, one.name)
    between = f"{one.node} {one.name} and {other.node} {other.name}"
    if areas[0] != areas[1]:
        yield Finding("ospf-area-wrong", end, f"{between} are in areas {areas[0]} and {areas[1]}.")
    differing = {kind for line, kind in _MUST_BE_EQUAL.items() if set(one.has(line)) != set(other.has(line))}
    for kind in sorted(differing):
        yield Finding(kind, end, f"{between} are configured differently.")
    costs = [int(port.has("ip ospf cost ")[0].split()[-1]) if port.has("ip ospf cost ") else 0 for port in (one, other)]
    if costs[0] != costs[1]:
        port = one if costs[0] > costs[1] else other
        words = f"{between} have the costs {costs[0]} and {costs[1]}."
        yield Finding("ospf-cost-wrong", End(port.node, port.name), words)
    for port in (one, other):
        process = facts.devices[port.node].section("router ospf") or ("", ())
        if "ip ospf passive" in port.lines or f"passive-interface {port.name}" in process[1]:
            yield Finding("ospf-interface-passive", End(port.node, port.name), f"{port.node} {port.name} is passive.")


def _stopped(facts: Facts) -> Iterator[Finding]:
    """FRR shows no part of a daemon's config while the daemon does not run, and its neighbors ask for it."""
    for one, other in facts.cables:
        for port, far in ((one, other), (other, one)):
            device, neighbor = facts.devices[port.node], facts.devices[far.node]
            if device.platform != "frr":
                continue
            asks_bgp = port.address and any(
                line.startswith(f"neighbor {port.address.ip} ")
                for line in (neighbor.section("router bgp") or ("", ()))[1]
            )
            for protocol, is_asked in (("ospf", _area(neighbor, far)), ("bgp", asks_bgp)):
                if is_asked and device.section(f"router {protocol}") is None:
                    words = f"{device.name} does not run {protocol.upper()}, and {neighbor.name} does."
                    yield Finding("routing-daemon-stopped", End(device.name, ""), words)


def _area(device: Device, port: Port) -> str | None:
    """The area that OSPF's statements put an interface in."""
    process = device.section("router ospf")
    for line in process[1] if process and port.address else ():
        prefix = prefix_in(line) if line.startswith("network ") else None
        if prefix is not None and port.address and port.address.ip in prefix:
            return line.split()[-1]
    return None


def _statements(lines: tuple[str, ...]) -> set[IPv4Network]:
    found = (prefix_in(line) for line in lines if line.startswith("network "))
    return {prefix for prefix in found if prefix is not None}


def _unannounced(facts: Facts, device: Device) -> Iterator[Finding]:
    ospf, bgp = device.section("router ospf"), device.section("router bgp")
    for port in device.ports.values():
        if port.address is None or not facts.hosts_behind(port) or facts.is_out_of_place(port):
            continue
        is_known = _area(device, port) is not None or (bgp and port.address.network in _statements(bgp[1]))
        if (ospf or bgp) and not is_known:
            kind = "ospf-network-missing" if ospf else "bgp-network-missing"
            words = f"{device.name} does not announce {port.address.network}."
            yield Finding(kind, End(device.name, port.name), words)


def _bgp(facts: Facts, device: Device) -> Iterator[Finding]:
    process = device.section("router bgp")
    for line in process[1] if process else ():
        words = line.split()
        if words[0] != "neighbor":
            continue
        end = End(device.name, "")
        far = facts.devices.get(facts.owner(words[1]) or "")
        theirs = far.section("router bgp") if far else None
        if words[2] == "remote-as" and theirs and theirs[0].split()[-1] != words[3]:
            said = f"{device.name} expects AS {words[3]} of {words[1]}, which is in {theirs[0].split()[-1]}."
            yield Finding("bgp-as-number-wrong", end, said)
        if words[2] == "maximum-prefix":
            yield Finding("bgp-prefix-limit", end, f"{device.name} takes at most {words[3]} prefixes of {words[1]}.")
        if words[2] == "prefix-list" and words[-1] == "in":
            yield from _import_filter(facts, device, words[3])


def _import_filter(facts: Facts, device: Device, name: str) -> Iterator[Finding]:
    for line in device.lines(f"ip prefix-list {name} "):
        if " deny " in line and prefix_in(line) in facts.lans:
            yield Finding("bgp-filter-wrong", End(device.name, ""), f"{device.name}: {line}.")


def _static(facts: Facts, device: Device) -> Iterator[Finding]:
    process = device.section("router bgp")
    announced = _statements(process[1]) if process else set()
    routes = Counter(prefix_in(line) for line in device.lines("ip route "))
    for line in device.lines("ip route "):
        prefix, hop = prefix_in(line), line.split()[-1]
        if prefix is None or not any(address in prefix for address in facts.addresses.values()):
            continue
        is_aggregate = any(lan != prefix and lan.subnet_of(prefix) for lan in facts.lans)
        if hop == "Null0" and prefix.prefixlen and not is_aggregate:
            is_host = prefix.prefixlen == 32
            leaked = "bgp-blackhole-leaked" if is_host else "bgp-prefix-hijacked"
            kind = leaked if prefix in announced else "route-blackhole"
            yield Finding(kind, End(device.name, ""), f"{device.name} discards packets to {prefix}.")
        elif prefix in facts.lans and not _leads_there(facts, device, hop, prefix):
            words = f"The route of {device.name} to {prefix} leads to {hop}."
            kind = "ecmp-member-wrong" if routes[prefix] > 1 else "static-next-hop-wrong"
            yield Finding(kind, End(device.name, ""), words)


def _leads_there(facts: Facts, device: Device, hop: str, lan: IPv4Network) -> bool:
    """Whether a next hop is on a link of a router, and the router that has it is nearer to a LAN."""
    far = facts.distances(frozenset(port.node for port in facts.lans[lan]))
    owner = facts.owner(hop)
    is_near = any(port.address and IPv4Address(hop) in port.address.network for port in device.ports.values())
    return is_near and owner is not None and far.get(owner, len(far)) < far.get(device.name, len(far))
