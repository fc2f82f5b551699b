"""One node of a lab that is a Linux host behind a text console; its platform's driver configures all in it."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeVar

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.kernel import listings
from pytest_netbench.lab.node_facts import TopologyFacts
from pytest_netbench.lab.shells import rights
from pytest_netbench.lab.shells.kept import KeptShell
from pytest_netbench.lab.shells.many import run_many
from pytest_netbench.lab.shells.programs import Programs
from pytest_netbench.lab.shells.relay import Relay
from pytest_netbench.lab.shells.rights import Rights
from pytest_netbench.lab.shells.session import RelaySession
from pytest_netbench.lab.shells.sockets import ConsoleVtys
from pytest_netbench.lab.shells.terminal import LineTerminal
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.access import CliLine, CliSession, Completed, PtyProgram, SandboxLimits
from pytest_netbench.platforms.capabilities import HOSTED
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
_LIMITS = SandboxLimits()
_INTERFACE = re.compile(r"^\d+: ([^:@\s]+)", re.MULTILINE)
_NO_INTERFACES: Mapping[str, str] = {}
_COLUMNS = "COLUMNS=4096 LINES=1000"  # so that what is typed into a session is not shortened in its echo


class ShellNode(TopologyFacts):
    """Implements ``lab.protocols.LabNode``, and the capabilities ``HOSTED`` itself, by commands that are typed.

    Trusted programs have the rights of the user whose prompt stands on the line, which must be root's for the drivers
    ``linux`` and ``frr``. Two lines are kept, one for trusted programs and one for agents' commands.

    Args:
        name: Of the node, in the task.
        platform: Name of its dialect.
        topology: Of the lab.
        connect: Opens a line on which the prompt of a shell stands.
        has_one_line: All lines are the same console, so that there is only one shell and no terminal.
        interfaces: By name in the topology: the host's name of the interface, where that is another.
        image_memory: What is known of the host's programs, see ``frr.installation``; one object for hosts of one image.
    """

    time_scale = 1.0

    def __init__(
        self,
        *,
        name: str,
        platform: str,
        topology: Topology,
        connect: Callable[[], CliLine],
        has_one_line: bool = False,
        interfaces: Mapping[str, str] = _NO_INTERFACES,
        image_memory: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(name, platform, topology)
        self.memory: dict[str, Any] = {}
        self.image_memory: dict[str, Any] = {} if image_memory is None else image_memory
        self.offered: dict[str, object] = {}
        """Further capabilities, by name."""
        self._connect = connect
        self._has_one_line = has_one_line
        self._names = interfaces
        self._trusted = KeptShell(name, connect)
        self._agents = self._trusted if has_one_line else KeptShell(name, connect)
        self._rights: Rights | None = None
        self._lock = threading.Lock()
        self._programs = Programs(name, self._trusted)
        self._vtys = ConsoleVtys(name, self._trusted.get, self._programs.folder)
        self._sessions: dict[str, RelaySession] = {}

    @property
    def enforces_read_only(self) -> bool:
        """Whether an agent's read-only command has no rights on the host.

        Raises:
            LabError: The host does not answer.
        """
        return self._known_rights().enforces_read_only

    def prepare(self) -> None:
        """Give the interfaces the names that the topology has for them, and set them up.

        Raises:
            LabError: The host has no such interface, or they cannot be renamed or set up.
        """
        script = _renaming({known: host for known, host in self._names.items() if known != host})
        if script and (done := self.run(["sh", "-c", script])).returncode:
            raise LabError(f"{self.name}: its interfaces cannot be renamed: {done.stderr.strip()}")
        there = _INTERFACE.findall(self.run(["ip", "-o", "link", "show"]).stdout)
        if lacking := [one for one in self.interfaces if one not in there]:
            raise LabError(
                f"{self.name}: the host has no interface {', '.join(lacking)} (it has {', '.join(there) or 'none'})"
            )
        script = " && ".join(f"ip link set dev {shlex.quote(one)} up" for one in ("lo", *self.interfaces))
        if (done := self.run(["sh", "-c", script])).returncode:
            raise LabError(f"{self.name}: its interfaces cannot be set up: {done.stderr.strip()}")

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return self._trusted.get().run(shlex.join(argv), input=input, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return run_many(self._trusted.get(), argvs, timeout_s=timeout_s)

    def shell(
        self, command: str, *, writable: bool, reads: Sequence[str] = (), limits: SandboxLimits = _LIMITS
    ) -> Completed:
        if not writable and not _only_lists(command, reads):
            command = self._known_rights().command(command, limits)
        return self._agents.get().run(
            command,
            timeout_s=limits.timeout_s,
            output_bytes=limits.output_bytes,
            file_bytes=max(limits.disk_bytes, limits.output_bytes),
        )

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        lab_time: bool = True,  # hosts live in wall time
        name: str | None = None,
    ) -> None:
        self._programs.start(argv, env or {}, name or PurePosixPath(argv[0]).name)

    def log(self, program: str) -> str:
        """What a started program said.

        Raises:
            LabError: No such program was started.
        """
        return self.read_file(f"{self._programs.folder()}/{program}.log")

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        return self._vtys.vty(requests)

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None:
        file, folder = shlex.quote(path), shlex.quote(str(PurePosixPath(path).parent))
        script = f"[ -e {file} ] || mkdir -p {folder} && umask 077 && : >{file} && chmod {mode:o} {file} && cat >{file}"
        done = self._trusted.get().run(script, input=text)
        if done.returncode:
            raise LabError(f"{self.name}: {path}: {_reason(done.stderr)}")

    def read_file(self, path: str) -> str:
        done = self.run(["cat", path])
        if done.returncode:
            raise LabError(f"{self.name}: {path}: {_reason(done.stderr)}")
        return done.stdout

    def cli(self, argv: Sequence[str], *, definition: Mapping[str, Any] | str, key: str = "main") -> CliSession:
        if isinstance(definition, str):
            raise LabError(f"{self.name}: a session needs its definition as a mapping")
        with self._lock:
            session = self._sessions.get(key)
            if session is None or not session.alive:
                relay = Relay(self._trusted.get, f"{self._programs.folder()}/cli-{key}")
                relay.start(f"sh -c {shlex.quote(self._known_rights().as_frr(f'env {_COLUMNS} {shlex.join(argv)}'))}")
                session = RelaySession(
                    name=f"{self.name} ({argv[0]})", relay=relay, prompt=str(definition["prompt_pattern"])
                )
                self._sessions[key] = session
            return session

    def drop_cli(self, key: str = "main") -> None:
        with self._lock:
            session = self._sessions.pop(key, None)
        if session is not None:
            session.close()

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        if self._has_one_line:
            raise RequirementMissing(f"{self.name}: the host has one console only, and it is in use")
        command = shlex.join(argv)
        if not writable:
            command = f"sh -c {shlex.quote(self._known_rights().as_user(command))}"
        return LineTerminal(name=self.name, connect=self._connect, command=command, columns=columns, rows=rows)

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({**dict.fromkeys(HOSTED, self), **self.offered}, owner=f"node {self.name}")

    def _known_rights(self) -> Rights:
        if self._rights is None:
            self._rights = rights.of(self._trusted.get())
        return self._rights

    def close(self) -> None:
        """End what was started on the host where it still answers, and let go of every line. Idempotent."""
        self._vtys.close()
        self._sessions.clear()
        self._programs.close()
        self.let_go()

    def forget(self) -> None:
        """Let go of the lines of a host that was switched off and of what was there; the next use connects again."""
        self._vtys.close()
        self._sessions.clear()
        self._programs.forget()
        self._rights = None
        self._trusted.drop()
        self._agents.drop()

    def let_go(self) -> None:
        """Let go of every line without a word to the host, which ends by itself. Idempotent."""
        self._vtys.close()
        self._sessions.clear()
        self._trusted.close()
        self._agents.close()


def _only_lists(command: str, reads: Sequence[str]) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return bool(words) and words == command.split() and words[0] in reads and listings.refuses(words) is None


def _renaming(names: Mapping[str, str]) -> str:
    """A script that renames by way of other names: one may be that of another interface."""
    steps = []
    for number, host in enumerate(names.values()):
        steps.append(f"ip link set dev {shlex.quote(host)} down name nbtmp{number}")
    for number, known in enumerate(names):
        steps.append(f"ip link set dev nbtmp{number} name {shlex.quote(known)} up")
    return " && ".join(steps)


def _reason(said: str) -> str:
    """What a program says of a file behind its own name and the file's."""
    return said.strip().rpartition(": ")[2] or "it cannot be used"
