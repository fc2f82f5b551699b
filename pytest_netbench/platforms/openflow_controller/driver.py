"""The ``openflow_controller`` driver: a Linux host with a controller; the command line is a shell with ``controller``.

Lines that begin with ``controller`` are the controller's, in a startup config and as commands. All others are Linux.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.openflow_controller.intents import check, parse, unknown
from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms import power
from pytest_netbench.platforms.access import DEFAULT_LIMITS, SandboxLimits
from pytest_netbench.platforms.capabilities import HOST, HostNode
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.linux import boot, console
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS, LinuxDriver
from pytest_netbench.platforms.openflow_controller import programs
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_WORD: Final = "controller"
_PROGRAMMED: Final = "programmed"


class OpenflowControllerDriver:
    """Hosts that run a controller of OpenFlow switches."""

    name = "openflow_controller"
    dialect = "openflow_controller"
    requires = HOST
    has_console = True
    packages = programs.PACKAGES

    def __init__(self) -> None:
        self._linux = LinuxDriver()

    def installed_version(self) -> str | None:
        return self._linux.installed_version()

    def version(self, node: HostNode) -> str | None:  # all nodes run what is installed here
        return self.installed_version()

    def kernel_interface(self, interface: str) -> str:
        return linux_interface(interface)

    def boot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        lines = startup_config.splitlines()
        refused, intents = _own(node.name, lines)
        # comments keep the numbers of the lines behind them
        others = ["#" if _is_own(line) else line for line in lines]
        more, _ = boot.boot(node, "\n".join(others) if any(line.strip(" #") for line in others) else "")
        programs.install(node)
        programs.start(node, intents)
        return sorted((*refused, *more), key=lambda one: one.line_number)

    def reboot(self, node: HostNode, startup_config: str) -> list[RefusedLine]:
        programs.stop(node)
        power.clear(node, map(self.kernel_interface, node.interfaces))
        return self.boot(node, startup_config)

    def pending(self, nodes: Mapping[str, HostNode], *, excused: Excused = none_excused) -> Pending:
        linux = self._linux.pending(nodes, excused=excused)
        return Pending(missing=(*linux.missing, *(phrase for node in nodes.values() for phrase in _waiting(node))))

    def apply(self, node: HostNode, commands: Sequence[str]) -> list[CommandStatus]:
        return [
            self._apply_own(node, command) if _is_own(command) else self._linux.apply(node, [command])[0]
            for command in commands
        ]

    def _apply_own(self, node: HostNode, command: str) -> CommandStatus:
        try:
            message = _change(node, command)
        except (ValueError, LabError) as error:
            return CommandStatus(device=node.name, command=command, status="error", message=str(error))
        return CommandStatus(device=node.name, command=command, status="success", message=message)

    def running_config(self, node: HostNode) -> str:
        own = "".join(f" {line}\n" for line in programs.intents(node))
        return f"{_WORD}\n{own}{self._linux.running_config(node)}"

    def execute(self, node: HostNode, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        if not _is_own(command):
            return self._linux.execute(node, command, limits=limits)
        show = _SHOWS.get(" ".join(command.split()).removeprefix(f"{_WORD} "))
        return f"read-only: {' or '.join(f'{_WORD} {word}' for word in _SHOWS)}\n" if show is None else show(node)

    def routes(self, node: HostNode, prefix: str) -> list[Route]:
        return self._linux.routes(node, prefix)

    def table(self, node: HostNode) -> list[Route]:
        return self._linux.table(node)

    def console(
        self, node: HostNode, *, enable_secret: str, read_only: bool = False
    ) -> Console:  # a shell has no enable
        return console.open_console(node, writable=not read_only, reads=PRIVILEGED_READS if read_only else ())

    def unenforced(self, node: HostNode) -> Sequence[str]:  # it refuses what it does not do
        return ()

    def files(self, node: HostNode) -> FileStore | None:  # its files are reached by its shell
        return None


def _is_own(line: str) -> bool:
    words = line.split()
    return words[:1] == [_WORD] or words[:2] == ["no", _WORD]


def _own(node: str, lines: Sequence[str]) -> tuple[list[RefusedLine], list[str]]:
    """The refused lines of the controller in a startup config, and the intents in the others."""
    refused: list[RefusedLine] = []
    intents: list[str] = []
    for number, line in enumerate(lines, start=1):
        if _is_own(line):
            intent = " ".join(line.split()).removeprefix(f"{_WORD} ")
            try:
                _known([*intents, intent])
                intents.append(intent)
            except ValueError as error:
                refused.append(RefusedLine(node=node, line_number=number, line=line, message=str(error)))
    return refused, intents


def _known(intents: Sequence[str]) -> None:
    check(intents[-1])
    if missing := unknown(parse(intents)):
        raise ValueError(f"there is no switch {missing[0]!r}")


def _change(node: HostNode, command: str) -> str:
    """Do what a command of the controller says; return what it answers.

    Raises:
        ValueError: It is none.
    """
    words = " ".join(command.split())
    if words.startswith("no "):
        intent = words.removeprefix(f"no {_WORD}").strip()
        intents = programs.intents(node)
        if intent not in intents:
            raise ValueError(f"there is no intent {intent!r}")
        intents.remove(intent)
        if missing := unknown(parse(intents)):
            raise ValueError(f"other intents need the switch {missing[0]!r}")
        programs.reload(node, intents)
        return ""
    intent = words.removeprefix(_WORD).strip()
    if intent in _SHOWS:
        return _SHOWS[intent](node)
    if intent in {"stop", "restart"}:
        programs.stop(node)
    if intent in {"start", "restart"}:
        programs.start(node, programs.intents(node))
    if intent in {"start", "stop", "restart"}:
        return ""
    intents = programs.intents(node)
    kept = [one for one in intents if not (intent.startswith("listen ") and one.startswith("listen "))]
    if intent not in intents:
        _known([*kept, intent])
        programs.reload(node, [*kept, intent])
    return ""


def _status(node: HostNode) -> str:
    states = programs.states(node)
    if states is None:
        return "The controller does not run.\n" if not programs.is_running(node) else "The controller starts.\n"
    listen = parse(programs.intents(node)).listen
    return "".join(
        [
            f"The controller runs and listens on port {listen}.\n",
            *(f"{name} {state}\n" for name, state in states.items()),
        ]
    )


def _show(node: HostNode) -> str:
    return "".join(f"{line}\n" for line in programs.intents(node))


_SHOWS: Final[Mapping[str, Callable[[HostNode], str]]] = {"status": _status, "show": _show}


def _waiting(node: HostNode) -> Iterator[str]:
    states = programs.states(node)
    if states is None:
        yield f"{node.name}: the controller has not started"
        return
    for name, state in states.items():
        if state != _PROGRAMMED:
            yield f"{node.name}: switch {name} is {state}, expected {_PROGRAMMED}"
