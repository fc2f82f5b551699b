"""netbench serve: deploy one task and serve it by MCP, on stdio or by streamable HTTP, or by A2A."""

from __future__ import annotations

import argparse
import subprocess
from typing import TYPE_CHECKING

from pytest_netbench.cli import attending, mcp
from pytest_netbench.errors import FaultHasNoEffect, LabError

if TYPE_CHECKING:
    from pytest_netbench.agents.outside.attended import Attendance

_LOOK_S = 0.1
_ANSWER_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task, and where it is served."""
    attending.add_arguments(parser)
    mcp.add_http(parser)
    parser.add_argument("--a2a", action="store_true", help="serve an A2A agent by HTTP instead of MCP")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes (stdio), the work is handed in, or the process is interrupted."""
    from pytest_netbench.agents.outside import a2a_agent, mcp_server, running  # noqa: PLC0415  (imports pydantic)

    (a2a_agent if arguments.a2a else mcp_server).require()

    def attend(at: Attendance) -> None:
        http = None if arguments.http is None else "{}:{}".format(*arguments.http)
        server_command = a2a_agent.server_command if arguments.a2a else mcp_server.server_command
        with subprocess.Popen([*running.DIES_WITH_US, *server_command(at.socket, http=http)]) as server:
            try:
                while at.desk.submission is None and not _ended(server, _LOOK_S):
                    pass
                if http is None and not arguments.a2a:
                    _ended(server, _ANSWER_S)  # the client reads the answer to its last request, and goes
            finally:
                server.terminate()  # over HTTP, requests under way are answered

    with attending.terminated_as_interrupted():
        try:
            return attending.attended(arguments, attend, ssh=False)
        except FaultHasNoEffect:
            # its text names the fault, and an MCP host may show this to the agent
            raise LabError("the task cannot be prepared here; `netbench lab` with the same task says why") from None


def _ended(process: subprocess.Popen[bytes], within_s: float) -> bool:
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        return False
    return True
