"""What people bring along: fixtures of their own, hooks, agents inside and outside the process; and Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.end_to_end import models
from tests.end_to_end.conftest import REPOSITORY, Bench, Ended, scores

CONFTEST = """
import json
import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.model.trial import AgentInfo, Submission


def note(moment, **about):
    with open("moments.jsonl", "a") as file:
        print(json.dumps({"moment": moment, **about}), file=file)


class Careful:
    info = AgentInfo(id="mine.Careful", strategy="own")

    def run(self, brief, ani):
        for device in ("R1", "R2"):
            far = {"R1": "10.2.0.0/24 10.0.12.2", "R2": "10.1.0.0/24 10.0.12.1"}[device]
            ani.update_cfg(device, [f"ip route {far}"])
        return Submission(reasoning=brief.hints[-1])


@pytest.fixture
def task(task):
    note("task")
    return task.model_copy(update={"domain": "renamed"})


@pytest.fixture
def agent(agent):
    note("agent", was=agent.info.id)
    return Careful()


@pytest.fixture
def lab(lab):
    note("lab", nodes=sorted(node.name for node in lab.topology.nodes))
    yield lab
    note("lab over")


@pytest.fixture
def ani(lab, task):
    opened = AgentInterface(lab, policy=Policy(), budget=task.budget)
    yield opened
    opened.close()


@pytest.fixture
def trial(trial):
    note("trial", outcome=trial.record.outcome, still_up=sorted(trial.lab.nodes))
    return trial


def pytest_netbench_lab_ready(lab, task):
    note("lab_ready", domain=task.domain)


def pytest_netbench_trial_finished(record, result):
    note("trial_finished", steps=len(record.trace), status=result.status)


def pytest_netbench_result(result):
    note("result", metrics=[score.metric for score in result.scores])
"""

AGENTS = '''
from pytest_netbench.model.trial import AgentInfo, Submission


class Sneaky:
    """Asks the Task Evaluation Interface for the answers, over the ANI's own socket."""

    info = AgentInfo(id="mine.Sneaky", strategy="own")

    def run(self, brief, ani):
        import json, socket
        from pytest_netbench.ani.jsonrpc import serve

        said = []
        with serve(ani) as server, socket.socket(socket.AF_UNIX) as line:
            line.connect(str(server.path))
            answers = line.makefile("rb")
            for method in ("run-testcases", "export-final-cfg", "get-topology"):
                line.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode() + b"\\n")
                answer = json.loads(answers.readline())
                said.append(f"{method}: {answer['error']['code'] if 'error' in answer else 'answered'}")
        return Submission(reasoning="; ".join(said))
'''

MCP_CLIENT = """
import json, sys
import anyio
from mcp import Client

async def main(url, commands):
    async with Client(url) as client:
        brief = (await client.call_tool("get_brief", {})).structured_content["brief"]
        for device, command in commands:
            result = await client.call_tool("update_cfg", {"device": device, "commands": [command]})
            assert result.structured_content["results"][0]["status"] == "success"
        pinged = await client.call_tool("execute_cmd", {"device": "h1", "command": "ping -c 1 -W 2 10.2.0.10"})
        seen = "1 received" in pinged.structured_content["output"]
        await client.call_tool("task_done", {"reasoning": f"{len(brief['devices'])} devices, h1 reaches h2: {seen}"})

anyio.run(main, sys.argv[1], json.loads(sys.argv[2]))
"""

PROGRAM = """
import json, os, socket, sys

brief = json.load(sys.stdin)
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["NETBENCH_ANI_SOCKET"])
answers = line.makefile("rb")
for number, (device, command) in enumerate(json.loads(sys.argv[1])):
    params = {"device": device, "commands": [command]}
    request = {"jsonrpc": "2.0", "id": number, "method": "update-cfg", "params": params}
    line.sendall(json.dumps(request).encode() + b"\\n")
    assert json.loads(answers.readline())["result"]["results"][0]["status"] == "success"
json.dump({"reasoning": "Sites: " + ", ".join(sorted(brief["devices"]))}, sys.stdout)
"""


COMMANDS = [("R1", models.R1), ("R2", models.R2)]


def test_each_fixture_can_be_overridden_and_every_hook_is_called_in_order(bench):
    bench.task()
    bench.write("conftest.py", CONFTEST)
    done = bench.pytest("tasks", "--agent=nop")
    assert "1 passed" in done.last_line, done.out
    moments = [json.loads(line) for line in (bench.path / "moments.jsonl").read_text().splitlines()]
    assert [one["moment"] for one in moments] == [
        "task",
        "agent",
        "lab_ready",
        "lab",
        "trial_finished",
        "trial",
        "result",
        "lab over",
    ]
    by_name = {one["moment"]: one for one in moments}
    assert by_name["agent"]["was"] == "nop"
    assert by_name["lab"]["nodes"] == ["R1", "R2", "h1", "h2"]
    assert by_name["lab_ready"]["domain"] == "renamed"
    assert by_name["trial_finished"] == {"moment": "trial_finished", "steps": 2, "status": "passed"}
    assert by_name["trial"]["outcome"] == "done"
    assert by_name["trial"]["still_up"] == ["R1", "R2", "h1", "h2"]
    assert by_name["result"]["metrics"] == [
        "testcase",
        "command",
        "netconfbench.command",
        "reasoning",
        "netconfbench.reasoning",
    ]
    assert done.of("mine.Careful")["status"] == "passed"


@pytest.fixture(scope="session")
def outside(once) -> Ended:
    def run(folder: Path) -> Ended:
        bench = Bench(folder)
        bench.task()
        shutil.copytree(REPOSITORY / "agents", folder / "agents", ignore=shutil.ignore_patterns("__pycache__"))
        bench.write("solver.py", PROGRAM)
        bench.write("mine.py", AGENTS)
        options = {"strategy": "program", "model": None}
        bench.write("mcp_client.py", MCP_CLIENT)
        commands = json.dumps(COMMANDS)
        by_mcp = {
            "command": [sys.executable, "{root}/mcp_client.py", "{mcp_url}", commands],
            "show": [sys.prefix, sys.base_prefix],
        }
        bench.agent("solver", **options, program={"command": ["python3", "{root}/solver.py", commands]})
        bench.agent("by-mcp", **options, program=by_mcp)
        bench.agent("crashes", **options, program={"command": ["python3", "-c", "raise SystemExit('no idea')"]})
        named = ["program", "solver", "by-mcp", "crashes", "mine:Sneaky", "external.survey:Survey"]
        return bench.pytest("tasks", *(f"--agent={one}" for one in named), "-n2")

    return once("outside", run)


def test_a_program_outside_the_process_solves_a_task_over_the_socket(outside):
    assert outside.of("solver")["status"] == "passed"
    submission = outside.transcript("solver")["submission"]
    assert submission["reasoning"] == "Sites: R1, R2, h1, h2"


def test_a_confined_client_of_mcp_solves_a_task_on_real_devices(outside):
    assert outside.of("by-mcp")["status"] == "passed"
    transcript = outside.transcript("by-mcp")
    assert transcript["submission"]["reasoning"] == "4 devices, h1 reaches h2: True"
    assert [step["data"]["method"] for step in transcript["trace"]] == ["update-cfg", "update-cfg", "execute-cmd"]


def test_the_shipped_examples_look_at_the_network_and_say_what_they_saw(outside):
    assert "There are 4 devices." in outside.transcript("program")["submission"]["reasoning"]
    assert (
        "The network has 4 devices and 3 links."
        in outside.transcript("external.survey.Survey")["submission"]["reasoning"]
    )


def test_a_program_that_crashes_is_its_own_failure_with_its_last_words(outside):
    result = outside.of("crashes")
    assert (result["status"], result["outcome"]) == ("failed", "agent-error")
    assert "no idea" in result["error"]


def test_the_evaluation_interface_does_not_answer_on_an_agents_socket(outside):
    reasoning = outside.transcript("mine.Sneaky")["submission"]["reasoning"]
    assert reasoning == "run-testcases: -32601; export-final-cfg: -32601; get-topology: answered"
    assert scores(outside.of("mine.Sneaky"))["testcase"] == 0.0


SLOW = """
import pathlib
import threading


def pytest_netbench_lab_ready(lab, task):
    if task.slug == "slow":
        pathlib.Path("slow-is-up").touch()
        threading.Event().wait(60)
"""


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_ctrl_c_ends_with_status_2_merged_results_and_no_process_left(bench, workers):
    bench.task("first")
    bench.task("slow")
    bench.write("conftest.py", SLOW)
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=oracle", "--netbench-results=out", *workers]
    output = bench.path / "output.txt"
    with output.open("w") as file:
        child = subprocess.Popen(
            argv,
            cwd=bench.path,
            env=bench.environment(),
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        await_that(
            lambda: (
                (bench.path / "slow-is-up").exists()
                and any('"status"' in path.read_text() for path in (bench.path / "out").glob("results-*.jsonl"))
            ),
            output,
        )
        os.killpg(child.pid, signal.SIGINT)
        assert child.wait(timeout=30) == 2, output.read_text()
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    assert list(Ended(2, "", bench.path).results) == ["first[oracle]"]
    await_that(lambda: not working_in(bench.path), output)


def await_that(condition, output: Path, seconds: float = 40.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, output.read_text()
        time.sleep(0.02)


def working_in(folder: Path) -> list[int]:
    """Processes that were started by the run in ``folder`` or by what it started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            cwd = (entry / "cwd").readlink() if entry.name.isdigit() else None
        except OSError:
            continue
        if cwd is not None and cwd.is_relative_to(folder):
            found.append(int(entry.name))
    return found
