"""Runbook: DHCP. What its servers are configured to give, and hosts that serve and should not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Final, NamedTuple

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding, output_of
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.trial import Brief

_SERVER: Final = re.compile(r"^- DHCP on (\S+) for (\S+): gateway [^;]+; (.+)\.$", re.MULTILINE)
_CONF: Final = "file /etc/dnsmasq-dhcp.conf"
_RANGE: Final = "dhcp-range="
_GATEWAY: Final = "dhcp-option=option:router,"
_RESOLVER: Final = "dhcp-option=option:dns-server,"
_PORT: Final = re.compile(r":67\s")
_CONSEQUENCES: Final = ("host-address-missing", "host-address-wrong", "host-gateway-wrong", "host-resolver-wrong")


class _Known(NamedTuple):
    """A DHCP server as the brief has it."""

    node: str
    prefix: IPv4Network
    clients: tuple[str, ...]


def check_leases(brief: Brief, facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with DHCP."""
    for server in _known(brief):
        yield from _of_server(facts, ani, server)
        yield from _rogues(facts, server)


def of_leases(brief: Brief, facts: Facts, found: Finding) -> Iterator[tuple[str, End]]:
    """What else is found because of something wrong with DHCP: addresses, gateways and DNS servers of its clients."""
    if found.fault_type.startswith("dhcp-"):
        for server in _known(brief):
            if found.end.node in {server.node, *server.clients}:
                ends = [End(node, name) for node in server.clients for name in ("", *_interfaces(facts, node))]
                yield from ((kind, end) for kind in _CONSEQUENCES for end in ends)


def _interfaces(facts: Facts, node: str) -> Iterator[str]:
    return (end.interface for link in facts.links for end in link if end.node == node)


def _known(brief: Brief) -> Iterator[_Known]:
    for node, prefix, clients in _SERVER.findall("\n".join(brief.intents)):
        names = tuple(one.split()[0] for one in clients.split(", "))
        yield _Known(node, IPv4Network(prefix), names)


def _of_server(facts: Facts, ani: Ani, server: _Known) -> Iterator[Finding]:
    end = End(server.node, "")
    start = _value(facts, server.node, _RANGE).partition(",")[0]
    if start and start != str(server.prefix.network_address):
        yield Finding("dhcp-subnet-missing", end, f"The DHCP server on {server.node} has a range for {start} only.")
    elif server.node not in facts.devices or any(_has_address(facts, client) for client in server.clients):
        return
    elif not _listens(ani, server.node):
        yield Finding("dhcp-server-down", end, f"The DHCP server on {server.node} gives nobody an address.")


def _listens(ani: Ani, host: str) -> bool:
    """Whether a host has a DHCP server; without one it is not its clients that are wrong."""
    return bool(_PORT.search(output_of(ani, host, "ss -Hlnu")))


def _rogues(facts: Facts, server: _Known) -> Iterator[Finding]:
    """Clients that serve their neighbors."""
    for client in server.clients:
        start = _value(facts, client, _RANGE).partition(",")[0]
        if not start:
            continue
        own = str(facts.addresses.get(client))
        kind = "dhcp-subnet-spoofed"
        if start == str(server.prefix.network_address):
            kind = "dhcp-gateway-spoofed" if _value(facts, client, _GATEWAY) == own else "dhcp-dns-spoofed"
        yield Finding(kind, End(client, ""), f"{client} runs a DHCP server for {start}, and {server.node} should.")


def _has_address(facts: Facts, host: str) -> bool:
    device = facts.devices.get(host)
    return device is not None and any(port.address for port in device.cabled)


def _value(facts: Facts, host: str, beginning: str) -> str:
    """What follows a beginning in the config of a host's DHCP server; nothing if it has none."""
    device = facts.devices.get(host)
    lines = device.sections.get(_CONF, ()) if device else ()
    return next((line.removeprefix(beginning) for line in lines if line.startswith(beginning)), "")
