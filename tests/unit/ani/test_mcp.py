"""The ANI over MCP, driven by the SDK's own client, on stdio and by streamable HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters

from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.external.mcp_server import McpServer
from pytest_netbench.agents.external.program import Program
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.submission import SubmissionMethods
from pytest_netbench.cli.main import main
from pytest_netbench.errors import InfrastructureError
from pytest_netbench.model.task import Budget
from tests.support.memory_ani import MemoryAni, brief_of


@pytest.fixture
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["a", "b"], "R2": []}, budget=Budget(calls=4))


@pytest.fixture
def desk(ani) -> SubmissionMethods:
    return SubmissionMethods(brief_of(ani), text="make R1 reach R2")


@pytest.fixture(params=["stdio", "http"])
def server(request, ani, desk, tmp_path):
    """What the SDK's client connects to."""
    with serve(ani, desk=desk) as socket:
        if request.param == "stdio":
            yield StdioServerParameters(
                command=sys.executable, args=["-m", "pytest_netbench.cli", "mcp", str(socket.path)]
            )
        else:
            with McpServer(socket.path, tmp_path) as http:
                yield http.url


def talk(server, conversation):
    """Let ``conversation`` talk to a server by the SDK's client."""

    async def run():
        with anyio.fail_after(60):
            async with Client(server) as client:
                return await conversation(client)

    return anyio.run(run)


def test_a_client_that_is_not_ours_works_on_the_network_and_hands_in(server, ani, desk):
    async def conversation(client):
        prompts = await client.list_prompts()
        task = await client.get_prompt(prompts.prompts[0].name)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        changed = await client.call_tool("update_cfg", {"device": "R2", "commands": ["c", "invalid d"]})
        jsonschema.validate(changed.structured_content, tools["update_cfg"].output_schema)
        shown = await client.call_tool("get_running_config", {"device": "R2"})
        assert shown.structured_content == {"running_config": "c"}
        left = await client.call_tool("budget_left", {})
        done = await client.call_tool("task_done", {"reasoning": "c is there"})
        return task.messages[0].content.text, tools, changed, left.structured_content, done.structured_content

    task, tools, changed, left, done = talk(server, conversation)
    assert task == "make R1 reach R2"
    ours = {"get_topology", "get_running_cfg", "update_cfg", "execute_cmd", "budget_left", "get_brief", "task_done"}
    assert set(tools) == ours | {"get_running_config", "update_config", "execute_validation"}
    assert tools["update_config"].input_schema == tools["update_cfg"].input_schema
    assert tools["update_cfg"].input_schema["required"] == ["device", "commands"]
    assert json.loads(changed.content[0].text) == changed.structured_content
    assert [one["status"] for one in changed.structured_content["results"]] == ["success", "error"]
    assert (left["calls"], done) == (2, {"ok": True})
    assert ani.configs["R2"] == ["c"]
    assert desk.submission.reasoning == "c is there"


def test_a_long_configuration_is_structured_content_and_text(server, ani):
    ani.configs["R1"] = [f"line {number}" for number in range(1000)]

    async def conversation(client):
        await client.list_tools()  # with the schemas, by which the client checks results
        return await client.call_tool("get_running_cfg", {"device": "R1"})

    result = talk(server, conversation)
    assert "line 999" in json.loads(result.content[0].text)["running_config"]
    assert result.structured_content == json.loads(result.content[0].text)


def test_refusals_and_a_used_up_budget_are_told_as_errors_of_the_tool(server):
    async def conversation(client):
        said = []
        for name, arguments in [
            ("get_running_cfg", {"device": "R9"}),
            ("get_running_cfg", {"devise": "R1"}),
            ("no_such_tool", {}),
            *[("get_topology", {})] * 5,
        ]:
            result = await client.call_tool(name, arguments)
            said.append((bool(result.is_error), result.content[0].text))
        return said

    said = talk(server, conversation)
    assert [error for error, _ in said[:4]] == [True, True, True, False]
    assert "R9" in said[0][1]
    assert "unknown parameter 'devise'" in said[1][1] or "required" in said[1][1]
    assert said[2][1].startswith("unknown tool 'no_such_tool' (known: get_topology, ")
    assert said[-1][0]
    assert "calls" in said[-1][1]
    assert "judged as it is now" in said[-1][1]


def test_the_url_is_a_secret_and_other_hosts_names_are_refused(ani, tmp_path):
    import http.client
    from urllib.parse import urlsplit

    with serve(ani) as socket, McpServer(socket.path, tmp_path) as server:
        url = urlsplit(server.url)
        assert url.hostname == "127.0.0.1"
        assert len(url.path.split("/")[1]) >= 20
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        statuses = []
        for path, host in [("/mcp", None), ("/x/mcp", None), (url.path, "evil.example")]:
            line = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
            line.request("POST", path, body, headers if host is None else {**headers, "Host": host})
            statuses.append(line.getresponse().status)
            line.close()
    assert statuses == [404, 404, 421]


def test_the_server_of_a_trial_ends_with_it(ani, tmp_path):
    with serve(ani) as socket, McpServer(socket.path, tmp_path) as server:
        pid = server._process.pid
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()


def test_without_a_socket_the_server_says_why_it_does_not_start(tmp_path, capsys):
    with pytest.raises(InfrastructureError, match=r"did not start: netbench: no ANI answers at .*/none"):
        McpServer(tmp_path / "none", tmp_path)
    assert main(["mcp", str(tmp_path / "none")]) == 3
    assert "no ANI answers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "words"), [("eighty", "is no [HOST:]PORT"), ("0.0.0.0:80", "only addresses of this machine")]
)
def test_a_wrong_address_is_refused(address, words, capsys):
    try:
        status = main(["mcp", "socket", "--http", address])
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert words in capsys.readouterr().err


def test_stdout_of_the_stdio_server_has_only_messages(ani, desk):
    with serve(ani, desk=desk) as socket:
        done = subprocess.run(
            [sys.executable, "-m", "pytest_netbench.cli", "mcp", str(socket.path)],
            input='{"jsonrpc":"2.0","id":1,"method":"ping"}\nnonsense\n',
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["jsonrpc"] for one in messages} == {"2.0"}
    assert 1 in [one.get("id") for one in messages]


CLIENT = """
import sys
import anyio
from mcp import Client

async def main(url):
    async with Client(url) as client:
        await client.call_tool("update_cfg", {"device": "R1", "commands": ["by mcp"]})
        print("configured by MCP")

anyio.run(main, sys.argv[1])
"""


def test_a_confined_program_works_over_mcp(ani, tmp_path):
    script = tmp_path / "client.py"
    script.write_text(CLIENT)
    section = {
        "command": [sys.executable, "{root}/client.py", "{mcp_url}"],
        "show": [str(Path(sys.prefix)), str(Path(sys.executable).resolve().parents[1])],
        "output": "text",
    }
    file = AgentFile.model_validate({"name": "mine", "strategy": "program", "program": section})
    submission = Program(file=file, root=tmp_path).run(brief_of(ani), ani)
    assert submission.reasoning == "configured by MCP"
    assert ani.configs["R1"] == ["a", "b", "by mcp"]
