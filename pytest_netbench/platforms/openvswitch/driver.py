"""The ``openvswitch`` driver: a Linux node that runs Open vSwitch in user space; the command line is a shell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms import power
from pytest_netbench.platforms.access import DEFAULT_LIMITS, SandboxLimits
from pytest_netbench.platforms.capabilities import HOST, HostNode
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.linux import boot, console
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS, LinuxDriver, spoken
from pytest_netbench.platforms.openvswitch import config, database, programs
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_READS = (*PRIVILEGED_READS, "ovs-vsctl", "ovs-ofctl", "ovs-appctl")
_DATAPATH = "dummy"


class OpenvswitchDriver:
    """Switches that are Open vSwitch."""

    name = "openvswitch"
    dialect = "openvswitch"
    requires = HOST
    has_console = True
    reads_raw_frames = True

    def __init__(self) -> None:
        self._linux = LinuxDriver()

    def installed_version(self) -> str | None:
        return programs.version()

    def version(self, node: HostNode) -> str | None:  # all nodes run what is installed here
        return self.installed_version()

    def kernel_interface(self, interface: str) -> str:
        return linux_interface(interface)

    def boot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        programs.start(node)
        refused, _ = boot.boot(node, startup_config)
        self._use_datapath(node)
        return refused

    def reboot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        programs.end(node)
        power.clear(node, map(self.kernel_interface, node.interfaces))
        return self.boot(node, startup_config)

    def pending(self, nodes: Mapping[str, HostNode], *, excused: Excused = none_excused) -> Pending:
        linux = self._linux.pending(nodes, excused=excused)
        return Pending(missing=(*linux.missing, *(phrase for node in nodes.values() for phrase in _unconnected(node))))

    def apply(self, node: HostNode, commands: Sequence[str]) -> list[CommandStatus]:
        statuses = self._linux.apply(node, commands)
        self._use_datapath(node)
        return statuses

    def apply_unseen(self, node: HostNode, commands: Sequence[str]) -> list[CommandStatus]:
        statuses = self.apply(node, commands)
        # the database keeps a history of what was typed until it is compacted
        node.run(["ovs-appctl", "-t", f"{programs.RUN}/ovsdb.ctl", "ovsdb-server/compact"])
        return statuses

    def running_config(self, node: HostNode) -> str:
        return config.running_config(node)

    def saved_config(self, node: HostNode) -> str:
        return config.running_config(node)

    def save_config(self, node: HostNode, config_text: str) -> None:  # it is kept as it is running
        config.rejuvenate(node)

    def execute(self, node: HostNode, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        return spoken(node.shell(command, writable=False, reads=_READS, limits=limits), limits.timeout_s)

    def routes(self, node: HostNode, prefix: str) -> list[Route]:
        return self._linux.routes(node, prefix)

    def console(
        self, node: HostNode, *, enable_secret: str, read_only: bool = False
    ) -> Console:  # a shell has no enable
        return console.open_console(node, writable=not read_only, reads=_READS if read_only else ())

    def unenforced(self, node: HostNode) -> Sequence[str]:  # it refuses what it does not do
        return ()

    def files(self, node: HostNode) -> FileStore | None:  # its files are reached by its shell
        return None

    def _use_datapath(self, node: HostNode) -> None:
        """Give bridges the datapath that works here, whatever they ask for; none if an agent has ended the database."""
        try:
            bridges = database.read(node)
        except LabDied:
            raise
        except LabError:
            return
        for bridge in bridges:
            if bridge.datapath != _DATAPATH:
                node.run(["ovs-vsctl", "set", "bridge", bridge.name, f"datapath_type={_DATAPATH}"])


def _unconnected(node: HostNode) -> Iterator[str]:
    found = [(bridge, target) for bridge in database.read(node) for target in bridge.controllers]
    unnoted = False
    for bridge, target in found:
        if not _has_session(node, target.address):
            yield f"{node.name}: {bridge.name} is not connected to {target.address}"
        unnoted = unnoted or not target.is_connected
    if unnoted:
        database.refresh(node)
        yield f"{node.name}: it has not noted that it is connected"


def _has_session(node: HostNode, target: str) -> bool:
    """Whether there is a connection to ``tcp:ADDRESS:PORT``."""
    place = target.partition(":")[2]
    return bool(node.run(["ss", "-Htn", "state", "established", "dst", place]).stdout.strip())
