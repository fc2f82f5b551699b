"""The driver ``vpcs``: hosts of the dialect ``linux`` whose lines are an address and a default route."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, ip_network

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.access import DEFAULT_LIMITS, NodeAccess, SandboxLimits
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore
from pytest_netbench.platforms.vpcs import settings
from pytest_netbench.platforms.vpcs.session import session_of
from pytest_netbench.platforms.vpcs.settings import Refused, Settings

_VERSION = re.compile(r"version (\S+)")
_READS = re.compile(
    r"show(?: (?:ip|ipv6|arp|version|history)(?: all)?)?|version|arp"
    r"|(?:ping|trace) [0-9a-fA-F.:]+(?: -[123]| -[clTspwiPm] ?\w+)*"
)
_UNREAD = (
    "This host is a VPCS. It answers: ip address, ip route, show ip, show arp, show version, ping ADDRESS [-c N], "
    "trace ADDRESS\n"
)
_LINUX_READS = {
    "address": re.compile(r"ip (?:-4 )?(?:-br )?(?:addr|address|a)(?: (?:show|list|ls))?(?: (?:dev )?\S+)?"),
    "route": re.compile(r"ip (?:-4 )?(?:route|r)(?: (?:show|list|ls))?"),
}


class VpcsDriver:
    """Operates hosts that are a VPCS. Lines of Linux are carried out as far as a VPCS can."""

    name = "vpcs"
    dialect = "linux"
    requires = (CLI.name,)
    has_console = False

    def version(self, node: NodeAccess) -> str | None:
        found = _VERSION.search(session_of(node).send("show version"))
        return f"VPCS {found[1]}" if found else None

    def boot(self, node: NodeAccess, startup_config: str) -> Sequence[RefusedLine]:
        numbered = list(settings.lines(startup_config))
        statuses = self._typed(node, [line for _, line in numbered])
        return [
            RefusedLine(node=node.name, line_number=number, line=line, message=status.message)
            for (number, line), status in zip(numbered, statuses, strict=True)
            if status.status == "error"
        ]

    def reboot(self, node: NodeAccess, startup_config: str) -> Sequence[RefusedLine]:
        session_of(node).send(Settings().command)
        return self.boot(node, startup_config)

    def pending(self, nodes: Mapping[str, NodeAccess], *, excused: Excused = none_excused) -> Pending:
        """Nothing: an address is there when its line has been carried out."""
        return Pending()

    def apply(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        return self._typed(node, commands) if commands else []

    def _typed(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        """Carry out commands: what all of them come to is typed once, as a VPCS takes seconds to check an address."""
        before = now = self._settings(node)
        statuses = []
        for command in commands:
            try:
                now = now.after(command, self._interface(node))
            except Refused as error:
                statuses.append(CommandStatus(device=node.name, command=command, status="error", message=str(error)))
            else:
                statuses.append(CommandStatus(device=node.name, command=command, status="success", message=""))
        if now == before:
            return statuses
        said = session_of(node).send(now.command)
        if self._settings(node) == now:
            return statuses
        # a refused address takes away the one before
        session_of(node).send(before.command)
        return [
            status
            if status.status == "error"
            else CommandStatus(device=node.name, command=status.command, status="error", message=said.strip())
            for status in statuses
        ]

    def running_config(self, node: NodeAccess) -> str:
        """As that of the driver ``linux``."""
        now, interface = self._settings(node), self._interface(node)
        lines = [f"interface {interface}", *([f" address {now.address}"] if now.address is not None else ())]
        if now.gateway is not None:
            lines += ["routes main", f" default via {now.gateway} dev {interface}"]
        return "".join(f"{line}\n" for line in lines)

    def execute(self, node: NodeAccess, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        line = " ".join(command.split())
        for what, pattern in _LINUX_READS.items():
            if pattern.fullmatch(line):
                return self._shown(node, what)
        if not line.isascii() or not _READS.fullmatch(line):
            return _UNREAD
        return session_of(node).send(line, timeout_s=limits.timeout_s)

    def _shown(self, node: NodeAccess, what: str) -> str:
        now, interface = self._settings(node), self._interface(node)
        if what == "address":
            shown = f"    inet {now.address} scope global {interface}\n" if now.address is not None else ""
            return f"1: {interface}: <BROADCAST,UP,LOWER_UP> mtu 1500\n{shown}"
        return "".join(
            f"{'default' if network.prefixlen == 0 else network}{via} dev {interface}\n"
            for network, via in _networks(now)
        )

    def routes(self, node: NodeAccess, prefix: str) -> list[Route]:
        wanted = ip_network(prefix, strict=False)
        return [
            Route(
                prefix=str(network),
                protocol="static" if via else "connected",
                next_hops=(via.removeprefix(" via "),) if via else (),
                interfaces=(self._interface(node),),
                metric=0,
            )
            for network, via in _networks(self._settings(node))
            if network == wanted
        ]

    def unenforced(self, node: NodeAccess) -> Sequence[str]:  # what it cannot do it refuses
        return ()

    def console(self, node: NodeAccess, *, enable_secret: str, read_only: bool = False) -> Console:
        raise LabError(f"{node.name}: nobody logs in to a VPCS")

    def files(self, node: NodeAccess) -> FileStore | None:  # it has none
        return None

    def _interface(self, node: NodeAccess) -> str:
        return node.interfaces[0] if node.interfaces else "eth0"

    def _settings(self, node: NodeAccess) -> Settings:
        return Settings.shown(session_of(node).send("show ip"))


def _networks(now: Settings) -> list[tuple[IPv4Network, str]]:
    """The routes of a host: each network, and how it is reached if it is not its own."""
    found = [(IPv4Network("0.0.0.0/0"), f" via {now.gateway}")] if now.gateway is not None else []
    return found + ([(now.address.network, "")] if now.address is not None else [])
