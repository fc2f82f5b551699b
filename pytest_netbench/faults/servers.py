"""Faults of servers on hosts: of the program, which no command of an agent repairs, and of what it is configured with.

Each is observed at the server itself, through its loopback address, so that other faults do not hide it.
"""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import ClassVar, Final, Generic, TypeVar

from pytest_netbench.errors import FaultHasNoEffect, LabError
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.clients import get, look_up
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import ALIVE, DNS_PORT, WEB_PORT, DnsServer, Resolver, ServerName
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.driver import HostsServers

STOPPED_S: Final = 3.0
RUNNING_S: Final = 0.01
"""A slow server runs for so long after each pause."""
NOTICED_MS: Final = 1000.0
"""A slow server takes at least as long for one of a few requests in a row."""
_TRIES: Final = 3
_PATIENCE_S: Final = 6.0
_BLOCKED_S: Final = 0.5
_LOOPBACK: Final = "127.0.0.1"
_ANY_NAME: Final = "localhost.example"
_RESOLV_CONF: Final = "/etc/resolv.conf"
_RECORDS: Final = "/etc/dnsmasq.d/hosts"
_TABLE: Final = "inet filter"
_NOBODY: Final = (199, 222, 251)
"""Numbers of addresses in a LAN, of which the first that is free is nobody's."""


class OnServer(OnDevice):
    """A host with a server."""


P = TypeVar("P", bound=OnServer)


def servers_in(network: DrawnNetwork, kind: ServerName) -> Iterator[OnServer]:
    """The hosts of a network with a server of a kind."""
    for node in network.topology.nodes:
        if any(one.kind == kind for one in node.services):
            yield OnServer(node=node.name, platform=network.platform_of(node.name))


def hosting(lab: Lab, node: str) -> HostsServers:
    """The driver of a host with servers.

    Raises:
        LabError: Its nodes have none.
    """
    driver = lab.driver(node)
    if not isinstance(driver, HostsServers):
        raise LabError(f"{node}: nodes of driver {driver.name!r} have no servers")
    return driver


def asked(
    kind: ServerName,
    node: str,
    pattern: str,
    because: str,
    *,
    name: str = _ANY_NAME,
    tries: int = 1,
    timeout_s: float | None = None,
) -> Observation:
    """What a server answers on its own host, as a regular expression of the answer."""
    method, params = "lookup-name", {"node": node, "name": name, "server": _LOOPBACK}
    if kind != "dns":
        method, params = "http-get", {"node": node, "url": _url(kind)}
    timeout = {} if timeout_s is None else {"timeout_s": timeout_s}
    shows = Matches(pattern=pattern)
    return Observation(method=method, params={**params, **timeout}, shows=shows, because=because, tries=tries)


def words_of(kind: ServerName) -> str:
    """What a server is called in sentences."""
    return "load balancer" if kind == "lb" else f"{kind} server"


def _url(kind: ServerName) -> str:
    """What a server is asked for on its own host: a load balancer for what it answers without its web servers."""
    return f"http://{_LOOPBACK}:{WEB_PORT}{ALIVE if kind == 'lb' else '/'}"


# ---- programs ----


class ProgramFault(ABC, Generic[P]):
    """What faults of a server's program share. They are made and taken away with the privileges of the lab."""

    name: str
    label: ClassVar[str]
    kind: ClassVar[ServerName]
    parameters: type[P]
    lets_through: bool = False
    platforms: tuple[str, ...] = ("linux",)
    requires: tuple[str, ...] = ("programs",)
    called: Mapping[str, str] = {}
    found_at: ClassVar[str] = "node"
    domain: ClassVar[str] = "service"

    @abstractmethod
    def places(self, network: DrawnNetwork) -> Iterator[P]:
        """All parameters with which it can be injected into a network."""

    def touches(self, parameters: P) -> frozenset[str]:
        return frozenset({f"{parameters.node} {self.kind}"})

    def cuts(self, parameters: P) -> frozenset[str]:  # noqa: ARG002  (packets reach the host)
        return frozenset()

    def is_mutual(self, parameters: P) -> bool:  # noqa: ARG002  (it has one place)
        return False

    def recover(self, parameters: P) -> Commands:  # noqa: ARG002  (an agent has no service manager)
        return {}

    def explain(self, parameters: P) -> str:
        return f"{about(self)} It is the one on {parameters.node}."

    @abstractmethod
    def inject(self, parameters: P, lab: Lab) -> None:
        """Make it."""

    @abstractmethod
    def undo(self, parameters: P, lab: Lab) -> None:
        """Make the server as it was."""

    @abstractmethod
    def observe(self, parameters: P, lab: Lab) -> None:
        """See it at the server."""


def answers(kind: ServerName, node: str, lab: Lab, *, timeout_s: float) -> tuple[str | None, float]:
    """Why a server does not answer on its own host, and how long that took in milliseconds."""
    if kind == "dns":
        answer = look_up(lab.nodes[node], _ANY_NAME, server=_LOOPBACK, timeout_s=timeout_s)
        return answer.error, answer.time_ms or 0.0
    page = get(lab.nodes[node], _url(kind), timeout_s=timeout_s)
    return page.error, page.total_ms


class ServerDown(ProgramFault[OnServer]):
    """A server that does not run."""

    parameters = OnServer

    def places(self, network: DrawnNetwork) -> Iterator[OnServer]:
        return servers_in(network, self.kind)

    def inject(self, parameters: OnServer, lab: Lab) -> None:
        hosting(lab, parameters.node).end_server(lab.nodes[parameters.node], self.kind)

    def undo(self, parameters: OnServer, lab: Lab) -> None:
        hosting(lab, parameters.node).start_server(lab.nodes[parameters.node], self.kind)

    def observe(self, parameters: OnServer, lab: Lab) -> None:
        if hosting(lab, parameters.node).server_runs(lab.nodes[parameters.node], self.kind):
            raise FaultHasNoEffect(self.name, f"the {words_of(self.kind)} of {parameters.node} runs")
        error, _ = answers(self.kind, parameters.node, lab, timeout_s=_BLOCKED_S)
        if error is None:
            raise FaultHasNoEffect(self.name, f"something on {parameters.node} answers as {words_of(self.kind)}")

    def evidence(self, parameters: OnServer, network: Observable) -> Iterator[Observation]:
        port = DNS_PORT if self.kind == "dns" else WEB_PORT
        because = f"Nothing on {parameters.node} listens on port {port}."
        yield from asking.state(network, parameters.node, "nothing listens", because, port=port)
        yield asked(self.kind, parameters.node, r'"error": ', f"{parameters.node} gets no answer from its own server.")


class DnsServerDown(ServerDown):
    """The DNS server does not run: nothing listens on its port."""

    name = "dns-server-down"
    label = "DNS_DOWN"
    kind = "dns"
    needs_services: tuple[str, ...] = ("dns",)
    called = {"nika": "dns_service_down"}


class WebServerDown(ServerDown):
    """A web server does not run: nothing listens on its port."""

    name = "web-server-down"
    label = "WEB_DOWN"
    kind = "web"
    needs_services: tuple[str, ...] = ("web",)


class ServerSlow(ProgramFault[OnServer]):
    """A server whose program is stopped most of the time, as one that gets almost no time of a processor."""

    parameters = OnServer
    running_s: ClassVar[float] = RUNNING_S

    def places(self, network: DrawnNetwork) -> Iterator[OnServer]:
        return servers_in(network, self.kind)

    def inject(self, parameters: OnServer, lab: Lab) -> None:
        self._throttle(parameters, lab, STOPPED_S, self.running_s)

    def undo(self, parameters: OnServer, lab: Lab) -> None:
        self._throttle(parameters, lab, 0.0, 0.0)

    def _throttle(self, parameters: OnServer, lab: Lab, stopped_s: float, running_s: float) -> None:
        node = lab.nodes[parameters.node]
        hosting(lab, parameters.node).throttle_server(node, self.kind, stopped_s=stopped_s, running_s=running_s)

    def observe(self, parameters: OnServer, lab: Lab) -> None:
        longest = 0.0
        for _ in range(_TRIES):
            error, took_ms = answers(self.kind, parameters.node, lab, timeout_s=_PATIENCE_S)
            if error is not None:
                raise FaultHasNoEffect(
                    self.name, f"the {words_of(self.kind)} of {parameters.node} is not slow: {error}"
                )
            longest = max(longest, took_ms)
            if longest >= NOTICED_MS:
                return
        raise FaultHasNoEffect(
            self.name, f"the {words_of(self.kind)} of {parameters.node} answers {_TRIES} times within {longest:.0f} ms"
        )

    def evidence(self, parameters: OnServer, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it is asked on its host)
        time = "time_ms" if self.kind == "dns" else "total_ms"
        pattern = rf'"{time}": [1-9]\d{{3}}(?!.*"error")'
        because = f"The {words_of(self.kind)} of {parameters.node} answers itself after more than a second."
        yield asked(self.kind, parameters.node, pattern, because, tries=_TRIES)


class DnsServerSlow(ServerSlow):
    """The DNS server gets almost no processor time: it answers, and takes up to three seconds for it."""

    name = "dns-server-slow"
    label = "DNS_SLOW"
    kind = "dns"
    needs_services: tuple[str, ...] = ("dns",)
    called = {"nika": "dns_lookup_latency"}


class WebServerSlow(ServerSlow):
    """A web server gets almost no processor time: it answers, and takes up to three seconds for it."""

    name = "web-server-slow"
    label = "WEB_SLOW"
    kind = "web"
    needs_services: tuple[str, ...] = ("web",)
    running_s = 0.03
    """It serves a page in several steps, and a busy machine may let it wait before each."""


# ---- what servers and hosts are configured with ----


class WrongRecord(OnServer):
    """A DNS server, a full name, its address, and the address that the server gives instead."""

    name: str
    address: str
    instead: str


class DnsRecordWrong(DeviceFault[WrongRecord]):
    """The DNS server has a wrong address for a name: that of another host, or one that nobody has."""

    needs_services: tuple[str, ...] = ("dns",)
    shown_by = "servers"
    name = "dns-record-wrong"
    label = "DNS_RECORD"
    domain = "service"
    platforms = ("linux",)
    parameters = WrongRecord
    called = {"nika": "dns_record_error"}

    def _places(self, network: DrawnNetwork) -> Iterator[WrongRecord]:
        for server in servers_in(network, "dns"):
            for one in network.topology.node(server.node).services:
                if isinstance(one, DnsServer):
                    yield from self._records(network, server, one)

    def _records(self, network: DrawnNetwork, server: OnServer, dns: DnsServer) -> Iterator[WrongRecord]:
        names = list(dns.records)
        hosts = {address: name for name, address in network.addresses.items()}
        for number, name in enumerate(names):
            following = (dns.records[one] for one in (*names[number + 1 :], *names))
            other = next(address for address in following if address != dns.records[name])
            for instead in (other, nobodys_address(network, hosts[dns.records[name]])):
                yield WrongRecord(
                    **dict(server), name=f"{name}.{dns.domain}", address=dns.records[name], instead=instead
                )

    def touches(self, parameters: WrongRecord) -> frozenset[str]:
        return frozenset({f"{parameters.node} dns"})

    def injection(self, parameters: WrongRecord) -> tuple[str, ...]:
        return _replaced(parameters.name, parameters.address, parameters.instead)

    def repair(self, parameters: WrongRecord) -> tuple[str, ...]:
        return _replaced(parameters.name, parameters.instead, parameters.address)

    def shown(self, parameters: WrongRecord) -> tuple[str, ...]:
        lines = (f" {parameters.instead} {parameters.name}", f" no {parameters.address} {parameters.name}")
        return (f"file {_RECORDS}", *lines)

    def remains(self, parameters: WrongRecord, lab: Lab) -> Iterator[str]:
        answer = look_up(lab.nodes[parameters.node], parameters.name, server=_LOOPBACK)
        if answer.addresses != (parameters.instead,):
            found = ", ".join(answer.addresses) or answer.status or answer.error
            yield f"{parameters.name} is {found}"

    def explain(self, parameters: WrongRecord) -> str:
        said = f"says that {parameters.name} is {parameters.instead}, and it is {parameters.address}"
        return f"{about(self)} The one on {parameters.node} {said}."

    def symptoms(self, parameters: WrongRecord, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it is asked on its host)
        because = f"{parameters.node} says that {parameters.name} is {parameters.instead}."
        pattern = rf'"addresses": \["{re.escape(parameters.instead)}"\]'
        yield asked("dns", parameters.node, pattern, because, name=parameters.name)


class _PortBlocked(DeviceFault[OnServer]):
    """A packet filter on a server that drops what comes to the server's port."""

    domain = "filtering"
    platforms = ("linux",)
    parameters = OnServer
    kind: ClassVar[ServerName]
    rules: ClassVar[tuple[str, ...]]

    def _places(self, network: DrawnNetwork) -> Iterator[OnServer]:
        return servers_in(network, self.kind)

    def touches(self, parameters: OnServer) -> frozenset[str]:
        return frozenset({f"{parameters.node} {self.kind}", f"{parameters.node} table {_TABLE}"})

    def injection(self, parameters: OnServer) -> tuple[str, ...]:  # noqa: ARG002  (the same on each)
        chain = f"{_TABLE} input"
        return (
            f"nft add table {_TABLE}",
            f"nft 'add chain {chain} {{ type filter hook input priority filter; policy accept; }}'",
            *(f"nft 'add rule {chain} {rule}'" for rule in self.rules),
        )

    def repair(self, parameters: OnServer) -> tuple[str, ...]:  # noqa: ARG002  (the table is the fault's)
        return (f"nft delete table {_TABLE}",)

    def shown(self, parameters: OnServer) -> tuple[str, ...]:  # noqa: ARG002  (the same on each)
        return (f"table {_TABLE}", " chain input", *(f"  {rule}" for rule in self.rules))

    def remains(self, parameters: OnServer, lab: Lab) -> Iterator[str]:
        error, _ = answers(self.kind, parameters.node, lab, timeout_s=_BLOCKED_S)
        if error is None:
            yield f"its {self.kind} server answers"

    def symptoms(self, parameters: OnServer, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it is asked on its host)
        because = f"{parameters.node} gets no answer from its own server, which runs."
        yield asked(self.kind, parameters.node, r'"error": ', because)


class DnsPortBlocked(_PortBlocked):
    """A packet filter on the host of the DNS server drops what comes to port 53."""

    shown_by = "servers"
    name = "dns-port-blocked"
    label = "DNS_PORT"
    kind = "dns"
    needs_services: tuple[str, ...] = ("dns",)
    rules = (f"udp dport {DNS_PORT} drop", f"tcp dport {DNS_PORT} drop")
    called = {"nika": "dns_port_blocked"}


class HttpDenied(_PortBlocked):
    """A packet filter on the host of a web server drops what comes to port 80."""

    name = "http-denied"
    label = "ACL_HTTP"
    kind = "web"
    needs_services: tuple[str, ...] = ("web",)
    rules = (f"tcp dport {WEB_PORT} drop",)
    called = {"nika": "http_acl_block"}


class WrongResolver(OnDevice):
    """A host, its search domain, its DNS server, and the address that it asks instead."""

    domain: str
    server: str
    instead: str


class HostResolverWrong(DeviceFault[WrongResolver]):
    """A host looks names up at a wrong address: at a host without a DNS server, or at one that nobody has."""

    needs_services: tuple[str, ...] = ("dns",)
    shown_by = "servers"
    name = "host-resolver-wrong"
    label = "RESOLVER"
    domain = "service"
    platforms = ("linux",)
    parameters = WrongResolver
    called = {"nika": "host_incorrect_dns"}

    def _places(self, network: DrawnNetwork) -> Iterator[WrongResolver]:
        for node in network.topology.nodes:
            for one in node.services:
                if isinstance(one, Resolver):
                    others = [network.addresses[name] for name in network.hosts if name != node.name]
                    wrong = [
                        *[other for other in others if other != one.server][:1],
                        nobodys_address(network, node.name),
                    ]
                    for instead in wrong:
                        yield WrongResolver(
                            node=node.name,
                            platform=network.platform_of(node.name),
                            domain=one.domain,
                            server=one.server,
                            instead=instead,
                        )

    def touches(self, parameters: WrongResolver) -> frozenset[str]:
        return frozenset({f"{parameters.node} resolver"})

    def injection(self, parameters: WrongResolver) -> tuple[str, ...]:
        return _resolving(parameters.domain, parameters.instead)

    def repair(self, parameters: WrongResolver) -> tuple[str, ...]:
        return _resolving(parameters.domain, parameters.server)

    def shown(self, parameters: WrongResolver) -> tuple[str, ...]:
        lines = (f" nameserver {parameters.instead}", f" no nameserver {parameters.server}")
        return (f"file {_RESOLV_CONF}", *lines)

    def symptoms(self, parameters: WrongResolver, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (any host is asked alike)
        params = {"node": parameters.node, "name": parameters.node, "timeout_s": _BLOCKED_S}
        because = f"{parameters.node} gets no answer for its own name."
        yield Observation(method="lookup-name", params=params, shows=Matches(pattern=r'"error": '), because=because)


def _replaced(name: str, old: str, new: str) -> tuple[str, ...]:
    """A command that gives a name another address. The file is written in place: the server notices its end."""
    script = shlex.quote(f"s/^{re.escape(old)} {re.escape(name)}$/{new} {name}/")
    return (f'text=$(sed {script} {_RECORDS}) && printf "%s\\n" "$text" > {_RECORDS}',)


def _resolving(domain: str, server: str) -> tuple[str, ...]:
    return (f"printf 'search {domain}\\nnameserver {server}\\n' > {_RESOLV_CONF}",)


def nobodys_address(network: DrawnNetwork, host: str) -> str:
    """An address of the LAN of a host that nobody has."""
    lan = network.lan_of(host)
    prefix = IPv4Network(lan.prefix)
    taken = {lan.gateway, *(one.address for one in lan.attachments)}
    numbers = (number for number in (*_NOBODY, *range(prefix.num_addresses - 2, 1, -1)))
    return next(
        str(prefix[number])
        for number in numbers
        if number < prefix.num_addresses - 1 and str(prefix[number]) not in taken
    )
