"""netbench harbor: run the lab of a task that `netbench export harbor` wrote, and judge it when its checks come."""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_netbench.cli.attending import terminated_as_interrupted
from pytest_netbench.deadline import poll
from pytest_netbench.errors import InfrastructureError, LabError, UsageError
from pytest_netbench.kernel.addresses import UNSPECIFIED

if TYPE_CHECKING:
    from pytest_netbench.agents.external.gateway import Gateway
    from pytest_netbench.agents.external.interactive import Attendance
    from pytest_netbench.ani.protocol import Ani
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialResult

AGENT: Final = "harbor"
_STARTS_S: Final = 60.0
_SERVE: Final = (
    "import sys; from pathlib import Path; from pytest_netbench.ani.mcp import serve_http; "
    "serve_http(Path(sys.argv[1]), host=sys.argv[2], port=int(sys.argv[3]), place='/mcp')"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the task lies, and where it is served."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder environment/lab of an exported task")
    parser.add_argument("--host", default=UNSPECIFIED, help="the address to listen at (default: all)")
    parser.add_argument("--port", type=int, default=7070, help="for requests and checks (default: 7070)")
    parser.add_argument("--mcp-port", type=int, default=7071, help="for MCP (default: 7071)")
    parser.add_argument(
        "--name", default="lab", metavar="HOST", help="what the agent's container calls this one (default: lab)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Deploy, let the agent work until the checks come, judge, and answer with the rewards until interrupted."""
    from pytest_netbench.agents.external.gateway import Gateway
    from pytest_netbench.exports.harbor import checks  # imports pydantic
    from pytest_netbench.taskfile import load_task

    folder: Path = arguments.folder
    if not all((folder / name).is_file() for name in (checks.TASK_FILE, checks.DIGEST_FILE, checks.SEALED_FILE)):
        raise UsageError("this is no folder environment/lab of an exported task", path=folder)
    task, accept = load_task(folder / checks.TASK_FILE), checks.acceptance(folder)
    with terminated_as_interrupted(), Gateway((arguments.host, arguments.port), accept=accept) as gateway:
        try:
            result = _trial(task, gateway, arguments)
        except InfrastructureError as error:
            gateway.answer(500, {"error": f"the lab broke, so there is nothing to score: {error}"})
            print(f"netbench: {error}", file=sys.stderr, flush=True)
        else:
            gateway.answer(200, rewards(result))
            print(f"netbench: {result.status}", file=sys.stderr, flush=True)
        signal.pause()
    return 0


def rewards(result: TrialResult) -> dict[str, float]:
    """The trial's pass as ``reward``, and beside it each score that was measured."""
    scores = {score.metric: score.value for score in result.scores if score.value is not None}
    return {"reward": float(result.status == "passed"), **{name: round(value, 6) for name, value in scores.items()}}


def _trial(task: Task, gateway: Gateway, arguments: argparse.Namespace) -> TrialResult:
    from pytest_netbench.exports.harbor import checks, layout  # imports pydantic
    from pytest_netbench.trial import Settings, Stage, evaluated
    from pytest_netbench.trial.deployment import stands_still_by_default

    def attend(at: Attendance) -> None:
        at.serving.enter_context(_offered(at, gateway, arguments))
        while gateway.wait(1.0) is None:
            pass
        at.serving.callback(gateway.end)

    settings = Settings(clock="events", where=arguments.folder, truth=lambda _: None, reference=lambda _: None)
    with Stage(task, settings) as stage:
        has_ssh = task.has_network and not stands_still_by_default(task)
        stage.work(_Outside(attend, name=arguments.name), budget=layout.ELSEWHERE, ssh=has_ssh)
        content = gateway.wait()
        assert content is not None
        whole, truth, reference = checks.read(content)
        disclosed = Settings(
            clock="events", where=arguments.folder, truth=lambda _: truth, reference=lambda _: reference
        )
        stage.disclose(whole, disclosed)
        return evaluated(stage)


def _offered(at: Attendance, gateway: Gateway, arguments: argparse.Namespace) -> ExitStack:
    """What the agent's container reaches: the ANI by HTTP and by MCP, and devices by SSH."""
    from pytest_netbench.agents.external import running
    from pytest_netbench.agents.external.relay import Relay

    stack, host, port = ExitStack(), arguments.host, arguments.mcp_port
    command = [*running.DIES_WITH_US, sys.executable, "-c", _SERVE, str(at.socket), host, str(port)]
    # the server ends with the thread that started it
    starter = stack.enter_context(ThreadPoolExecutor(1))
    start = partial(subprocess.Popen[bytes], command, stdout=subprocess.DEVNULL)
    server = stack.enter_context(starter.submit(start).result())
    stack.callback(server.terminate)
    if not poll(partial(_listens, port), until=bool, within_s=_STARTS_S, pause_s=0.1) or server.poll() is not None:
        stack.close()
        raise LabError("the MCP server did not start")
    own = socket.gethostbyname(socket.gethostname()) if host == UNSPECIFIED else host
    for login in () if at.brief.ssh is None or own.startswith("127.") else at.brief.ssh.hosts.values():
        stack.enter_context(Relay(own, login.port))
    gateway.begin(at.socket)
    return stack


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


class _Outside:
    """An agent in another container, which reaches this one by a name."""

    def __init__(self, attend: Any, *, name: str) -> None:
        from pytest_netbench.agents.external.interactive import Attended  # imports pydantic

        self._attended = Attended(AGENT, attend)
        self._name = name

    @property
    def info(self) -> AgentInfo:
        return self._attended.info

    def run(self, brief: Brief, ani: Ani) -> Submission:
        if brief.ssh is not None:
            hosts = {device: login.model_copy(update={"host": self._name}) for device, login in brief.ssh.hosts.items()}
            access = brief.ssh.model_copy(update={"hosts": hosts, "inventory": ""})
            brief = brief.model_copy(update={"ssh": access})
        return self._attended.run(brief, ani)
