"""The process of an agent that is an A2A server: started for one trial, on a port of its own."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from pytest_netbench.agents import exits
from pytest_netbench.agents.external import running

_ENDS_WITHIN_S: Final = 0.5


class AgentServer:
    """Runs a server while it is open. What it prints is read, and its last words are kept.

    Args:
        command: What is started, with ``{port}`` replaced.
        environment: Its variables.
        folder: Where it starts.
        pass_fds: Descriptors that it inherits.
        confined: bubblewrap starts it, which tells its signals by its own status.

    Raises:
        AgentError: It cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        pass_fds: Sequence[int] = (),
        confined: bool = False,
    ) -> None:
        self._by_shell = confined
        self.how: str | None = None
        """How it ended, once ``ended`` has told."""
        self._process = running.start(command, environment=environment, folder=folder, pass_fds=pass_fds)
        running.let_die_first(self._process)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._process.stdin.close()
        self._errors = running.Tail(self._process.stderr)
        self._reader = threading.Thread(target=self._errors.read, daemon=True)
        self._reader.start()
        threading.Thread(target=running.Tail(self._process.stdout).read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running.kill(self._process)

    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def ended(self) -> str:
        """How it ended, in words; empty if it has not. One whose connection broke just now is waited for."""
        try:
            status = self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            return ""
        self._reader.join(_ENDS_WITHIN_S)
        self.how = exits.in_words(status, by_shell=self._by_shell)
        return f"its server ended with {self.how}: {self._errors.text()[-500:]}"


def free_port() -> int:
    """A port of loopback that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
