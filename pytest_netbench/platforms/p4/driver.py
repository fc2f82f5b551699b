"""The ``p4`` driver: switches that are bmv2's ``simple_switch``, reached over its runtime API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_netbench.dialects.p4 import P4Dialect
from pytest_netbench.dialects.p4.lines import parse
from pytest_netbench.documents.problems import unknown
from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms import power
from pytest_netbench.platforms.access import DEFAULT_LIMITS, SandboxLimits
from pytest_netbench.platforms.capabilities import HOST, LOGS, PROGRAMS, SOCKETS, HostNode
from pytest_netbench.platforms.counting import ProgramCounter
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.p4 import counters, looks, routes, shipped, switch, tables
from pytest_netbench.platforms.p4.commands import carry_out
from pytest_netbench.platforms.p4.runtime import Runtime, connected
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_PROGRAM: Final = "p4 program"


class P4Driver:
    """Operates P4 switches. Their nodes have no shell: all that agents do goes through the runtime API."""

    name = "p4"
    dialect = "p4"
    requires = (*HOST, LOGS.name, PROGRAMS.name, SOCKETS.name)
    has_console = False
    reads_raw_frames = True
    in_lab_time = False

    def installed_version(self) -> str | None:
        return switch.version()

    def version(self, node: HostNode) -> str | None:  # all nodes run what is installed here
        return self.installed_version()

    def kernel_interface(self, interface: str) -> str:
        return P4Dialect().interface(interface)

    def boot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        lines = [(number, line.strip()) for number, line in enumerate(startup_config.splitlines(), start=1)]
        written = [(number, line) for number, line in lines if line and not line.startswith("#")]
        name, refused = _program_of(node.name, written)
        switch.start(node, name)
        node.memory[_PROGRAM] = name
        entries = [(number, line) for number, line in written if line.split()[0] != "program"]
        statuses = self.apply(node, [line for _, line in entries])
        refused += [
            RefusedLine(node=node.name, line_number=number, line=line, message=status.message)
            for (number, line), status in zip(entries, statuses, strict=True)
            if status.status == "error"
        ]
        return sorted(refused, key=lambda one: one.line_number)

    def reboot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        switch.end(node)
        power.clear(node, map(self.kernel_interface, node.interfaces))
        return self.boot(node, startup_config)

    def pending(self, nodes: Mapping[str, HostNode], *, excused: Excused = none_excused) -> Pending:
        """Nothing: an entry is in force when its line has been carried out."""
        return Pending()

    def apply(self, node: HostNode, commands: Sequence[str]) -> list[CommandStatus]:
        if not commands:
            return []
        with connected(node) as runtime:
            return [self._status(node, command, runtime) for command in commands]

    def _status(self, node: HostNode, command: str, runtime: Runtime) -> CommandStatus:
        try:
            carry_out(command, shipped.program(_loaded(node)), runtime)
        except ValueError as error:
            return CommandStatus(device=node.name, command=command, status="error", message=str(error))
        return CommandStatus(device=node.name, command=command, status="success")

    def running_config(self, node: HostNode) -> str:
        name = _loaded(node)
        with connected(node) as runtime:
            return "".join(f"{line}\n" for line in tables.config(name, shipped.program(name), runtime))

    def saved_config(self, node: HostNode) -> str:  # it has no other
        return self.running_config(node)

    def save_config(self, node: HostNode, config: str) -> None:
        """Set all counters to 0. Then none tells which entry is new."""
        with connected(node) as runtime:
            tables.reset_counters(shipped.program(_loaded(node)), runtime)

    def execute(self, node: HostNode, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        name = _loaded(node)
        with connected(node) as runtime:
            look = looks.Look(
                name=name,
                program=shipped.program(name),
                runtime=runtime,
                log=lambda: switch.log(node),
                carriers=lambda: switch.carriers(node),
            )
            text = looks.answer(command, look)
        if len(text) <= limits.output_bytes:
            return text
        return f"{text[: limits.output_bytes]}\n[output was cut at the limit]"

    def routes(self, node: HostNode, prefix: str) -> list[Route]:
        with connected(node) as runtime:
            return routes.routes(shipped.program(_loaded(node)), runtime, prefix)

    def program_counters(self, node: HostNode) -> list[ProgramCounter]:
        ports = [switch.port_of(name) for name in node.interfaces]
        with connected(node) as runtime:
            return list(counters.counters(shipped.program(_loaded(node)), runtime, ports))

    def unenforced(self, node: HostNode) -> Sequence[str]:  # it refuses what it does not do
        return ()

    def console(self, node: HostNode, *, enable_secret: str, read_only: bool = False) -> Console:
        raise LabError(f"{node.name}: nobody logs in to a P4 switch")

    def files(self, node: HostNode) -> FileStore | None:  # it has none
        return None


def _loaded(node: HostNode) -> str:
    name: str = node.memory[_PROGRAM]
    return name


def _program_of(node: str, lines: Sequence[tuple[int, str]]) -> tuple[str, list[RefusedLine]]:
    """The program that a startup config names, and what is refused of that."""
    chosen, refused = shipped.DEFAULT, []
    for number, line in _of_programs(lines):
        try:
            chosen = _shipped(parse(line).name)
        except ValueError as error:
            refused.append(RefusedLine(node=node, line_number=number, line=line, message=str(error)))
    return chosen, refused


def _shipped(name: str) -> str:
    if name not in shipped.names():
        raise ValueError(unknown("program", name, dict.fromkeys(shipped.names())))
    return name


def _of_programs(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line.split()[0] == "program")
