"""Agents that are A2A servers: what they are given, what they hand in, and how each way to fail ends."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import uvicorn

from pytest_netbench.agents.agentfile import AgentFile, load_agent_file
from pytest_netbench.agents.check import check_agent
from pytest_netbench.agents.external.a2a_agent import A2aAgent, submission_of
from pytest_netbench.ani.a2a.calling import Answer
from pytest_netbench.errors import AgentError, AgentFileError, BudgetExhausted, UsageError
from pytest_netbench.model.task import Budget
from tests.support import a2a_agents
from tests.support.memory_ani import MemoryAni, brief_of

SCRIPT = a2a_agents.__file__
ANSWER = {"type": "object", "properties": {"fault": {"type": "string"}}, "required": ["fault"]}


@pytest.fixture
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["a", "b"], "R2": []}, budget=Budget(wall_s=30))


def agent(*, root: Path | None = None, **section) -> A2aAgent:
    if "command" in section:
        section.setdefault("confine", False)
    file = AgentFile.model_validate({"name": "mine", "strategy": "a2a", "a2a": section})
    return A2aAgent(file=file, root=root or Path("/nowhere"))


def command(behaviour: str) -> list[str]:
    return [sys.executable, SCRIPT, behaviour, "{port}"]


@pytest.fixture
def served():
    """Serves agents of the SDK in a thread: starting a process for each would take seconds."""
    servers = []

    def serve(behaviour: str) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = a2a_agents.application(behaviour, f"{url}/")
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        servers.append((server, thread))
        return url

    yield serve
    for server, thread in servers:
        server.should_exit = server.force_exit = True
        thread.join(10)


def test_a_server_that_is_started_works_over_mcp_confined(ani, tmp_path):
    script = tmp_path / "agent.py"
    script.write_text(Path(SCRIPT).read_text())
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    seen = [sys.prefix, str(Path(sys.executable).resolve().parents[1]), *libraries]
    told = agent(
        command=[sys.executable, "{root}/agent.py", "by-mcp", "{port}"], confine=True, show=seen, root=tmp_path
    )
    submission = told.run(brief_of(ani), ani)
    assert (submission.reasoning, submission.stop_reason) == ("configured\nby MCP", "done")
    assert ani.configs == {"R1": ["a", "b", "by a2a"], "R2": ["by a2a"]}
    assert ani.notes[0].startswith("A2A agent by-mcp 1 at http://127.0.0.1:")
    assert "A2A task working: looking" in ani.notes


def test_a_server_that_runs_works_over_the_socket_and_hands_in_data(ani, served, monkeypatch):
    monkeypatch.setenv("SOLUTION", json.dumps({"R2": ["c"]}))
    brief = brief_of(ani).model_copy(update={"answer": ANSWER})
    submission = agent(url=served("by-socket")).run(brief, ani)
    assert submission.reasoning == "over the socket"
    assert submission.answer == {"fault": "x", "count": 2}
    assert isinstance(submission.answer["count"], int)
    assert (submission.usage.prompt_tokens, submission.usage.completion_tokens) == (10, 5)
    assert ani.configs["R2"] == ["c"]


@pytest.mark.parametrize("behaviour", ["turns", "turns-without-stream"])
def test_an_agent_without_tools_works_in_turns(ani, served, behaviour):
    submission = agent(url=served(behaviour), work="turns").run(brief_of(ani), ani)
    assert submission.reasoning == "Look first.\n\nNow change."
    assert ani.methods == ["execute-cmd", "update-cfg"]
    assert ani.configs["R1"] == ["a", "b", "by turns"]


def test_a_message_alone_is_a_submission(ani, served):
    assert agent(url=served("message")).run(brief_of(ani), ani).reasoning == "only a message"


def test_a_question_is_answered_that_nobody_answers(ani, served):
    submission = agent(url=served("asks-once")).run(brief_of(ani), ani)
    assert submission.reasoning == "told: Nobody answers questions: decide yourself, and complete the task."


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("failed", "says that it failed: out of ideas"),
        ("failed-without-stream", "says that it failed: out of ideas"),
        ("canceled", "canceled the task: it gave no reason"),
        ("rejected", "rejected the task: not my job"),
        ("auth-required", "asks for credentials, which this framework does not hand out"),
        ("asks", "asked 4 times for input, and nobody answers: may I?"),
        ("raises", "a bug"),
    ],
)
def test_what_an_agent_does_instead_of_completing_is_its_failure(ani, served, behaviour, words):
    work = "tools" if behaviour == "asks" else "turns"  # with tools, a server of MCP is started
    with pytest.raises(AgentError) as raised:
        agent(url=served(behaviour), work=work).run(brief_of(ani), ani)
    assert words in str(raised.value)


def test_data_that_is_no_submission_is_the_agents_failure_and_other_data_are_passed_over():
    words = "the data of the final artifact or message is no submission: answer: "
    with pytest.raises(AgentError, match=words):
        submission_of(Answer(text="", objects=({"answer": "not an object"},)))
    said = submission_of(Answer(text=" so ", objects=({"reasoning": "this"}, {"whatever": 1})))
    assert (said.reasoning, said.answer) == ("this", None)
    assert submission_of(Answer(text=" so ", objects=({"whatever": 1},))).reasoning == "so"


def test_answers_without_commands_end_the_turns(ani, served):
    with pytest.raises(AgentError, match="3 answers in a row were of no use") as raised:
        agent(url=served("nonsense-turns"), work="turns").run(brief_of(ani), ani)
    assert raised.value.submission.reasoning == "hm\n\nhm\n\nhm"


def test_a_hanging_agent_is_asked_to_stop_when_the_time_is_up(served):
    ani = MemoryAni({"R1": []}, budget=Budget(wall_s=1.5))
    began = time.monotonic()
    with pytest.raises(BudgetExhausted) as raised:
        agent(url=served("hangs"), work="turns").run(
            brief_of(ani).model_copy(update={"budget": Budget(wall_s=1.5)}), ani
        )
    assert time.monotonic() - began < 6
    assert (raised.value.limit, raised.value.allowed) == ("wall_s", 1.5)
    assert not [note for note in ani.notes if "was not canceled" in note]


def test_a_server_that_ends_or_does_not_start_is_told_with_its_last_words(ani):
    with pytest.raises(AgentError, match=r"its server ended with status 7: going down"):
        agent(command=command("exits"), work="turns").run(brief_of(ani), ani)
    with pytest.raises(AgentError, match=r"its server ended with status 1: no licence"):
        agent(command=command("does-not-start"), work="turns").run(brief_of(ani), ani)
    assert [note for note in ani.notes if "started once more, on another port" in note]


# what servers send that the SDK would not

CARD = {
    "name": "raw",
    "description": "",
    "version": "1",
    "capabilities": {"streaming": True},
    "skills": [],
    "defaultInputModes": [],
    "defaultOutputModes": [],
}


class Raw(BaseHTTPRequestHandler):
    """Answers as ``server.behaviour`` says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_): ...

    def do_GET(self):
        interface = {
            "url": f"http://127.0.0.1:{self.server.server_port}/",
            "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0",
        }
        card = json.dumps({**CARD, "supportedInterfaces": [interface]})
        self._send(self.server.card.get("body", card).encode(), self.server.card.get("status", 200))

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if request["method"] == "CancelTask":
            self._send(b"{}")
            return
        getattr(self, self.server.behaviour)(request)

    def _send(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def status_500(self, request):
        self._send(b"oops", 500)

    def invalid_json(self, request):
        self._send(b"{nonsense", Content_Type="application/json")

    def wrong_shape(self, request):
        self._send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"task": 5}}).encode())

    def error(self, request):
        error = {"code": -32603, "message": "inner trouble"}
        self._send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode())

    def nested(self, request):
        self._send(b'{"jsonrpc": "2.0", "result": ' + b"[" * 100_000)

    def huge(self, request):
        message = {"messageId": "1", "role": "ROLE_AGENT", "parts": [{"text": "x" * 50_000_000}]}
        self._send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"message": message}}).encode())

    def compressed(self, request):
        import gzip

        self._send(gzip.compress(b"{}"), Content_Encoding="gzip")

    def empty_stream(self, request):
        self._send(b"", Content_Type="text/event-stream")

    def redirect(self, request):
        self._send(b"", 307, Location="http://127.0.0.1:1/")

    def closes(self, request):
        self.close_connection = True

    def endless_events(self, request):
        self._stream(request, pause_s=0.05)

    def flood_of_events(self, request):
        self._stream(request, pause_s=0, filler="x" * 100_000)

    def silence(self, request):
        self.server.leaves.wait(30)

    def _stream(self, request, *, pause_s, filler=""):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        status = {"state": "TASK_STATE_WORKING", "message": {"messageId": "1", "parts": [{"text": f"on {filler}"}]}}
        update = {"statusUpdate": {"taskId": "1", "contextId": "1", "status": status}}
        line = f"data: {json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': update})}\n\n".encode()
        try:
            while not self.server.leaves.wait(pause_s):
                self.wfile.write(line)
        except OSError:
            self.close_connection = True


@pytest.fixture
def raw():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Raw)
    server.daemon_threads = True
    server.leaves = threading.Event()
    server.card = {}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.leaves.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("status_500", "HTTP Error 500"),
        ("invalid_json", "Invalid JSON-RPC response"),
        ("wrong_shape", "the A2A agent at http://127.0.0.1:"),
        ("error", "inner trouble"),
        ("nested", "the A2A agent at http://127.0.0.1:"),
        ("huge", "the A2A agent sent more than 16 MiB"),
        ("flood_of_events", "the A2A agent sent more than 16 MiB"),
        ("compressed", "sent a compressed answer"),
        ("empty_stream", "ended its answer without a message or a task"),
        ("redirect", "307"),
        ("closes", "Network communication error"),
    ],
)
def test_what_a_server_sends_that_is_no_answer_is_the_agents_failure(ani, raw, behaviour, words):
    raw.behaviour = behaviour
    with pytest.raises(AgentError) as raised:
        agent(url=f"http://127.0.0.1:{raw.server_port}", work="turns").run(brief_of(ani), ani)
    assert not isinstance(raised.value, BudgetExhausted)
    assert words in str(raised.value)
    assert len(str(raised.value)) < 1000


@pytest.mark.parametrize("behaviour", ["endless_events", "silence"])
def test_an_answer_that_does_not_end_is_limited_by_the_budget(raw, behaviour):
    ani = MemoryAni({"R1": []}, budget=Budget(wall_s=1.5))
    raw.behaviour = behaviour
    began = time.monotonic()
    with pytest.raises(BudgetExhausted):
        agent(url=f"http://127.0.0.1:{raw.server_port}", work="turns").run(brief_of(ani), ani)
    assert 1 < time.monotonic() - began < 8


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ({"status": 404}, "HTTP 404"),
        ({"body": "{nonsense"}, "Failed to parse JSON for agent card"),
        ({"body": "[]"}, "Agent card must be a JSON object"),
        ({"body": json.dumps(CARD)}, "no compatible transports found"),
        ({"body": "x" * 17_000_000}, "sent more than 16 MiB"),
    ],
)
def test_a_card_that_cannot_be_used_is_the_agents_failure(ani, raw, card, words):
    raw.card = card
    with pytest.raises(AgentError) as raised:
        agent(url=f"http://127.0.0.1:{raw.server_port}", work="turns").run(brief_of(ani), ani)
    assert words in str(raised.value)


def test_a_server_that_is_not_there_is_a_usage_error_before_the_run_and_a_failure_in_it(ani, tmp_path):
    path = tmp_path / "agents" / "mine.agent.yaml"
    path.parent.mkdir()
    path.write_text("strategy: a2a\na2a: {url: 'http://127.0.0.1:1'}\n")
    with pytest.raises(UsageError, match=r"agent 'mine': the A2A agent at http://127.0.0.1:1: .*server first"):
        check_agent("mine", rootdir=tmp_path)
    with pytest.raises(AgentError, match=r"the A2A agent at http://127.0.0.1:1: Network communication error"):
        agent(url="http://127.0.0.1:1").run(brief_of(ani), ani)


def test_without_the_sdk_the_extra_is_named(monkeypatch):
    from pytest_netbench.agents.external import a2a_agent

    monkeypatch.setattr(a2a_agent, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"A2A needs its SDK \(fix: pip install 'pytest-netbench\[a2a\]'\)"):
        agent(url="http://127.0.0.1:1").prepare()


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("", "strategy 'a2a' needs a section `a2a`"),
        ("a2a: {}", "`a2a` has either `url` or `command`"),
        ("a2a: {url: 'http://h', command: [a, '{port}']}", "`a2a` has either `url` or `command`"),
        ("a2a: {command: [server]}", "{port} is missing"),
        ("a2a: {url: 'ftp://h'}", "a2a.url"),
        ("a2a: {url: 'http://h', work: alone}", "a2a.work"),
    ],
)
def test_an_invalid_section_is_refused_with_the_reason(tmp_path, section, words):
    path = tmp_path / "mine.agent.yaml"
    path.write_text(f"strategy: a2a\n{section}\n")
    with pytest.raises(AgentFileError) as raised:
        A2aAgent(file=load_agent_file(path), root=tmp_path)
    assert words in str(raised.value)


def test_the_section_of_another_strategy_is_refused(tmp_path):
    path = tmp_path / "mine.agent.yaml"
    path.write_text("model: m\na2a: {url: 'http://h'}\n")
    with pytest.raises(AgentFileError, match="the section `a2a` is for `strategy: a2a`, not for 'react'"):
        load_agent_file(path)
