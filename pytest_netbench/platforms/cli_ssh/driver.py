"""The driver ``cli_ssh``: operates devices by their command line, and needs nothing else of a node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.access import DEFAULT_LIMITS, NodeAccess, SandboxLimits
from pytest_netbench.platforms.batches import Refusal, statuses_of_batch
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.cli_ssh import pasting
from pytest_netbench.platforms.cli_ssh.pasting import Unit
from pytest_netbench.platforms.cli_ssh.session import DeviceSession
from pytest_netbench.platforms.cli_ssh.sessions import Sessions, sessions_of
from pytest_netbench.platforms.cli_ssh.system import Batches, System
from pytest_netbench.platforms.cli_ssh.typist import Typist
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_QUOTED_OR_SPACE = re.compile(r'(?P<quoted>"(?:[^"\\\n]|\\.)*")|\s+')


def apply(session: DeviceSession, node: str, commands: Sequence[str], system: System) -> list[CommandStatus]:
    """Commit ``commands`` together; return the status of each. What is refused leaves nothing behind.

    Commands that enter configuration mode at the beginning, and that commit or leave at the end, are left out.

    Raises:
        LabError: The session is gone, or the device did not enter configuration mode.
    """
    batches = system.batches
    assert batches is not None
    _enter(session, node, system)
    try:
        refusal = _committed(session, commands, system, batches)
        if refusal is not None:
            session.converse(Unit(lines=(batches.discard,)))
    finally:
        if session.alive:
            session.converse(Unit(lines=(system.leave,)))
    return statuses_of_batch(node, commands, refusal)


def _enter(session: DeviceSession, node: str, system: System) -> None:
    said, prompt = session.converse(Unit(lines=(system.configure,)))
    if not system.configuring.search(prompt):
        raise LabError(f"{node}: the device did not enter configuration mode: {said.strip()}")


def _committed(session: DeviceSession, commands: Sequence[str], system: System, batches: Batches) -> Refusal | None:
    """Type the lines and commit them; return why nothing is in force, if so."""
    first, last = _range(commands, batches)
    wrong = next((at for at in range(first, last) if not batches.within.match(f"{commands[at]} ")), None)
    if wrong is not None:
        return Refusal(message="error: no command of a batch of configuration lines", index=wrong)
    typist = Typist(session, session.prompt, system)
    said = typist.type([_one_line(commands[at]) for at in range(first, last)])
    for at, text in enumerate(said, first):
        if system.refused.search(text):
            return Refusal(message=text.strip(), index=at)
    text, _ = session.converse(Unit(lines=(batches.commit,)))
    return None if batches.committed.search(text) and not system.refused.search(text) else Refusal(message=text.strip())


def _one_line(command: str) -> str:
    """A command with single spaces between its words. What is quoted stays as it is."""
    return _QUOTED_OR_SPACE.sub(lambda found: found["quoted"] or " ", command.strip())


def _range(commands: Sequence[str], batches: Batches) -> tuple[int, int]:
    first, last = 0, len(commands)
    while first < last and batches.begins.match(commands[first]):
        first += 1
    while last > first and batches.ends.match(commands[last - 1]):
        last -= 1
    return first, last


class CliSshDriver:
    """Operates devices of one system, with two sessions for each: one privileged and one read-only.

    Attributes:
        name: The name of the driver.
        dialect: The name of its dialect.
        system: What the devices run.
    """

    name: str
    dialect: str
    system: System
    requires: tuple[str, ...] = (CLI.name,)
    has_console = False

    def version(self, node: NodeAccess) -> str | None:
        command, pattern = self.system.version
        found = pattern.search(self._sessions(node).privileged(command))
        return found[1] if found else None

    def boot(self, node: NodeAccess, startup_config: str) -> Sequence[RefusedLine]:
        """Type the startup config: the device itself has booted already."""
        numbered = self._said_by(startup_config.splitlines())
        statuses = self.apply(node, [self.system.configure, *(line for _, line in numbered)])[1:]
        return [
            RefusedLine(node=node.name, line_number=number, line=line, message=status.message)
            for (number, line), status in zip(numbered, statuses, strict=True)
            if status.status == "error"
        ]

    def pending(self, nodes: Mapping[str, NodeAccess], *, excused: Excused = none_excused) -> Pending:
        """Nothing is known of what devices wait for; their routing tables must stand still."""
        commands, ages = self.system.tables, self.system.ages
        tables = [self._sessions(node).privileged(command) for node in nodes.values() for command in commands]
        return Pending(fingerprint="\n".join(ages.sub("", table) for table in tables))

    def apply(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        if not commands:
            return []
        system = self.system
        with self._sessions(node).locked() as session:
            if system.batches is not None and not system.operating.match(commands[0]):
                return apply(session, node.name, commands, system)
            prompt = session.prompt
            if not system.operating.match(commands[0]):
                _, prompt = session.converse(pasting.Unit(lines=(system.configure,)))
            lines = [command.splitlines() or [""] for command in commands]
            typist = Typist(session, prompt, system)
            try:
                said = iter(typist.type([line for some in lines for line in some]))
            finally:
                if session.alive and system.configuring.search(typist.prompt):
                    session.converse(pasting.Unit(lines=(system.leave,)))
        return [
            self._status(node.name, command, "\n".join(islice(said, len(some))))
            for command, some in zip(commands, lines, strict=True)
        ]

    def running_config(self, node: NodeAccess) -> str:
        text, preamble = self._sessions(node).privileged(self.system.config), self.system.preamble
        return text if preamble is None else preamble.sub("", text)

    def execute(self, node: NodeAccess, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        """Run ``show`` in privileged mode, unless it is piped into a file, and anything else in user mode."""
        line = command.strip()
        if not line.isprintable():
            return "% A command is one line of printable characters\n"
        if self.system.writes.search(line):
            return "% Output cannot be written to a file here\n"
        sessions = self._sessions(node)
        if self.system.reads.match(f"{line} "):
            return sessions.privileged(line, timeout_s=limits.timeout_s)
        if self.system.disable is None:
            return "% Only commands that read are answered here\n"
        return sessions.unprivileged(line, timeout_s=limits.timeout_s)

    def routes(self, node: NodeAccess, prefix: str) -> list[Route]:
        routing = self.system.routing
        return routing.parse(self._sessions(node).privileged(routing.request(prefix)), prefix)

    def unenforced(self, node: NodeAccess) -> Sequence[str]:  # a device enforces what it accepts
        return ()

    def console(self, node: NodeAccess, *, enable_secret: str, read_only: bool = False) -> Console:
        raise LabError(f"{node.name}: people log in to this device themselves")

    def files(self, node: NodeAccess) -> FileStore | None:  # reached by the device's own scp
        return None

    def _said_by(self, lines: Sequence[str]) -> list[tuple[int, str]]:
        """Return the lines of a config that say something, each with its 1-based number."""
        found: list[tuple[int, str]] = []
        at = 1
        for unit in pasting.units(lines, self.system):
            if len(unit.lines) > 1 or unit.lines[0].strip(" !"):
                found += enumerate(unit.lines, at)
            at += len(unit.lines)
        return found

    def _sessions(self, node: NodeAccess) -> Sessions:
        return sessions_of(node, self.system)

    def _status(self, device: str, command: str, said: str) -> CommandStatus:
        """Return the status of a command, perhaps of several lines; it is refused if one of them is."""
        message = said.strip("\n")
        status: Literal["error", "success"] = "error" if self.system.refused.search(message) else "success"
        return CommandStatus(device=device, command=command, status=status, message=message)
