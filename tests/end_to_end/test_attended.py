"""Trials that somebody outside attends to: ``netbench lab``, ``netbench serve``, and a person at the terminal."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pexpect
import pytest
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_data_parts, new_data_message
from a2a.types import Role, SendMessageRequest
from mcp import Client, StdioServerParameters

from pytest_netbench.ani.client import JsonRpcAni
from tests.end_to_end import models
from tests.end_to_end.test_your_own import await_that, working_in
from tests.support import a2a_agents

COMMANDS = [("R1", models.R1), ("R2", models.R2)]


def netbench(bench, *arguments, **streams):
    return subprocess.Popen(
        [sys.executable, "-m", "pytest_netbench.cli", *arguments],
        cwd=bench.path,
        env=bench.environment(),
        text=True,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )


def kept(bench, command):
    """The one result that ``netbench lab`` or ``netbench serve`` has kept."""
    (folder,) = (bench.path / ".netbench").glob(f"{command}-*")
    (line,) = (folder / "results.jsonl").read_text().splitlines()
    result = json.loads(line)
    assert (folder / result["transcript"]).is_file()
    return result


def test_a_lab_is_worked_on_over_its_socket_scored_and_removed(bench):
    task = bench.task()
    lab = netbench(bench, "lab", str(task), "--json", "--score")
    try:
        facts = json.loads(lab.stdout.readline())
        assert sorted(facts["ssh"]["hosts"]) == ["R1", "R2", "h1", "h2"]
        assert facts["brief"]["intents"]
        with JsonRpcAni(facts["socket"]) as ani:
            assert ani.budget_left()["calls"] is None
            for device, command in COMMANDS:
                assert ani.update_cfg(device, [command])["results"][0]["status"] == "success"
            ani.call("task-done", {"reasoning": models.REASONING})
        _, errors = lab.communicate(timeout=120)
    finally:
        lab.kill()
    assert lab.returncode == 0, errors
    assert re.search(r"^testcase +1 ", errors, re.MULTILINE)
    assert errors.rstrip().endswith("netbench: passed")
    result = kept(bench, "lab")
    assert result["node_id"] == f"{task}::{task.name.removesuffix('.task.yaml')}[outside]"
    assert (result["status"], result["methods"], result["changed"]) == ("passed", {"update-cfg": 2}, ["R1", "R2"])
    assert not Path(facts["socket"]).exists()
    assert not Path(facts["ssh"]["inventory"]).exists()


def test_a_lab_that_is_terminated_leaves_nothing_and_one_that_is_killed_neither(bench):
    task = bench.task()
    for number in (signal.SIGTERM, signal.SIGKILL):
        lab = netbench(bench, "lab", str(task), "--json", "--no-ssh")
        facts = json.loads(lab.stdout.readline())
        assert facts["ssh"] is None
        lab.send_signal(number)
        lab.communicate(timeout=30)
        assert lab.returncode == (130 if number == signal.SIGTERM else -9)
        socket = Path(facts["socket"])
        await_that(lambda socket=socket: not working_in(bench.path) and not socket.parent.exists(), bench.path)


def test_a_task_that_fails_ends_with_status_1_and_why(bench):
    task = bench.task()
    lab = netbench(bench, "lab", str(task), "--json", "--no-ssh", "--score")
    facts = json.loads(lab.stdout.readline())
    with JsonRpcAni(facts["socket"]) as ani:
        ani.call("task-done", {})
    _, errors = lab.communicate(timeout=60)
    assert lab.returncode == 1
    assert "netbench: failed" in errors
    assert "0 of 2 testcases passed" in errors
    assert "no route to 10.2.0.0/24 installed" in errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lab", "no-such.task.yaml"], "no-such.task.yaml"),
        (["lab", "no-such-generator:n=1"], "no-such-generator"),
        (["lab", f"diagnose:faults={'+'.join(['link-down'] * 40)},seed=x"], "seed"),
        (["lab", "plan:level=1", "--index", "-1"], "the first draw is 0"),
    ],
)
def test_what_cannot_be_deployed_is_refused_with_the_reason(bench, arguments, words):
    done = bench.netbench(*arguments)
    assert done.code == 2
    assert words in done.out


def test_a_task_is_served_on_stdio_to_a_client_that_is_not_ours(bench):
    task = bench.task()
    errors = bench.path / "errors.txt"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "pytest_netbench.cli", "serve", str(task), "--score"],
        env=bench.environment(),
        cwd=bench.path,
    )

    async def conversation():
        with anyio.fail_after(120):
            async with Client(server) as client:
                for device, command in COMMANDS:
                    await client.call_tool("update_cfg", {"device": device, "commands": [command]})
                done = await client.call_tool("task_done", {"reasoning": "both routes"})
                kept(bench, "serve")  # before the client goes and ends the server
                return done.structured_content

    assert anyio.run(conversation) == {"ok": True}
    assert kept(bench, "serve")["status"] == "passed"
    await_that(lambda: not working_in(bench.path), errors)


def test_the_score_of_a_client_that_goes_without_a_word_is_kept_although_it_kills_the_server(bench):
    task = bench.task()
    arguments = ["-m", "pytest_netbench.cli", "serve", str(task), "--score", "--agent=mine", "--results=out"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=bench.environment(), cwd=bench.path)

    async def conversation():
        with anyio.fail_after(120):
            async with Client(server) as client:
                for device, command in COMMANDS:
                    await client.call_tool("update_cfg", {"device": device, "commands": [command]})

    anyio.run(conversation)
    await_that(lambda: not working_in(bench.path), bench.path)
    (line,) = (bench.path / "out" / "results.jsonl").read_text().splitlines()
    assert (json.loads(line)["status"], json.loads(line)["agent"]["id"]) == ("passed", "mine")


def test_results_without_a_score_are_refused_before_anything_is_deployed(bench):
    done = bench.netbench("serve", str(bench.task()), "--results", "out")
    assert done.code == 2
    assert "--results is where a score is kept: give --score, too" in done.out


async def work_by_mcp(url):
    """Do the task as a client of the SDK of MCP; return what ``task_done`` answered."""
    async with Client(url) as client:
        for device, command in COMMANDS:
            await client.call_tool("update_cfg", {"device": device, "commands": [command]})
        return (await client.call_tool("task_done", {"reasoning": models.REASONING})).structured_content


async def work_by_a2a(url):
    """Do the task as a client of the SDK of A2A; return what ``task-done`` answered."""

    async def request(method, **params):
        message = new_data_message({"method": method, "params": params}, role=Role.ROLE_USER)
        (event,) = [one async for one in client.send_message(SendMessageRequest(message=message))]
        (value,) = get_data_parts(event.task.artifacts[0].parts)
        return value

    async with await create_client(url, ClientConfig(streaming=False)) as client:
        for device, command in COMMANDS:
            await request("update-cfg", device=device, commands=[command])
        return await request("task-done", reasoning=models.REASONING)


@pytest.mark.parametrize("score", [[], ["--score"]])
def test_work_that_is_handed_in_after_the_end_of_the_budget_is_answered_with_what_happened(bench, score):
    served = netbench(bench, "serve", str(bench.task(budget={"wall": "2s"})), "--budget", "--http", "0", *score)
    url = served.stdout.readline().strip()

    async def conversation():
        with anyio.fail_after(120):
            async with Client(url) as client:
                await client.call_tool("get_topology", {})
                while "the budget is used up" not in served.stderr.readline():
                    pass
                return await client.call_tool("task_done", {"reasoning": "too late"})

    try:
        answer = anyio.run(conversation)
        _, errors = served.communicate(timeout=60)
    finally:
        served.kill()
    (text,) = [one.text for one in answer.content]
    assert "the 2 s of wall time of the budget were over" in text
    assert "does not count" in text
    assert served.returncode == (1 if score else 0), errors
    await_that(lambda: not working_in(bench.path), bench.path)


@pytest.mark.parametrize("score", [[], ["--score"]])
def test_each_call_after_task_done_is_answered_with_one_clear_error(bench, score):
    served = netbench(bench, "serve", str(bench.task()), "--http", "0", *score)
    url = served.stdout.readline().strip()

    async def conversation():
        with anyio.fail_after(120):
            async with Client(url) as client:
                await client.call_tool("task_done", {"reasoning": "nothing"})
                if score:
                    while "netbench: evaluating" not in served.stderr.readline():
                        pass
                late = (
                    ("budget_left", {}),
                    ("get_topology", {}),
                    ("task_done", {"reasoning": "more"}),
                    ("get_brief", {}),
                )
                return [await client.call_tool(*one) for one in late]

    try:
        answers = anyio.run(conversation)
        _, errors = served.communicate(timeout=60)
    finally:
        served.kill()
    assert all(one.is_error for one in answers)
    assert [one.content[0].text for one in answers] == [
        f"{name}: task-done was called, and the trial is over"
        for name in ("budget-left", "get-topology", "task-done", "get-brief")
    ]
    assert served.returncode == (1 if score else 0), errors
    await_that(lambda: not working_in(bench.path), bench.path)


@pytest.mark.parametrize(("options", "work"), [(["--http", "0"], work_by_mcp), (["--a2a"], work_by_a2a)])
def test_a_client_of_the_sdk_drives_a_task_to_a_pass(bench, options, work):
    served = netbench(bench, "serve", str(bench.task()), "--score", *options)
    url = served.stdout.readline().strip()

    async def conversation():
        with anyio.fail_after(60):
            return await work(url)

    try:
        assert anyio.run(conversation) == {"ok": True}
        _, errors = served.communicate(timeout=120)
    finally:
        served.kill()
    assert served.returncode == 0, errors
    assert re.search(r"^testcase +1 ", errors, re.MULTILINE)
    assert errors.rstrip().endswith("netbench: passed")
    await_that(lambda: not working_in(bench.path), bench.path)


def test_an_agent_that_is_an_a2a_server_solves_a_task(bench):
    bench.task()
    folder = bench.path / "agents"
    folder.mkdir(exist_ok=True)
    shutil.copy(a2a_agents.__file__, folder / "server.py")
    section = {
        "command": [sys.executable, "{root}/agents/server.py", "by-socket", "{port}"],
        "environment": ["SOLUTION"],
        "confine": False,
    }
    (folder / "peer.agent.json").write_text(json.dumps({"strategy": "a2a", "a2a": section}))
    solution = json.dumps({device: [command] for device, command in COMMANDS})
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=peer", "--netbench-results=out", "-p", "no:cacheprovider"]
    done = subprocess.run(
        argv,
        cwd=bench.path,
        env=bench.environment({"SOLUTION": solution}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    (line,) = (bench.path / "out" / "results.jsonl").read_text().splitlines()
    result = json.loads(line)
    assert (result["status"], result["agent"]["strategy"]) == ("passed", "a2a")
    assert result["usage"]["prompt_tokens"] == 10
    transcript = json.loads((bench.path / "out" / result["transcript"]).read_text())
    assert transcript["submission"]["reasoning"] == "over the socket"
    calls = [step["data"]["method"] for step in transcript["trace"] if step["kind"] == "ani"]
    assert calls == ["update-cfg", "update-cfg"]
    assert not working_in(bench.path)


def test_a_server_that_is_terminated_leaves_nothing(bench):
    served = netbench(bench, "serve", str(bench.task()), "--http", "0")
    assert served.stdout.readline().startswith("http://127.0.0.1:")
    served.send_signal(signal.SIGTERM)
    assert served.wait(timeout=30) == 130
    await_that(lambda: not working_in(bench.path), bench.path)
    served.communicate()


def test_a_person_at_the_terminal_solves_a_task_by_ssh_or_the_socket(bench):
    bench.task()
    argv = ["-m", "pytest", "tasks", "--agent=human", "--netbench-results=out"]
    terminal = pexpect.spawn(
        sys.executable,
        argv,
        cwd=str(bench.path),
        env=bench.environment({"TERM": "xterm"}),
        timeout=60,
        encoding="utf-8",
    )
    terminal.expect(r"# Task: ")
    terminal.expect(r"R1 +ssh -p \d+ netbench@127\.0\.0\.1")
    terminal.expect(r"ANI \(JSON-RPC\): (\S+)")
    socket = terminal.match[1]
    terminal.expect("Press Enter when you are done")
    with JsonRpcAni(socket) as ani:
        for device, command in COMMANDS:
            ani.update_cfg(device, [command])
    terminal.sendline("")
    terminal.expect("What did you find and do, and why")
    terminal.sendline("A route to each far site.")
    terminal.expect("1 passed")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    (line,) = (bench.path / "out" / "results.jsonl").read_text().splitlines()
    transcript = json.loads((bench.path / "out" / json.loads(line)["transcript"]).read_text())
    assert transcript["submission"]["reasoning"] == "A route to each far site."
    assert transcript["agent"]["id"] == "human"


def test_without_a_terminal_or_with_workers_a_person_is_not_asked(bench):
    bench.task()
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=human"]
    alone = bench.run("setsid", "--wait", *argv, timeout=60)
    assert (alone.code, alone.last_line) == (
        4,
        "ERROR: --agent=human needs a terminal; without one, see netbench lab and netbench serve",
    )
    shared = pexpect.spawn(
        argv[0], [*argv[1:], "-n2"], cwd=str(bench.path), env=bench.environment(), timeout=60, encoding="utf-8"
    )
    shared.expect("which workers would share: run it without -n")
    shared.expect(pexpect.EOF)
