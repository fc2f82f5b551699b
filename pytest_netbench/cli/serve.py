"""netbench serve: deploy one task and serve it by MCP, on stdio or by streamable HTTP, or by A2A."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pytest_netbench.cli import attending, mcp
from pytest_netbench.errors import FaultHasNoEffect, LabError

if TYPE_CHECKING:
    from pytest_netbench.agents.external.interactive import Attendance

_LOOK_S = 0.1
_ANSWER_S = 5.0
_LINGER_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task, and where it is served."""
    attending.add_arguments(parser)
    mcp.add_http(parser)
    parser.add_argument("--a2a", action="store_true", help="serve an A2A agent by HTTP instead of MCP")
    parser.add_argument(
        "--clock",
        choices=("scaled", "events", "calls"),
        default="events",
        help="how lab time passes, as --netbench-clock of pytest (default: events)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes (stdio), the work is handed in, or the process is interrupted.

    Clients end the process that they talk to over stdio soon after they have gone. To score, that process only waits
    for another one, which does the work and ends when the result is kept.
    """
    from pytest_netbench.agents.external import a2a_agent, mcp_server, running  # imports pydantic

    (a2a_agent if arguments.a2a else mcp_server).require()
    is_stdio = arguments.http is None and not arguments.a2a
    started_by = os.getpid() if arguments.score and is_stdio else None
    if started_by is not None and (worker := os.fork()):
        return _waited_for(worker)
    if started_by is not None:
        os.setsid()

    def attend(at: Attendance) -> None:
        http = None if arguments.http is None else "{}:{}".format(*arguments.http)
        server_command = a2a_agent.server_command if arguments.a2a else mcp_server.server_command
        # the server ends with the thread that started it, and this one ends before the work is judged
        starter = at.serving.enter_context(ThreadPoolExecutor(1))
        command = [*running.DIES_WITH_US, *server_command(at.socket, http=http)]
        server = at.serving.enter_context(starter.submit(subprocess.Popen[bytes], command).result())
        at.serving.callback(server.terminate)  # over HTTP, requests under way are answered
        while at.desk.submission is None and not _ended(server, _LOOK_S):
            if started_by is not None and os.getppid() != started_by:
                return
        # the client reads the answer to its last request; over stdio it goes then, by HTTP it may ask once more
        at.serving.callback(_ended, server, _ANSWER_S if is_stdio else _LINGER_S)

    with attending.terminated_as_interrupted():
        try:
            return attending.attended(arguments, attend, ssh=False, ends=is_stdio)
        except FaultHasNoEffect:
            # its text names the fault, and an MCP host may show this to the agent
            raise LabError("the task cannot be prepared here; `netbench lab` with the same task says why") from None


def _waited_for(worker: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    except KeyboardInterrupt:
        os.kill(worker, signal.SIGINT)
        os.waitpid(worker, 0)
        raise


def _ended(process: subprocess.Popen[bytes], within_s: float) -> bool:
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        return False
    return True
