"""The ``linux`` driver: the command line is a shell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from ipaddress import ip_network
from platform import release
from shutil import which
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.model.hosting import DhcpClient, HostService, ServerName
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms import power
from pytest_netbench.platforms.access import DEFAULT_LIMITS, Completed, OwnPrograms, SandboxLimits
from pytest_netbench.platforms.capabilities import HOST, HostNode
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.linux import boot, config, console, dhcp, listing, routing, services
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_NEEDED = ("ip", "nft", "tc")
PRIVILEGED_READS: Final = (
    "nft",
    "iptables",
    "ip6tables",
    "iptables-save",
    "ip6tables-save",
    "conntrack",
    "ipset",
    "ss",
    "wg",
)
_UNSETTLED_PORTS = {"listening", "learning"}


class LinuxDriver:
    """Hosts and routers that are plain Linux."""

    name = "linux"
    dialect = "linux"
    requires = HOST
    has_console = True
    boots_at_once = True

    def __init__(self) -> None:
        # nothing unsettles a host again, and asking costs a process
        self._settled: WeakSet[HostNode] = WeakSet()
        # clients of DHCP without an address, with their interfaces
        self._asking: WeakKeyDictionary[HostNode, str] = WeakKeyDictionary()

    def installed_version(self) -> str | None:
        return _version()

    def version(self, node: HostNode) -> str | None:
        if isinstance(node, OwnPrograms):
            return node.run(["uname", "-r"]).stdout.strip() or None
        return self.installed_version()

    def kernel_interface(self, interface: str) -> str:
        return linux_interface(interface)

    def boot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        refused, plain = boot.boot(node, startup_config)
        if plain:
            self._settled.add(node)
        return refused

    def reboot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        power.clear(node, map(self.kernel_interface, node.interfaces))
        self._settled.discard(node)
        return self.boot(node, startup_config)

    def pending(
        self, nodes: Mapping[str, HostNode], *, excused: Excused = none_excused
    ) -> Pending:  # it has no sessions
        missing: list[str] = []
        for node in nodes.values():
            if node in self._asking:
                missing += self._unaddressed(node)
            if node not in self._settled:
                answer = node.run(["ip", "-j", "-d", "addr", "show"])
                phrases = list(unsettled(node.name, listing.entries(answer.stdout)))
                missing += phrases
                if not phrases:
                    self._settled.add(node)
        return Pending(missing=tuple(missing))

    def _unaddressed(self, node: HostNode) -> Iterator[str]:
        interface = self._asking[node]
        if dhcp.has_address(node, interface):
            del self._asking[node]
        else:
            yield f"{node.name}: {interface} has no address from a DHCP server"

    def apply(self, node: HostNode, commands: Sequence[str]) -> list[CommandStatus]:
        return [_status(node.name, command, node.shell(command, writable=True)) for command in commands]

    def running_config(self, node: HostNode) -> str:
        return config.running_config(node)

    def execute(self, node: HostNode, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        return spoken(node.shell(command, writable=False, reads=PRIVILEGED_READS, limits=limits), limits.timeout_s)

    def routes(self, node: HostNode, prefix: str) -> list[Route]:
        network = ip_network(prefix, strict=False)
        done = node.run(["ip", f"-{network.version}", "-j", "route", "show", "exact", str(network)])
        return routing.routes(listing.entries(done.stdout), prefix)

    def table(self, node: HostNode) -> list[Route]:
        found = node.run_many([("ip", f"-{version}", "-j", "route", "show") for version in (4, 6)])
        return [route for done in found for route in routing.table(listing.entries(done.stdout))]

    def console(
        self, node: HostNode, *, enable_secret: str, read_only: bool = False
    ) -> Console:  # a shell has no enable
        return console.open_console(node, writable=not read_only, reads=PRIVILEGED_READS if read_only else ())

    def unenforced(self, node: HostNode) -> Sequence[str]:  # the kernel refuses what it does not do
        return ()

    def files(self, node: HostNode) -> FileStore | None:  # its files are reached by its shell
        return None

    def serve(self, node: HostNode, hosted: Sequence[HostService]) -> None:
        services.serve(node, hosted)
        for one in hosted:
            if isinstance(one, DhcpClient):
                self._asking[node] = one.interface

    def withdraw(self, node: HostNode, hosted: Sequence[HostService]) -> None:
        services.withdraw(node, hosted)

    def ask_again(self, node: HostNode) -> None:
        services.ask_again(node)

    def refresh_files(self, node: HostNode, hosted: Sequence[HostService]) -> None:
        services.refresh(node, hosted)

    def forget_sessions(self, node: HostNode, hosted: Sequence[HostService]) -> None:
        services.forget_sessions(node, hosted)

    def start_server(self, node: HostNode, kind: ServerName) -> None:
        services.start(node, kind)

    def end_server(self, node: HostNode, kind: ServerName) -> None:
        services.end(node, kind)

    def server_runs(self, node: HostNode, kind: ServerName) -> bool:
        return services.runs(node, kind)

    def throttle_server(self, node: HostNode, kind: ServerName, *, stopped_s: float, running_s: float) -> None:
        services.throttle(node, kind, stopped_s=stopped_s, running_s=running_s)


@cache
def _version() -> str | None:
    return release() if all(which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") for tool in _NEEDED) else None


def unsettled(node: str, links: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Phrases for addresses still being checked for duplicates and bridge ports not yet forwarding."""
    for link in links:
        if "LOWER_UP" not in link.get("flags", ()) or "NO-CARRIER" in link.get("flags", ()):
            continue
        addresses = link.get("addr_info") or ()
        # a link-local address alone is the kernel's, and nobody waits for it
        wanted = any(entry.get("family") == "inet6" and entry.get("scope") == "global" for entry in addresses)
        for entry in addresses if wanted else ():
            if entry.get("tentative") and not entry.get("dadfailed"):
                yield f"{node}: address {entry['local']} on {link['ifname']} is tentative"
        port = ((link.get("linkinfo") or {}).get("info_slave_data") or {}).get("state")
        if port in _UNSETTLED_PORTS:
            yield f"{node}: bridge port {link['ifname']} is {port}, expected forwarding"


def spoken(done: Completed, timeout_s: float) -> str:
    """What a person at the shell would have seen, and the exit status if it is not zero."""
    text = done.stdout + done.stderr
    notes = []
    if done.truncated:
        notes.append("[output was cut at the limit]")
    if done.timed_out:
        notes.append(f"[ended after {timeout_s:g} s]")
    elif done.returncode != 0:
        notes.append(f"[exit status {done.returncode}]")
    joint = "" if not notes or not text or text.endswith("\n") else "\n"
    return text + joint + "\n".join(notes)


def _status(device: str, command: str, done: Completed) -> CommandStatus:
    message = (done.stdout + done.stderr).strip()
    if done.timed_out:
        message = f"{message}\n[ended: it ran too long]".strip()
    if done.returncode == 0 and not done.timed_out:
        return CommandStatus(device=device, command=command, status="success", message=message)
    return CommandStatus(
        device=device, command=command, status="error", message=message or f"exit status {done.returncode}"
    )
