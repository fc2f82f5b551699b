"""Servers on Linux hosts: their files, and how they are started, ended, slowed down and restored.

DNS and DHCP are dnsmasq, the web server is lighttpd, the load balancer is HAProxy, tunnels are wireguard-go, RPKI
caches are StayRTR: all are small and need no service manager. All but those of
``IN_WALL_TIME`` go by the lab's clock.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import not_
from typing import Final, NamedTuple

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.model.hosting import (
    DNS_PORT,
    DhcpClient,
    DhcpServer,
    DnsServer,
    HostService,
    LoadBalancer,
    Resolver,
    RpkiCache,
    ServerName,
    VpnEnd,
    WebServer,
    servers_of,
)
from pytest_netbench.platforms.capabilities import PROGRAMS, HostNode
from pytest_netbench.platforms.linux import balancer, dhcp, rpki, vpn, web

RESOLV_CONF: Final = "/etc/resolv.conf"
DNS_CONF: Final = "/etc/dnsmasq.conf"
DNS_RECORDS: Final = "/etc/dnsmasq.d/hosts"
SHOWN: Final = (RESOLV_CONF, DNS_CONF, DNS_RECORDS, dhcp.DHCP_CONF, balancer.LB_CONF, vpn.CONF, rpki.VRPS)
"""The files that a running config shows."""
_MODES: Final[Mapping[str, int]] = {dhcp.SCRIPT: 0o755, vpn.KEY: vpn.KEY_MODE}
_MOST_SHOWN: Final = 65_536
_NSSWITCH: Final = "/etc/nsswitch.conf"
_NAMES_BY_DNS: Final = "passwd: files\ngroup: files\nhosts: files dns\nprotocols: files\nservices: files\n"
_USR1, _USR2, _TERM = 10, 12, 15
_GONE_S: Final = 5.0
_PACE_S: Final = 0.003  # the end of a program is known to the backend, which answers questions only
_NO_COOKIES: Final = ("sysctl", "-qw", "net.ipv4.tcp_syncookies=0")
"""The half-open connections of a web server are bounded by its queue alone, as those of small devices are."""
_LINE: Final = "This page is served for the hosts of this network.\n"


class _Server(NamedTuple):
    """The name under which a server's program runs, where it is installed, and its arguments."""

    program: str
    path: str
    arguments: tuple[str, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        return (self.path, *self.arguments)


# a node has one user, and no groups that could be dropped
_DNSMASQ: Final = ("--keep-in-foreground", "--user=root", "--group=", "--log-facility=-")
_SERVERS: Final[Mapping[ServerName, _Server]] = {
    "dns": _Server("dnsmasq", "/usr/sbin/dnsmasq", (*_DNSMASQ, f"--conf-file={DNS_CONF}")),
    "dhcp": _Server("dnsmasq-dhcp", "/usr/sbin/dnsmasq", (*_DNSMASQ, f"--conf-file={dhcp.DHCP_CONF}")),
    "web": _Server(web.PROGRAM, web.PATH, web.ARGUMENTS),
    "lb": _Server(balancer.PROGRAM, balancer.PATH, balancer.ARGUMENTS),
    "vpn": _Server(vpn.PROGRAM, vpn.PATH, vpn.ARGUMENTS),
    "rpki": _Server(rpki.PROGRAM, rpki.PATH, rpki.ARGUMENTS),
}
NEEDED: Final[Mapping[ServerName, tuple[str, ...]]] = {
    "dns": ("dnsmasq",),
    "web": ("lighttpd", "curl"),
    "dhcp": ("dnsmasq", "busybox"),
    "lb": ("haproxy", "curl"),
    "vpn": ("wireguard-go", "wg", "tun"),
    "rpki": ("stayrtr", "bgpd-rpki"),
}
"""By kind of server: what a machine must have for it and its clients, programs most of all."""

IN_WALL_TIME: Final[frozenset[ServerName]] = frozenset({"vpn", "rpki"})
"""Programs in Go, which make their system calls themselves: no library can give them another clock."""
PROGRAMS_IN_LAB_TIME: Final[Mapping[str, str]] = {
    **{kind: server.path for kind, server in _SERVERS.items() if kind not in IN_WALL_TIME},
    "dhcp-client": dhcp.BUSYBOX,
}
"""By kind of service: the program that goes by the lab's clock."""


def serve(node: HostNode, services: Sequence[HostService]) -> None:
    """Write the files of services, and start the servers.

    Raises:
        LabError: A file cannot be written, or a server not be started.
    """
    files = dict(_files(services))
    directories = sorted({path.rpartition("/")[0] for path in files} - {"/etc"})
    if directories:
        done = node.run(["mkdir", "-p", *directories])
        if done.returncode:
            raise LabError(f"{node.name}: {done.stderr.strip()}")
    for path, text in files.items():
        _write(node, path, text)
    for server in servers_of(services):
        if isinstance(server, WebServer):
            node.run(_NO_COOKIES)
        start(node, server.kind)
        if isinstance(server, VpnEnd):
            _run(node, vpn.bring_up(server))
    for one in services:
        if isinstance(one, DhcpClient):
            _start_client(node, one)


def _run(node: HostNode, command: str) -> None:
    done = node.run(["/bin/sh", "-c", command])
    if done.returncode:
        raise LabError(f"{node.name}: {(done.stderr or done.stdout).strip()}")


def _start_client(node: HostNode, client: DhcpClient) -> None:
    node.run_many([("mkdir", "-p", dhcp.RUN), ("ln", "-sfn", dhcp.LEASED_RESOLV_CONF, RESOLV_CONF)])
    if dhcp.CLIENT not in node.capability(PROGRAMS).running():
        node.start(dhcp.client_argv(client.interface), name=dhcp.CLIENT)


def withdraw(node: HostNode, services: Sequence[HostService]) -> None:
    """End servers and remove their files.

    Raises:
        LabError: A server does not end, or a file cannot be removed.
    """
    for server in servers_of(services):
        end(node, server.kind)
    done = node.run(["rm", "-f", *dict(_files(services))])
    if done.returncode:
        raise LabError(f"{node.name}: {done.stderr.strip()}")


def ask_again(node: HostNode) -> None:
    """Let the DHCP client give its lease back, and ask for one."""
    programs = node.capability(PROGRAMS)
    for number in (_USR2, _USR1):
        programs.signal(dhcp.CLIENT, number)


def start(node: HostNode, kind: ServerName) -> None:
    """Start a server; without effect if it runs."""
    server = _SERVERS[kind]
    if server.program not in node.capability(PROGRAMS).running():
        node.start(server.argv, name=server.program, lab_time=kind not in IN_WALL_TIME)


def end(node: HostNode, kind: ServerName) -> None:
    """End a server in order, and return once it is gone.

    Raises:
        LabError: It does not end.
    """
    programs, name = node.capability(PROGRAMS), _SERVERS[kind].program
    programs.signal(name, _TERM)
    if poll(lambda: name in programs.running(), until=not_, within_s=_GONE_S, pause_s=_PACE_S):
        raise LabError(f"{node.name}: {name} did not end within {_GONE_S:g} s")


def runs(node: HostNode, kind: ServerName) -> bool:
    """Whether a server runs, be it slowed down or not."""
    return _SERVERS[kind].program in node.capability(PROGRAMS).running()


def throttle(node: HostNode, kind: ServerName, *, stopped_s: float, running_s: float) -> None:
    """Let a server run for ``running_s`` after each ``stopped_s`` only, in wall seconds; freely if both are 0."""
    node.capability(PROGRAMS).throttle(_SERVERS[kind].program, stopped_s=stopped_s, running_s=running_s)


def refresh(node: HostNode, services: Sequence[HostService]) -> None:
    """Write each file of services as it is, so that no time of a change tells which one was changed."""
    for path in dict(_files(services)):
        _write(node, path, node.read_file(path))
    if _is_client(services):
        node.run(["touch", "--no-create", dhcp.LEASED_RESOLV_CONF])


def forget_sessions(node: HostNode, services: Sequence[HostService]) -> None:
    """Give each tunnel its config again: its peers have no session then, and their counters begin at zero.

    Raises:
        LabError: A tunnel does not take it.
    """
    if any(isinstance(one, VpnEnd) for one in services):
        _run(node, vpn.CONFIGURE)


def _write(node: HostNode, path: str, text: str) -> None:
    if path == dhcp.SCRIPT and dhcp.CLIENT in node.capability(PROGRAMS).running():
        node.run(["touch", "--no-create", path])  # its text is always the same, and nobody may write what is being run
        return
    node.write_file(path, text, mode=_MODES.get(path, 0o644))


def records_text(records: Mapping[str, str], domain: str) -> str:
    """The file of records of a DNS server."""
    return "".join(f"{address} {name}.{domain}\n" for name, address in records.items())


def resolver_text(server: str, domain: str) -> str:
    """The file of a resolver."""
    return f"search {domain}\nnameserver {server}\n"


def _is_client(services: Sequence[HostService]) -> bool:
    return any(isinstance(one, DhcpClient) for one in services)


def _files(services: Sequence[HostService]) -> Iterator[tuple[str, str]]:
    """The files of services with their texts. A client of DHCP writes by itself where it looks names up."""
    for one in services:
        if isinstance(one, Resolver):
            if not _is_client(services):
                yield RESOLV_CONF, resolver_text(one.server, one.domain)
            yield _NSSWITCH, _NAMES_BY_DNS
        elif isinstance(one, DnsServer):
            yield DNS_CONF, _dns_config(one)
            yield DNS_RECORDS, records_text(one.records, one.domain)
        elif isinstance(one, WebServer):
            yield web.WEB_CONF, web.CONFIG
            yield web.PAGE, _page(one)
        elif isinstance(one, DhcpServer):
            yield dhcp.DHCP_CONF, dhcp.server_config(one)
        elif isinstance(one, LoadBalancer):
            yield balancer.LB_CONF, balancer.config_text(one)
        elif isinstance(one, VpnEnd):
            yield vpn.CONF, vpn.config_text(one)
            yield vpn.KEY, vpn.key_text(one)
        elif isinstance(one, RpkiCache):
            yield rpki.VRPS, rpki.vrps_text(one)
        else:
            yield dhcp.SCRIPT, dhcp.SCRIPT_TEXT


def _dns_config(server: DnsServer) -> str:
    lines = (
        f"port={DNS_PORT}",
        "pid-file",
        "no-resolv",
        "no-hosts",
        f"local=/{server.domain}/",
        f"hostsdir={DNS_RECORDS.rpartition('/')[0]}",
    )
    return "".join(f"{line}\n" for line in lines)


def _page(server: WebServer) -> str:
    head, tail = "<!DOCTYPE html><title>Index</title><pre>\n", "</pre>\n"
    left = server.page_bytes - len(head) - len(tail)
    return head + (_LINE * (left // len(_LINE) + 1))[:left] + tail


# ---- running configs ----


def read_command(files: Iterable[str] = SHOWN) -> str:
    """A shell command that prints the beginnings of files that are not empty, each behind a line with its name."""
    names = " ".join(map(shlex.quote, files))
    shown = f'echo "file $file"; head -c {_MOST_SHOWN} "$file" | sed "s/^/ /"; echo'
    return f'for file in {names}; do [ -f "$file" ] && [ -s "$file" ] && {{ {shown}; }}; done; true'


def lines(text: str) -> list[str]:
    """What ``read_command`` printed, as lines of a running config."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]
