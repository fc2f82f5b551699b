"""A small network OS that people can log in to, and its lab in memory, for tests of SSH."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.terminal import CommandNotPermitted, Terminal
from tests.support.memory_lab import MemoryDialect, MemoryDriver


class Files:
    """Files in memory; implements ``platforms.terminal.FileStore``."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {"welcome.txt": b"hello\n"}

    def names(self) -> Sequence[str]:
        return tuple(self.kept)

    def load(self, name: str) -> bytes:
        if name not in self.kept:
            raise FileNotFoundError(name)
        return self.kept[name]

    def store(self, name: str, data: bytes) -> None:
        if name == "full":
            raise OSError("no room")
        self.kept[name] = data

    def remove(self, name: str) -> None:
        del self.kept[name]


class EchoConsole:
    """Says each line again in capitals, and a few things more; implements ``platforms.terminal.Console``.

    ``apply LINE`` gives a line to the device.
    """

    def __init__(self, platform: LoginDriver, node, secret: str) -> None:
        self._platform = platform
        self._node = node
        self._secret = secret

    def converse(self, terminal: Terminal) -> None:
        terminal.write(f"{self._node.name}> ")
        line = ""
        while line != "bye":
            line = self._line(terminal)
            self._say(terminal, line)
            terminal.write(f"{self._node.name}> ")

    def execute(self, terminal: Terminal, command: str) -> int:
        self._say(terminal, command)
        return 7 if command == "seven" else 0

    @staticmethod
    def _line(terminal: Terminal) -> str:
        line = ""
        while not line.endswith("\r"):
            line += terminal.read()
        return line.strip()

    def _say(self, terminal: Terminal, line: str) -> None:
        kind = "configure" if line.startswith(("set ", "apply ")) else "session" if line == "bye" else "read"
        try:
            with terminal.command(line, kind=kind) as typed:
                if line == "crash":
                    raise RuntimeError("a bug of the console")
                if line == "hang":
                    raise LabError("no answer")
                if line == "set nonsense":
                    typed.refused = "% nonsense"
                if line.startswith("apply "):
                    (status,) = self._platform.apply(self._node, [line.removeprefix("apply ")])
                    typed.refused = status.message
                answers = {
                    "secret": self._secret,
                    "size": f"{terminal.columns}x{terminal.rows}",
                    "flood": "x" * 4_000_000,
                }
                terminal.write(f"{answers.get(line, line.upper())}\r\n")
                if line == "wait":
                    terminal.read()
        except CommandNotPermitted as error:
            terminal.write(f"{error}\r\n")


class LoginDriver(MemoryDriver):
    """The memory driver with a console and files."""

    has_console = True

    def __init__(self) -> None:
        self.stores: dict[str, Files] = {}

    def console(self, node, *, enable_secret: str, read_only: bool = False) -> EchoConsole:
        return EchoConsole(self, node, enable_secret)

    def files(self, node) -> Files:
        return self.stores.setdefault(node.name, Files())


class LoginDialect(MemoryDialect):
    """The memory dialect with a manual."""

    def manual(self) -> Sequence[ManualSection]:
        return (
            ManualSection(title="route PREFIX via ADDRESS", text="Sends what is for PREFIX to ADDRESS."),
            ManualSection(title="rate BPS", text="Limits the rate of flows that pass."),
            ManualSection(title="mark DSCP", text="Sets the DSCP of flows that pass, whatever route they take."),
        )
