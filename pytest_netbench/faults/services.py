"""Faults of what servers and hosts are configured with: names, packet filters on servers, resolvers, and buffers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

from pytest_netbench.faults.builders import NetworkValue, config_fault
from pytest_netbench.faults.change import Change, OnDevice, given, of_port, shows
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.hosts import HostInLan, dropping, host_fault, hosts_in
from pytest_netbench.faults.servers import (
    BLOCKED_S,
    LOOPBACK,
    OnServer,
    answers,
    asked,
    nobodys_address,
    servers_in,
    services_of,
)
from pytest_netbench.lab.clients import look_up
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import DNS_PORT, WEB_PORT, DnsServer, Resolver, ServerName
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC

_RESOLV_CONF: Final = "/etc/resolv.conf"
_RECORDS: Final = "/etc/dnsmasq.d/hosts"
_SETTING: Final = "net.ipv4.tcp_rmem"
_USUAL: Final = "4096 131072 6291456"
"""Linux's default."""
_SMALL: Final = "512 512 512"
"""Bytes of a buffer, with what the kernel needs for itself: some hundred bytes arrive in a second."""


class WrongRecord(OnServer):
    """A DNS server, a full name, its address, and the address that the server gives instead."""

    name: str
    address: str
    instead: str

    def replaced(self, old: str, new: str) -> tuple[str, ...]:
        """A command that gives a name another address. The file is written in place: the server notices its end."""
        script = shlex.quote(f"s/^{re.escape(old)} {re.escape(self.name)}$/{new} {self.name}/")
        return (f'text=$(sed {script} {_RECORDS}) && printf "%s\\n" "$text" > {_RECORDS}',)


def _records(network: DrawnNetwork) -> Iterator[WrongRecord]:
    hosts = {address: name for name, address in network.addresses.items()}
    for node, dns in services_of(network, DnsServer):
        names = list(dns.records)
        for number, name in enumerate(names):
            address = dns.records[name]
            following = (dns.records[one] for one in (*names[number + 1 :], *names))
            other = next(one for one in following if one != address)
            for instead in (other, nobodys_address(network, hosts[address])):
                yield WrongRecord.of(network, node, name=f"{name}.{dns.domain}", address=address, instead=instead)


def _is_otherwise(lab: Lab, p: WrongRecord) -> Iterator[str]:
    answer = look_up(lab.nodes[p.node], p.name, server=LOOPBACK)
    if answer.addresses != (p.instead,):
        yield f"{p.name} is {', '.join(answer.addresses) or answer.status or answer.error}"


DNS_RECORD_WRONG = host_fault(
    "dns-record-wrong",
    about="The DNS server has a wrong address for a name: that of another host, or one that nobody has.",
    label="DNS_RECORD",
    domain="service",
    parameters=WrongRecord,
    needs_services=("dns",),
    shown_by="servers",
    called={"nika": "dns_record_error"},
    at=_records,
    touches=lambda p: frozenset({f"{p.node} dns"}),
    change=lambda p: Change(
        inject=p.replaced(p.address, p.instead),
        repair=p.replaced(p.instead, p.address),
        shown=(f"file {_RECORDS}", f" {p.instead} {p.name}", f" no {p.address} {p.name}"),
        checks=(given(_is_otherwise, p),),
        detail=f"The one on {p.node} says that {p.name} is {p.instead}, and it is {p.address}.",
        symptoms=(
            asked(
                "dns",
                p.node,
                rf'"addresses": \["{re.escape(p.instead)}"\]',
                f"{p.node} says that {p.name} is {p.instead}.",
                name=p.name,
            ),
        ),
    ),
)


def _port_blocked(name: str, kind: ServerName, *rules: str, **fields: Any) -> NetworkValue[OnServer]:
    """A packet filter on a server that drops what comes to the server's port."""

    def answers_still(lab: Lab, node: str) -> Iterator[str]:
        error, _ = answers(kind, node, lab, timeout_s=BLOCKED_S)
        if error is None:
            yield f"its {kind} server answers"

    def change(p: OnServer) -> Change:
        because = f"{p.node} gets no answer from its own server, which runs."
        checks, symptoms = (
            (given(answers_still, p.node),),
            (asked(kind, p.node, r'"error": ', because, is_shared=True),),
        )
        return dropping("filter", *rules, quote="'", checks=checks, symptoms=symptoms)

    return config_fault(
        name,
        domain="filtering",
        parameters=OnServer,
        platforms=("linux",),
        needs_services=(kind,),
        at=lambda network: servers_in(network, kind),
        touches=lambda p: frozenset({f"{p.node} {kind}", f"{p.node} table inet filter"}),
        change=change,
        **fields,
    )


DNS_PORT_BLOCKED = _port_blocked(
    "dns-port-blocked",
    "dns",
    f"udp dport {DNS_PORT} drop",
    f"tcp dport {DNS_PORT} drop",
    about="A packet filter on the host of the DNS server drops what comes to port 53.",
    label="DNS_PORT",
    shown_by="servers",
    called={"nika": "dns_port_blocked"},
)
HTTP_DENIED = _port_blocked(
    "http-denied",
    "web",
    f"tcp dport {WEB_PORT} drop",
    about="A packet filter on the host of a web server drops what comes to port 80.",
    label="ACL_HTTP",
    called={"nika": "http_acl_block"},
)


class WrongResolver(OnDevice):
    """A host, its search domain, its DNS server, and the address that it asks instead."""

    domain: str
    server: str
    instead: str

    def asking(self, server: str) -> tuple[str, ...]:
        """The command by which it asks a server."""
        return (f"printf 'search {self.domain}\\nnameserver {server}\\n' > {_RESOLV_CONF}",)


def _resolvers(network: DrawnNetwork) -> Iterator[WrongResolver]:
    for node, one in services_of(network, Resolver):
        others = [network.addresses[name] for name in network.hosts if name != node]
        for instead in (*[other for other in others if other != one.server][:1], nobodys_address(network, node)):
            yield WrongResolver.of(network, node, domain=one.domain, server=one.server, instead=instead)


def _misled(p: WrongResolver) -> Change:
    unknown = Observation(
        method="lookup-name",
        params={"node": p.node, "name": p.node, "timeout_s": BLOCKED_S},
        shows=Matches(pattern=r'"error": '),
        because=f"{p.node} gets no answer for its own name.",
        is_shared=True,
    )
    return Change(
        inject=p.asking(p.instead),
        repair=p.asking(p.server),
        shown=(f"file {_RESOLV_CONF}", f" nameserver {p.instead}", f" no nameserver {p.server}"),
        symptoms=(lambda _: [unknown],),
    )


HOST_RESOLVER_WRONG = host_fault(
    "host-resolver-wrong",
    about="A host looks names up at a wrong address: at a host without a DNS server, or at one that nobody has.",
    label="RESOLVER",
    domain="service",
    parameters=WrongResolver,
    needs_services=("dns",),
    shown_by="servers",
    called={"nika": "host_incorrect_dns"},
    at=_resolvers,
    touches=lambda p: frozenset({f"{p.node} resolver"}),
    change=_misled,
)


def _is_small(lab: Lab, node: str) -> Iterator[str]:
    found = " ".join(lab.nodes[node].capability(EXEC).run(["sysctl", "-n", _SETTING]).stdout.split())
    if found != _SMALL:
        yield f"{_SETTING} is {found}"


def _small(p: HostInLan) -> Change:
    because = f"TCP on {p.node} has a buffer of less than 10 kB for what it receives."
    return Change(
        inject=(f"sysctl -qw {_SETTING}='{_SMALL}'",),
        repair=(f"sysctl -qw {_SETTING}='{_USUAL}'",),
        shown=(),  # no config has it
        checks=(given(_is_small, p.node),),
        symptoms=(shows(p.node, "small buffer", because),),
    )


def _with_pages(network: DrawnNetwork) -> bool:
    return any(service.kind == "web" for node in network.topology.nodes for service in node.services)


HOST_RECEIVE_WINDOW_SMALL = host_fault(
    "host-receive-window-small",
    about="A host has so small a buffer for what TCP receives that pages take seconds, although the network is fast.",
    label="HOST_WINDOW",
    domain="service",
    parameters=HostInLan,
    needs_services=("web",),
    shown_by="servers",
    called={"nika": "tcp_receive_window_limited"},
    # only pages show it
    at=lambda network: (host for _, host in hosts_in(network)) if _with_pages(network) else (),
    touches=lambda p: of_port(p) | {f"{p.node} {_SETTING}"},
    change=_small,
)
