"""The ``cisco_ios`` driver: an IOS command line over FRR, nftables, tc and kernel links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from shutil import which

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.access import DEFAULT_LIMITS, SandboxLimits
from pytest_netbench.platforms.capabilities import HOSTED, HostedNode
from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.areas.routes.table import EIGRP_DISTANCE
from pytest_netbench.platforms.cisco_ios.areas.system import VERSION
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.flash import Flash
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.expansions import readings
from pytest_netbench.platforms.cisco_ios.grammar.grammar import EXEC
from pytest_netbench.platforms.cisco_ios.readiness.devices import IosLook, pending
from pytest_netbench.platforms.cisco_ios.session import startup
from pytest_netbench.platforms.cisco_ios.session.offline import NotRunning, OfflineDevice, accepted
from pytest_netbench.platforms.cisco_ios.session.session import Session
from pytest_netbench.platforms.cisco_ios.terminal.console import IosConsole
from pytest_netbench.platforms.driver import Pending, PlannedNode, Rehearsal, Route
from pytest_netbench.platforms.frr import daemons, neighbors, rib
from pytest_netbench.platforms.sessions import Excused, Neighbor, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_KEY = "cisco_ios"
_SCP = "ip scp server enable"
_NEEDED = ("ip", "nft", "tc")


class CiscoIosDriver:
    """Routers and switches whose command line is that of IOS 15."""

    name = "cisco_ios"
    dialect = "cisco_ios"
    requires = HOSTED
    has_console = True
    ends_processes = True

    def installed_version(self) -> str | None:
        """The version of the command line and of FRR, which does the routing."""
        if not all(which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") for tool in _NEEDED):
            return None
        frr = daemons.version()
        return None if frr is None else f"{VERSION} over FRR {frr}"

    def version(self, node: HostedNode) -> str | None:  # all nodes run what is installed here
        return self.installed_version()

    def kernel_interface(self, interface: str) -> str:
        return interfaces.kernel_name(interface)

    def boot(self, node: HostedNode, startup_config: str) -> list[RefusedLine]:
        device = Device(node, grammar())
        node.memory[_KEY] = device
        startup.boot(device, startup_config)
        return device.refused_startup_lines

    def rehearse(self, node: PlannedNode, startup_config: str, batches: Sequence[Sequence[str]]) -> Rehearsal | None:
        try:
            refused = OfflineDevice(node, grammar(), startup_config).refused_startup_lines
        except NotRunning:
            return None
        return Rehearsal(
            refused=tuple(refused), batches=tuple(_rehearsed(node, startup_config, one) for one in batches)
        )

    def reboot(self, node: HostedNode, startup_config: str) -> list[RefusedLine]:
        device = device_of(node)
        device.startup_config = startup_config
        startup.reload(device)
        return list(device.refused_startup_lines)

    def saved_config(self, node: HostedNode) -> str:
        """Return the startup config, which ``write memory`` replaces."""
        return device_of(node).startup_config

    def save_config(self, node: HostedNode, config: str) -> None:
        """Replace the startup config."""
        device = device_of(node)
        with device.lock:
            device.startup_config = config

    def look(self, nodes: Mapping[str, HostedNode]) -> IosLook:
        devices = {name: device_of(node) for name, node in nodes.items()}
        for device in devices.values():
            device.lab_devices = devices
            device.all_booted()
        return IosLook(devices)

    def pending(
        self, nodes: Mapping[str, HostedNode], *, excused: Excused = none_excused
    ) -> Pending:  # the lab judges its sessions
        return pending({name: device_of(node) for name, node in nodes.items()})

    def apply(self, node: HostedNode, commands: Sequence[str]) -> list[CommandStatus]:
        return _typed(Session(device_of(node)), commands)

    def apply_unseen(self, node: HostedNode, commands: Sequence[str]) -> list[CommandStatus]:
        return _typed(Session(device_of(node), logged=False), commands)

    def running_config(self, node: HostedNode) -> str:
        return device_of(node).running_config()

    def execute(self, node: HostedNode, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        device = device_of(node)
        with device.lock:
            return Session(device, read_only=True, limits=limits).enter(command)

    def routes(self, node: HostedNode, prefix: str) -> list[Route]:
        return [_ours(route) for route in rib.routes(node.vty([("zebra", rib.request(prefix))])[0][0], prefix)]

    def table(self, node: HostedNode) -> list[Route]:
        answers = node.vty([("zebra", command) for command in rib.WHOLE_TABLE])
        return [_ours(route) for route in rib.table(answer for answer, _ in answers)]

    def unenforced(self, node: HostedNode) -> list[str]:
        """Return the lines that were accepted and have no effect, each with the reason."""
        return [f"{text}: {why}" for text, why in device_of(node).applied.unsupported]

    def files(self, node: HostedNode) -> FileStore:
        """Return the flash, which clients reach by ``scp`` if the config has ``ip scp server``."""
        device = device_of(node)
        with device.lock:
            if not device.config.has(_SCP):
                device.startup_config = device.startup_config.rstrip("\n") + f"\n{_SCP}\n"
                session = Session(device, booting=True)
                session.enter("configure terminal")
                session.enter(_SCP)
                session.interrupt()
        return Flash(device)

    def readings(self, node: HostedNode, line: str) -> tuple[str, ...]:
        """Return the full forms of a typed line."""
        device = device_of(node)
        with device.lock:
            return readings(device.grammar, device.role, line)

    def neighbors(self, node: HostedNode) -> list[Neighbor]:
        return neighbors.neighbors(node)

    def console(self, node: HostedNode, *, enable_secret: str, read_only: bool = False) -> Console:
        return IosConsole(device_of(node), enable_secret=enable_secret, read_only=read_only)


def _rehearsed(node: PlannedNode, startup_config: str, commands: Sequence[str]) -> tuple[CommandStatus, ...]:
    if not commands:
        return ()
    try:
        return tuple(_typed(Session(OfflineDevice(node, grammar(), startup_config)), commands))
    except NotRunning:
        return accepted(node.name, commands)


def device_of(node: HostedNode) -> Device:
    """Return the device that a booted node runs."""
    device = node.memory[_KEY]
    assert isinstance(device, Device)
    return device


def _typed(session: Session, commands: Sequence[str]) -> list[CommandStatus]:
    """Type a batch of commands in a new session."""
    device = session.device
    statuses: list[CommandStatus] = []
    with device.batch():
        for command in commands:
            lines = command.splitlines() or [""]
            if not statuses and not _is_exec(device, lines[0]):
                session.enter("configure terminal")
            statuses.append(_type(session, device.node.name, command, lines))
        session.interrupt()
    return statuses


def _type(session: Session, device: str, command: str, lines: Sequence[str]) -> CommandStatus:
    """Type a command of one or more lines; it is refused if one of its lines is."""
    said, refused = [], False
    for line in lines:
        in_exec = session.mode == EXEC
        words = session.enter(line)
        said.append(words)
        refused = refused or session.refused or (in_exec and words.lstrip().startswith("%"))
    return CommandStatus(
        device=device, command=command, status="error" if refused else "success", message="".join(said).strip("\n")
    )


def _is_exec(device: Device, line: str) -> bool:
    """Whether a batch with this beginning is typed in exec mode. Commands of both modes are taken as configuration."""
    if isinstance(device.grammar.reader("config", device.role).read(line, skip=int(line.startswith("no "))), Match):
        return False
    return isinstance(device.grammar.reader("exec", device.role).read(line), Match)


def _ours(route: Route) -> Route:
    """A route of FRR as IOS speaks of it."""
    return replace(
        route,
        interfaces=tuple(interfaces.from_kernel(name) or name for name in route.interfaces),
        # FRR counts the hop to a RIP neighbor, IOS does not
        metric=route.metric - 1 if route.protocol == "rip" and route.metric else route.metric,
        protocol="eigrp" if (route.protocol, route.distance) == ("kernel", EIGRP_DISTANCE) else route.protocol,
    )
