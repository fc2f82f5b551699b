"""The MCP server of one trial: ``netbench mcp`` on a loopback port, in front of the ANI's socket."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from pytest_netbench.agents.external import running
from pytest_netbench.errors import InfrastructureError, RequirementMissing

STARTS_WITHIN_S: Final = 60.0


def require() -> None:
    """Check that MCP can be served here.

    Raises:
        RequirementMissing: The package is not installed.
    """
    if find_spec("mcp") is None or find_spec("uvicorn") is None:
        raise RequirementMissing("MCP needs its SDK", "pip install 'pytest-netbench[mcp]'")


def server_command(socket: Path, *, http: str | None) -> list[str]:
    """The command that serves the ANI at ``socket`` by MCP: on stdio, or at ``http``, a host and a port."""
    where = () if http is None else ("--http", http)
    return [sys.executable, "-m", "pytest_netbench.cli", "mcp", str(socket), *where]


class McpServer:
    """Serves MCP by streamable HTTP while it is open.

    Args:
        socket: Of the ANI.
        folder: Where it writes the configuration of clients.

    Raises:
        InfrastructureError: It did not start.
    """

    def __init__(self, socket: Path, folder: Path) -> None:
        command = server_command(socket, http="127.0.0.1:0")
        self._process = running.start(command, environment=os.environ, folder=folder)
        try:
            self.url = self._announced()
        except BaseException:
            running.kill(self._process)
            raise
        self.config = folder / "mcp.json"
        servers = {"netbench": {"type": "http", "url": self.url}}
        self.config.write_text(json.dumps({"mcpServers": servers}, indent=1), encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running.kill(self._process)

    def _announced(self) -> str:
        stream = self._process.stdout
        assert stream is not None
        ready, _, _ = select.select([stream], [], [], STARTS_WITHIN_S)
        line = stream.readline().decode(errors="replace").strip() if ready else ""
        if line.startswith("http"):
            return line
        self._process.kill()
        try:
            _, errors = self._process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            errors = b""
        words = errors.decode(errors="replace").strip()[-500:] or "it said nothing"
        raise InfrastructureError(f"the MCP server did not start: {words}")
