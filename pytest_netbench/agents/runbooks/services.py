"""Runbook: DNS servers, web servers, load balancers. Files and filters of hosts first, then each server on its host."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding, output_of
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.dialects.linux.state_checks import STATE_CHECKS
from pytest_netbench.model.trial import Brief

_HALF_OPEN: Final = "ss -Htn state syn-recv"
_PEER: Final = re.compile(r"(\d+\.\d+\.\d+\.\d+)\]?:\d+\s*$", re.MULTILINE)
"""The second address of a line; that of a server for both versions of IP is in brackets."""
_MANY: Final = 4
_OPEN: Final = "ss -Htn state established"
_MOST_OPEN: Final = 30
"""Connections of one host with a server."""


def check_flood(facts: Facts, ani: Ani, server: str) -> Iterator[Finding]:
    """The host that sends SYNs to a server from addresses of nobody, if there is one."""
    said = str(ani.call("execute-cmd", {"device": server, "command": _HALF_OPEN})["output"])
    known = {str(address) for address in facts.addresses.values()}
    peers = [address for address in _PEER.findall(said) if address not in known]
    if len(peers) < _MANY:
        return
    others = {host.name for host in facts.hosts} - {server}
    for end in (end for link in facts.links for end in link if end.node in others):
        if _sends(ani, end, peers[0]):
            words = f"{end.node} sends SYNs to {server} from {peers[0]}, which leaves {len(peers)} half open."
            yield Finding("tcp-syn-flood", End(end.node, ""), words)


def check_held(facts: Facts, ani: Ani, server: str, fault_type: str) -> Iterator[Finding]:
    """The host that holds the connections of a server, if there is one."""
    said = str(ani.call("execute-cmd", {"device": server, "command": _OPEN})["output"])
    counts = Counter(_PEER.findall(said))
    for host, address in facts.addresses.items():
        if counts[str(address)] > _MOST_OPEN:
            words = f"{host} has {counts[str(address)]} open connections with {server}."
            yield Finding(fault_type, End(host, ""), words)


def _sends(ani: Ani, end: End, source: str) -> bool:
    """Whether packets from an address pass an interface."""
    asked = {"node": end.node, "interface": end.interface, "filter": f"src host {source} and tcp", "packets": 1}
    return bool(ani.call("capture-packets", {**asked, "duration_s": 0.3})["packets"])


_DNS: Final = re.compile(r"^- DNS on (\S+) \((\S+)\): the names of all hosts in (\S+)\. ", re.MULTILINE)
_HTTP: Final = re.compile(r"^- HTTP on (\S+) \(\S+\): ", re.MULTILINE)
_LB: Final = re.compile(r"^- HTTP on (\S+) \((\S+)\), a load balancer of (.+): http://(\S+)/ is ", re.MULTILINE)
_LB_CONF: Final = "file /etc/haproxy/haproxy.cfg"
_BACKEND: Final = re.compile(r"^server (\S+) (\S+)$", re.MULTILINE)
_LOOPBACK: Final = "127.0.0.1"
_TRIES: Final = 5
_SLOW_MS: Final = 1000.0
_BUSY: Final = STATE_CHECKS["short of processor time"].of()
BUFFERS: Final = "/proc/sys/net/ipv4/tcp_rmem"
_LEAST_BUFFER: Final = 4096
"""Bytes: less than what a few packets need."""


def check_services(brief: Brief, facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with servers, and with the hosts that use them."""
    words = "\n".join(brief.intents)
    for node, address, domain in _DNS.findall(words):
        yield from _resolvers(facts, address)
        yield from _records(facts, node, domain, {name: at for _, at, _, name in _LB.findall(words)})
        if node in facts.silent:
            continue
        if _drops(facts, node, "udp dport 53 drop"):
            yield Finding("dns-port-blocked", End(node, ""), f"A packet filter on {node} drops DNS.")
        else:
            lookup = {"node": node, "name": f"{node}.{domain}", "server": _LOOPBACK}
            yield from _asked(ani, "lookup-name", lookup, "time_ms", kind="dns")
    servers = [node for node in _HTTP.findall(words) if node not in facts.silent]
    yield from _windows(facts, ani) if servers else ()
    for node in servers:
        if _drops(facts, node, "tcp dport 80 drop"):
            yield Finding("http-denied", End(node, ""), f"A packet filter on {node} drops HTTP.")
        elif floods := list(check_flood(facts, ani, node)):
            yield from floods
        else:
            page = {"node": node, "url": f"http://{_LOOPBACK}/"}
            for found in _asked(ani, "http-get", page, "total_ms", kind="web"):
                # who looks at the connections only now spares calls
                is_server = found.fault_type != "host-cpu-limited"
                yield from (list(check_held(facts, ani, node, "web-flood")) if is_server else ()) or [found]
    yield from _balancers(words, facts, ani)


def _balancers(words: str, facts: Facts, ani: Ani) -> Iterator[Finding]:
    for node, _, servers, _ in _LB.findall(words):
        device = facts.devices.get(node)
        asked = dict(_BACKEND.findall("\n".join(device.sections.get(_LB_CONF, ()) if device else ())))
        for server in servers.split(", "):
            socket, known = asked.get(server), f"{facts.addresses.get(server)}:80"
            if socket not in (None, known):
                said = f"The load balancer on {node} asks {socket} for {server}, which is {known}."
                yield Finding("lb-backend-wrong", End(node, ""), said)
        alive = {"node": node, "url": f"http://{_LOOPBACK}/alive"}
        if node in facts.silent:
            continue
        for found in _asked(ani, "http-get", alive, "total_ms", kind="lb", tries=1):
            yield from list(check_held(facts, ani, node, "lb-connections-held")) or [found]


def _resolvers(facts: Facts, address: str) -> Iterator[Finding]:
    for host in facts.hosts:
        for line in host.sections.get("file /etc/resolv.conf", ()):
            if line.startswith("nameserver ") and line != f"nameserver {address}":
                words = f"{host.name} has '{line}', and the DNS server is {address}."
                yield Finding("host-resolver-wrong", End(host.name, ""), words)


def _windows(facts: Facts, ani: Ani) -> Iterator[Finding]:
    for host in facts.hosts:
        buffers = str(ani.call("execute-cmd", {"device": host.name, "command": f"cat {BUFFERS}"})["output"]).split()
        if len(buffers) == 3 and buffers[2].isdigit() and int(buffers[2]) < _LEAST_BUFFER:
            words = f"TCP on {host.name} receives at most {buffers[2]} bytes at once."
            yield Finding("host-receive-window-small", End(host.name, ""), words)


def _records(facts: Facts, node: str, domain: str, named: Mapping[str, str]) -> Iterator[Finding]:
    device = facts.devices.get(node)
    for line in device.sections.get("file /etc/dnsmasq.d/hosts", ()) if device else ():
        address, name = line.split()
        known = named.get(name) or facts.addresses.get(name.removesuffix(f".{domain}"))
        if known is not None and str(known) != address:
            words = f"The DNS server on {node} says that {name} is {address}, and it is {known}."
            yield Finding("dns-record-wrong", End(node, ""), words)


def _drops(facts: Facts, node: str, rule: str) -> bool:
    device = facts.devices.get(node)
    return device is not None and any(
        rule in lines for head, lines in device.sections.items() if head.startswith("table ")
    )


def _asked(
    ani: Ani, method: str, params: dict[str, str], took: str, *, kind: str, tries: int = _TRIES
) -> Iterator[Finding]:
    """Ask a server on its own host, some times if it is fast."""
    node, slowest = params["node"], 0.0
    for _ in range(tries):
        found = ani.call(method, params)
        if found.get("error"):
            yield Finding(f"{kind}-server-down", End(node, ""), f"The {kind} server on {node}: {found['error']}.")
            return
        slowest = max(slowest, found[took])
        if slowest > _SLOW_MS:
            break
    # what asks on the host is stopped together with the server, so that answers look fast
    if kind != "lb" and re.search(_BUSY.pattern, share := output_of(ani, node, _BUSY.command), re.MULTILINE):
        words = f"A busy loop on {node} gets {share.strip()} % of a processor."
        yield Finding("host-cpu-limited", End(node, ""), words)
    elif slowest > _SLOW_MS:
        yield Finding(f"{kind}-server-slow", End(node, ""), f"The {kind} server on {node} takes {slowest:.0f} ms.")
