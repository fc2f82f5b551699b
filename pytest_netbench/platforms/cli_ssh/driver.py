"""The driver ``cisco_ios_ssh``: operates IOS devices by their command line, and needs nothing else of a node."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.access import DEFAULT_LIMITS, CommandLine, NodeAccess, SandboxLimits
from pytest_netbench.platforms.capabilities import CLI, LOGIN
from pytest_netbench.platforms.cli_ssh import cisco_routes, pasting
from pytest_netbench.platforms.cli_ssh.line import SshCommandLine
from pytest_netbench.platforms.cli_ssh.session import IosSession
from pytest_netbench.platforms.cli_ssh.typist import Typist
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_KEY = "cisco_ios_ssh"
_CONFIGURE = "configure terminal"
_SHOW = re.compile(r"^\s*sh(?:o|ow)?\s", re.IGNORECASE)
_WRITES = re.compile(r"\|\s*(?:red|app|tee)", re.IGNORECASE)
_REFUSED = re.compile(r"^\s*(?:%|\^\s*$)", re.MULTILINE)
_VERSION = re.compile(r"Version ([^,\s]+)")
_AGES = re.compile(r"\b(?:\d+:\d\d:\d\d|\d+[dwy]\d+[hdw])\b")


class CiscoIosSshDriver:
    """Operates devices that answer as Cisco IOS, with two sessions for each: one privileged and one read-only."""

    name = "cisco_ios_ssh"
    dialect = "cisco_ios"
    requires: tuple[str, ...] = (CLI.name,)
    has_console = False

    def version(self, node: NodeAccess) -> str | None:
        found = _VERSION.search(_sessions(node).privileged("show version"))
        return found[1] if found else None

    def boot(self, node: NodeAccess, startup_config: str) -> Sequence[RefusedLine]:
        """Type the startup config: the device itself has booted already."""
        numbered = [(number, line) for number, line in enumerate(startup_config.splitlines(), 1) if line.strip(" !")]
        statuses = self.apply(node, [_CONFIGURE, *(line for _, line in numbered)])[1:]
        return [
            RefusedLine(node=node.name, line_number=number, line=line, message=status.message)
            for (number, line), status in zip(numbered, statuses, strict=True)
            if status.status == "error"
        ]

    def pending(self, nodes: Mapping[str, NodeAccess], *, excused: Excused = none_excused) -> Pending:  # noqa: ARG002
        """Nothing is known of what devices wait for; their routing tables must stand still."""
        tables = [_sessions(node).privileged("show ip route") for node in nodes.values()]
        return Pending(fingerprint="\n".join(_AGES.sub("", table) for table in tables))

    def apply(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        if not commands:
            return []
        with _sessions(node).locked() as session:
            prompt = session.prompt
            if not pasting.EXEC.match(commands[0]):
                _, prompt = session.converse(pasting.Unit(lines=(_CONFIGURE,)))
            lines = [command.splitlines() or [""] for command in commands]
            typist = Typist(session, prompt)
            try:
                said = iter(typist.type([line for some in lines for line in some]))
            finally:
                if session.alive and typist.prompt.endswith(")#"):
                    session.converse(pasting.Unit(lines=("end",)))
        return [
            _status(node.name, command, "\n".join(islice(said, len(some))))
            for command, some in zip(commands, lines, strict=True)
        ]

    def running_config(self, node: NodeAccess) -> str:
        return _sessions(node).privileged("show running-config")

    def execute(self, node: NodeAccess, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        """Run ``show`` in privileged mode, unless it is piped into a file, and anything else in user mode."""
        line = command.strip()
        if not line.isprintable():
            return "% A command is one line of printable characters\n"
        if _WRITES.search(line):
            return "% Output cannot be written to a file here\n"
        sessions = _sessions(node)
        if _SHOW.match(f"{line} "):
            return sessions.privileged(line, timeout_s=limits.timeout_s)
        return sessions.unprivileged(line, timeout_s=limits.timeout_s)

    def routes(self, node: NodeAccess, prefix: str) -> list[Route]:
        return cisco_routes.parse(_sessions(node).privileged(cisco_routes.request(prefix)), prefix)

    def unenforced(self, node: NodeAccess) -> Sequence[str]:  # noqa: ARG002 - a device enforces what it accepts
        return ()

    def console(self, node: NodeAccess, *, enable_secret: str, read_only: bool = False) -> Console:  # noqa: ARG002
        raise LabError(f"{node.name}: people log in to this device themselves")

    def files(self, node: NodeAccess) -> FileStore | None:  # noqa: ARG002 - reached by the device's own scp
        return None


class _Sessions:
    """The sessions on one device, opened at first use and again after they ended."""

    def __init__(self, node: NodeAccess) -> None:
        self._node = node
        self._open: dict[bool, IosSession] = {}
        self._lock = threading.RLock()

    def locked(self) -> _Locked:
        """The privileged session, for one thread."""
        return _Locked(self._lock, lambda: self._session(enable=True))

    def privileged(self, line: str, *, timeout_s: float = 60.0) -> str:
        """What a line prints in privileged mode."""
        return self._say(line, timeout_s, enable=True)

    def unprivileged(self, line: str, *, timeout_s: float) -> str:
        """What a line prints in user mode, in which nothing can be changed."""
        return self._say(line, timeout_s, enable=False)

    def _say(self, line: str, timeout_s: float, *, enable: bool) -> str:
        with self._lock:
            return self._session(enable=enable).send(line, timeout_s=timeout_s) + "\n"

    def _session(self, *, enable: bool) -> IosSession:
        session = self._open.get(enable)
        if session is None or not session.alive:
            session = self._open[enable] = IosSession(self._node.name, _command_line(self._node), enable=enable)
        return session


class _Locked:
    """Holds a lock while a session is used."""

    def __init__(self, lock: threading.RLock, session: Callable[[], IosSession]) -> None:
        self._lock = lock
        self._session = session

    def __enter__(self) -> IosSession:
        self._lock.acquire()
        try:
            return self._session()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _sessions(node: NodeAccess) -> _Sessions:
    found = node.memory.setdefault(_KEY, _Sessions(node))
    assert isinstance(found, _Sessions)
    return found


def _command_line(node: NodeAccess) -> CommandLine:
    """The command line of a device. A node that only says where to log in has one by SSH."""
    try:
        return node.capability(CLI)
    except RequirementMissing:
        return SshCommandLine(node.name, node.capability(LOGIN).login())


def _status(device: str, command: str, said: str) -> CommandStatus:
    """Return the status of a command, perhaps of several lines; it is refused if one of them is."""
    message = said.strip("\n")
    return CommandStatus(
        device=device, command=command, status="error" if _REFUSED.search(message) else "success", message=message
    )
