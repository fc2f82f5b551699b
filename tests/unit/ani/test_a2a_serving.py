"""The ANI as an A2A agent, driven by the SDK's own client."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import uuid
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_artifact_text, get_data_parts, get_message_text, new_data_message, new_text_message
from a2a.server.context import ServerCallContext
from a2a.types import GetTaskRequest, Role, SendMessageRequest, Task, TaskState

from pytest_netbench.ani.a2a import serving
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.submission import SubmissionMethods
from pytest_netbench.cli.main import main
from pytest_netbench.lab.jsonrpc import MAX_MESSAGE_BYTES
from pytest_netbench.model.task import Budget
from tests.support.memory_ani import MemoryAni, brief_of


@pytest.fixture(scope="module")
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["a", "b"], "R2": []}, budget=Budget(calls=40))


@pytest.fixture(scope="module")
def desk(ani) -> SubmissionMethods:
    return SubmissionMethods(brief_of(ani), text="make R1 reach R2")


@pytest.fixture(scope="module")
def url(ani, desk):
    """Where the command serves."""
    with serve(ani, desk=desk) as socket:
        command = [sys.executable, "-m", "pytest_netbench.cli", "a2a", str(socket.path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            yield process.stdout.readline().strip()
            process.kill()


def talk(url, conversation, **config):
    """Let ``conversation`` talk to the agent by the SDK's client."""

    async def run():
        with anyio.fail_after(60):
            async with await create_client(url, ClientConfig(**config)) as client:
                return await conversation(client)

    return anyio.run(run)


async def answer(client, message):
    """The task that answers ``message``."""
    events = [event async for event in client.send_message(SendMessageRequest(message=message))]
    (task_id,) = {one.task.id or one.status_update.task_id or one.artifact_update.task_id for one in events}
    return await client.get_task(GetTaskRequest(id=task_id))


async def call(client, method, **params):
    """The result of a request, or the error."""
    task = await answer(client, new_data_message({"method": method, "params": params}, role=Role.ROLE_USER))
    parts = task.artifacts[0].parts if task.artifacts else task.status.message.parts
    (value,) = get_data_parts(parts)
    return TaskState.Name(task.status.state), value


@pytest.mark.parametrize("streaming", [True, False])
def test_a_client_that_is_not_ours_works_on_the_network_and_hands_in(url, ani, desk, streaming):
    async def conversation(client):
        task = await answer(client, new_text_message("what is the task?", role=Role.ROLE_USER))
        changed = await call(client, "update-cfg", device="R2", commands=["c", "invalid d"])
        shown = await call(client, "get-running-cfg", device="R2")
        done = await call(client, "task-done", reasoning=f"streaming {streaming}")
        return task, changed, shown, done

    ani.configs["R2"] = []
    task, changed, shown, done = talk(url, conversation, streaming=streaming)
    assert task.artifacts[0].name == "get-brief"
    assert get_artifact_text(task.artifacts[0]) == "make R1 reach R2"
    (brief,) = get_data_parts(task.artifacts[0].parts)
    assert brief["devices"].keys() == {"R1", "R2"}
    assert [one["status"] for one in changed[1]["results"]] == ["success", "error"]
    assert (shown[0], done) == ("TASK_STATE_COMPLETED", ("TASK_STATE_COMPLETED", {"ok": True}))
    assert ani.configs["R2"] == ["c"]
    assert desk.submission.reasoning == f"streaming {streaming}"


def test_the_card_has_the_methods_as_skills(url):
    with httpx.Client(timeout=10) as client:
        card = client.get(f"{url}/.well-known/agent-card.json").json()
    skills = {one["id"]: one["description"] for one in card["skills"]}
    names = {"get-topology", "get-running-cfg", "update-cfg", "execute-cmd", "budget-left", "get-brief", "task-done"}
    assert set(skills) == names
    assert skills["update-cfg"].endswith("Parameters: device, commands.")
    assert skills["get-topology"].endswith("Parameters: devices (optional), page (optional).")
    assert {one["url"] for one in card["supportedInterfaces"]} == {url}


@pytest.mark.parametrize(
    ("data", "words", "code"),
    [
        ({"method": "get-running-cfg", "params": {"device": "R9"}}, "R9", None),
        ({"method": "update-cfg", "params": {"devise": "R1"}}, "unknown parameter 'devise'", -32602),
        ({"method": "no-such", "params": {}}, "unknown method 'no-such'", -32601),
        ({"methud": "get-topology"}, "a request has no 'methud' (known: 'method', 'params')", -32600),
        ({"method": 5}, "'method' must be a text", -32600),
        ({"method": "get-topology", "params": ["R1"]}, "'params' an object", -32600),
    ],
)
def test_a_refused_request_is_a_failed_task_with_the_reason(url, data, words, code):
    task = talk(url, lambda client: answer(client, new_data_message(data, role=Role.ROLE_USER)))
    assert task.status.state == TaskState.TASK_STATE_FAILED
    assert words in get_message_text(task.status.message)
    (value,) = get_data_parts(task.status.message.parts)
    assert words in value["error"]["message"]
    assert code is None or value["error"]["code"] == code


def test_a_used_up_budget_is_told_and_the_brief_still_answers():
    ani = MemoryAni({"R1": []}, budget=Budget(calls=1))

    async def conversation(client):
        return [await call(client, name) for name in ("get-topology", "get-topology", "budget-left", "get-brief")]

    with serve(ani, desk=SubmissionMethods(brief_of(ani), text="t")) as socket:
        command = [sys.executable, "-m", "pytest_netbench.cli", "a2a", str(socket.path), "--http", "localhost:0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            first, second, left, brief = talk(process.stdout.readline().strip(), conversation)
            process.kill()
    assert (first[0], second[0]) == ("TASK_STATE_COMPLETED", "TASK_STATE_FAILED")
    assert second[1]["error"]["code"] == -32001
    assert "judged as it is now" in second[1]["error"]["message"]
    assert left[1]["calls"] == 0
    assert brief[1]["text"] == "t"


def test_whole_numbers_stay_whole(url, ani):
    # the wire has one kind of number; a parameter that must be a text is refused as the number that it is
    async def conversation(client):
        return await call(client, "get-running-cfg", device=7)

    assert "'device' must be a string, not a number" in talk(url, conversation)[1]["error"]["message"]
    assert ani.steps[-1].data["params"] == {"device": 7}
    assert isinstance(ani.steps[-1].data["params"]["device"], int)


def test_old_answers_are_dropped():
    async def fill():
        store, context = serving._Recent(), ServerCallContext()
        for number in range(serving.KEPT_TASKS + 1):
            for _ in range(2):
                await store.save(Task(id=str(number)), context)
        return [await store.get(str(number), context) is not None for number in (0, 1, serving.KEPT_TASKS)]

    assert anyio.run(fill) == [False, True, True]


def test_a_client_of_version_0_3_is_answered(url):
    message = {
        "kind": "message",
        "messageId": str(uuid.uuid4()),
        "role": "user",
        "parts": [{"kind": "data", "data": {"method": "budget-left"}}],
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}
    with httpx.Client(timeout=10) as client:
        result = client.post(url, json=request).json()["result"]
    assert result["status"]["state"] == "completed"
    assert "calls" in result["artifacts"][0]["parts"][0]["data"]


def test_the_url_is_a_secret_and_what_is_wrong_is_refused(url):
    where = urlsplit(url)
    assert where.hostname == "127.0.0.1"
    assert len(where.path) >= 20
    headers = {"Content-Type": "application/json"}
    said = []
    for path, host, body in [
        ("/", None, "{}"),
        ("/.well-known/agent-card.json", None, None),
        (where.path, "evil.example", "{}"),
        (where.path, None, "x" * (MAX_MESSAGE_BYTES + 1)),
        (where.path, None, "nonsense"),
        (where.path, None, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "NoSuch"})),
    ]:
        line = http.client.HTTPConnection(where.hostname, where.port, timeout=10)
        line.request("GET" if body is None else "POST", path, body, headers | ({} if host is None else {"Host": host}))
        response = line.getresponse()
        text = response.read().decode()
        said.append(json.loads(text)["error"]["code"] if response.status == 200 else response.status)
        line.close()
    assert said == [404, 404, 400, 413, -32700, -32601]


def test_without_a_socket_the_command_says_why(tmp_path, capsys):
    assert main(["a2a", str(tmp_path / "none")]) == 3
    assert "no ANI answers" in capsys.readouterr().err


def test_without_the_sdk_the_extra_is_named(monkeypatch, capsys):
    from pytest_netbench.agents.external import a2a_agent

    monkeypatch.setattr(a2a_agent, "find_spec", lambda name: None)
    assert main(["a2a", "socket"]) == 2
    assert main(["serve", "no.task.yaml", "--a2a"]) == 2
    remedy = "A2A needs its SDK (fix: pip install 'pytest-netbench[a2a]')"
    assert capsys.readouterr().err.count(remedy) == 2
