"""Applying commands as at a console: one session, one answer per command; an error does not stop it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pytest_netbench import deadline
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.access import CliSession
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import answers, daemons, installation, vtysh
from pytest_netbench.platforms.frr.processes import is_adopted, running, start

Outcome = tuple[Literal["success", "error"], str]

EXEC_ONLY = (
    "configure",
    "show",
    "clear",
    "write",
    "copy",
    "do",
    "ping",
    "traceroute",
    "enable",
    "disable",
    "terminal",
    "end",
    "exit",
    "quit",
    "find",
    "list",
    "mtrace",
)
_LEAVES = ("exit", "quit")
_COMMAND_TIMEOUT_S = 10.0
_REPLAY_FILE = "/run/frr/replay.conf"


def apply(node: HostedNode, commands: Sequence[str], *, timeout_s: float = _COMMAND_TIMEOUT_S) -> list[CommandStatus]:
    """Apply ``commands`` in one session; a command of several lines fails if one of its lines does."""
    session = ConfigSession(node, timeout_s=timeout_s)
    statuses = []
    for command in commands:
        outcomes = [session.enter(line) for line in command.splitlines() or [""]]
        failed = any(status == "error" for status, _ in outcomes)
        message = "\n".join(text for _, text in outcomes if text)
        statuses.append(
            CommandStatus(device=node.name, command=command, status="error" if failed else "success", message=message)
        )
    session.finish()
    return statuses


class ConfigSession:
    """The console of one node while a batch of commands is typed.

    Starts in exec mode and enters config mode by itself, unless the first command is one of exec mode.
    """

    def __init__(self, node: HostedNode, *, timeout_s: float = _COMMAND_TIMEOUT_S) -> None:
        self._node = node
        self._timeout_s = timeout_s
        self._cli: CliSession | None = None
        self._running: set[str] = set()
        self._context: list[tuple[str, str]] = []
        self._fresh = True
        self._hostname = ""

    def enter(self, raw: str) -> Outcome:
        """Enter one line; return whether it was accepted, and the device's message."""
        line = " ".join(raw.split("\t")).rstrip()
        if vtysh.unprintable(line):
            return "error", "% Only printable characters can be typed."
        if vtysh.hides_the_prompt(line):
            return "error", vtysh.HOST_NAME_RULE
        deadline.check()
        cli = self._open()
        if self._fresh and line.strip():
            self._fresh = False
            if not _is_exec(line):
                self._configure(cli)
        if vtysh.mode(cli.prompt) == "" and any(vtysh.abbreviates(line, word, least=2) for word in _LEAVES):
            self._drop()
            return "success", ""
        if vtysh.mode(cli.prompt) and vtysh.abbreviates(line, "configure terminal", least=1):
            cli.send("end")
            self._context = []
        self._start_daemons(line)
        if is_adopted(self._node) and (absent := self._absent(line)):
            return "error", f"% {absent} does not run on this router."
        return self._type(line)

    def finish(self) -> None:
        """Leave config mode, so that the session serves the next batch."""
        if self._cli is None:
            return
        if vtysh.mode(self._cli.prompt):
            self._cli.send("end")

    def _open(self) -> CliSession:
        if self._cli is None:
            self._cli = vtysh.session(self._node, vtysh.CONFIG)
            if vtysh.mode(self._cli.prompt):
                self._cli.send("end")
            self._running = set(self._cli.send("show daemons").split())
            self._hostname = vtysh.hostname(self._cli.prompt)
            for _, line in self._context:
                self._cli.send(line)
        return self._cli

    def _configure(self, cli: CliSession) -> None:
        cli.send("configure terminal")
        self._context = [("config", "configure terminal")]

    def _drop(self) -> None:
        self._node.drop_cli(vtysh.CONFIG)
        self._cli = None
        self._context = []

    def _type(self, line: str) -> Outcome:
        cli = self._open()
        before = vtysh.mode(cli.prompt)
        try:
            output = cli.send(vtysh.typed(line), timeout_s=self._timeout_s).strip("\n")
        except LabDied:
            raise
        except LabError:
            self._node.drop_cli(vtysh.CONFIG)
            self._cli = None
            return "error", f"% No prompt came back within {self._timeout_s:g} s; the command was ended."
        self._follow(line, before, vtysh.mode(cli.prompt))
        self._keep_hostname(cli)
        if before == "" and not vtysh.abbreviates(line, "configure terminal"):
            return ("error" if output.lstrip().startswith("%") else "success"), output
        return ("error" if answers.is_error(output) else "success"), output

    def _follow(self, line: str, before: str, after: str) -> None:
        """Keep the lines that lead to the present mode, to type them again in a new session."""
        if after == "":
            self._context = []
        elif after == "config":
            self._context = [("config", "configure terminal")]
        elif after != before or _opens_sibling(line, self._context):
            known = [name for name, _ in self._context]
            if after in known and after != before and line.split(maxsplit=1)[0].startswith(("ex", "qu")):
                self._context = self._context[: known.index(after) + 1]
            else:
                keep = known.index(after) if after in known else len(known)
                self._context = [*self._context[:keep], (after, line)]

    def _keep_hostname(self, cli: CliSession) -> None:
        name = vtysh.hostname(cli.prompt)
        if name != self._hostname:
            self._hostname = name
            if not is_adopted(self._node):  # there the file is somebody else's
                self._node.write_file(vtysh.CONF, vtysh.conf(name))
            self._node.drop_cli(vtysh.SHOW)
            self._node.drop_cli(vtysh.VIEW)

    def _absent(self, line: str) -> str | None:
        """The daemon for which a line is, if it does not run: vtysh takes such a line and does nothing."""
        if vtysh.mode(self._open().prompt) == "":
            return None
        needed = daemons.needed_by([line])
        if line.split()[:1] != ["bfd"]:
            needed -= {"bfdd"}  # the daemon of a protocol takes what it says of BFD
        return None if needed & self._running else min(needed, default=None)

    def _start_daemons(self, line: str) -> None:
        if self._cli is None or vtysh.mode(self._cli.prompt) == "":
            return
        wanted = (daemons.needed_by([line]) & set(installation.of(self._node).names)) - self._running
        if not wanted:
            return
        start_late(self._node, wanted)
        self._cli = None


def start_late(node: HostedNode, wanted: Iterable[str]) -> None:
    """Start further daemons and send them the shared lines (route maps, prefix lists, interfaces).

    Sessions are closed, because they do not know the new daemons.
    """
    names = sorted(wanted)
    known_so_far = node.run(["vtysh", "-c", "show running-config"]).stdout
    start(node, names, running=running(node))
    vtysh.drop_all(node)
    node.write_file(_REPLAY_FILE, known_so_far)
    for name in names:
        node.run(["vtysh", "-d", name, "-f", _REPLAY_FILE])
    node.write_file(_REPLAY_FILE, "")


def _is_exec(line: str) -> bool:
    word = line.split(maxsplit=1)[0].lower()
    return any(len(word) >= 2 and known.startswith(word) for known in EXEC_ONLY)


def _opens_sibling(line: str, context: Sequence[tuple[str, str]]) -> bool:
    return bool(context) and bool(line.split()) and line.split(maxsplit=1)[0] == context[-1][1].split()[0]
