"""Runbook: hosts. Each is compared with what the brief says of it, and with its LAN."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.reading import Device, Port, addresses_in
from pytest_netbench.ani.protocol import Ani


def check_hosts(facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with hosts, and with the masks of their routers."""
    for host in facts.hosts:
        address, ports = facts.addresses.get(host.name), host.cabled
        if address is None:
            continue
        if not ports:  # an interface without addresses is not in the config
            end = next(end for link in facts.links for end in link if end.node == host.name)
            yield Finding("host-address-missing", end, f"{host.name} has no address.")
            continue
        yield from _address(facts, ports[0], address)
        yield from _routes(facts, host, ports[0], address)
        yield from _neighbors(host, ani)
        if any(head.startswith("table arp ") for head in host.sections):
            yield Finding("host-arp-denied", End(host.name, ports[0].name), f"{host.name} filters ARP.")
    yield from _masks(facts)


def _address(facts: Facts, port: Port, expected: IPv4Address) -> Iterator[Finding]:
    end = End(port.node, port.name)
    if port.address is not None and port.address.ip != expected:
        others = [name for name, address in facts.addresses.items() if address == port.address.ip]
        kind = "host-address-duplicate" if others else "host-address-wrong"
        if others and expected in port.address.network:
            kind = "host-address-taken"
        yield Finding(kind, end, f"{port.node} has the address {port.address.ip} instead of {expected}.")


def _routes(facts: Facts, host: Device, port: Port, address: IPv4Address) -> Iterator[Finding]:
    end = End(host.name, port.name)
    routes = host.sections.get("routes main", ())
    lan = next((ports for prefix, ports in facts.lans.items() if address in prefix), ())
    gateways = {found for one in lan for found in addresses_in(one.lines)}
    for route in routes:
        words = route.split()
        if words[0] == "blackhole":
            yield Finding("host-route-blackhole", end, f"{host.name} discards packets to {words[1]}.")
        if words[:2] == ["default", "via"] and gateways and words[2] not in gateways:
            yield Finding("host-gateway-wrong", end, f"The gateway of {host.name} is {words[2]}, which is no router.")


def _neighbors(host: Device, ani: Ani) -> Iterator[Finding]:
    output = ani.call("execute-cmd", {"device": host.name, "command": "ip -j neighbor show nud permanent"})["output"]
    for entry in json.loads(output.strip() or "[]"):
        if "." in entry["dst"]:
            words = f"{host.name} has a permanent neighbor entry {entry['dst']} {entry.get('lladdr')}."
            yield Finding("host-neighbor-wrong", End(host.name, entry["dev"]), words)


def _masks(facts: Facts) -> Iterator[Finding]:
    """Masks that are not as most of the LAN have them."""
    for router in facts.ports:
        members = [port for port in _hosts_near(facts, router) if port.address]
        if router.address is None or not members:
            continue
        lengths = Counter(port.address.network.prefixlen for port in members if port.address)
        lengths[router.address.network.prefixlen] += 1
        usual = max(lengths, key=lambda length: (lengths[length], -length))
        if router.address.network.prefixlen > usual:
            words = f"The mask of {router.node} {router.name} is /{router.address.network.prefixlen}, not /{usual}."
            yield Finding("mask-wrong", End(router.node, router.name), words)
        for port in members:
            if port.address and port.address.network.prefixlen < min(usual, router.address.network.prefixlen):
                words = f"The mask of {port.node} is /{port.address.network.prefixlen}, not /{usual}."
                yield Finding("host-mask-wrong", End(port.node, port.name), words)


def _hosts_near(facts: Facts, router: Port) -> list[Port]:
    """Interfaces of hosts that have the address of a router's interface in their subnet."""
    ports = [port for host in facts.hosts for port in host.ports.values()]
    return [
        port
        for port in ports
        if router.address
        and port.address
        and port.node in facts.addresses
        and router.address.ip in port.address.network
        and _is_near(facts, router, port)
    ]


def _is_near(facts: Facts, router: Port, host: Port) -> bool:
    """Whether the host's own gateway is the router, or they are on one link."""
    if any(one.node == host.node for one in facts.others(End(router.node, router.name))):
        return True
    gateway = f"default via {router.address.ip} " if router.address else "-"
    return any(f"{route} ".startswith(gateway) for route in facts.devices[host.node].sections.get("routes main", ()))
