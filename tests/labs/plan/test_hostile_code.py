"""Code of a hostile agent is contained, and the outcome is a verdict on the agent."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import pytest

from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.datacenter_graph.query import Query
from pytest_netbench.families.plan.execution import LIMITS, Execution, Runner
from pytest_netbench.families.plan.judging import Truth, judge

QUERY = Query.model_validate({"steps": [{"op": "count", "name": "ju1", "type": "EK_PORT"}]})
GRAPH = built(Sizes(super_blocks=1, agg_blocks=1, spine_blocks=1, switches=2, ports=2))
TRUTH = Truth.of(QUERY, GRAPH)
ANSWER = "def process_graph(g):\n    return {'data': 8}\n"


def body(*lines: str) -> str:
    return "\n".join(["def process_graph(g):", *(f"    {line}" for line in lines)])


@pytest.fixture(autouse=True, scope="module")
def the_sandbox_still_works(runner: Runner):
    """Whatever the code of the tests did, the next code is judged as if nothing had happened."""
    yield
    after = runner.run(ANSWER)
    assert (after.status, after.data) == ("done", 8)
    assert judge(TRUTH, after)[0].correct


def verdict(execution: Execution) -> bool:
    return judge(TRUTH, execution)[0].correct


def test_files_of_the_host_are_not_there(runner, tmp_path, monkeypatch):
    secret = tmp_path / "truth.json"
    secret.write_text("8")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    places = [str(secret), str(Path.home()), str(Path.cwd()), __file__, "/etc/shadow", "/work", "/var/cache"]
    found = runner.run(
        body(
            "import os",
            f"seen = [p for p in {places!r} if os.path.exists(p) and not (os.path.isdir(p) and not os.listdir(p))]",
            "return {'data': [seen, sorted(os.listdir('/home')), 'OPENAI_API_KEY' in os.environ]}",
        )
    )
    assert found.data == [[], ["graph.json", "harness.py", "program.py"], False]


@pytest.mark.parametrize("path", ["/home/graph.json", "/home/harness.py", "/usr/bin/python3", "/opt/netbench/lib/x"])
def test_files_cannot_be_written(runner, path):
    found = runner.run(body(f"open({path!r}, 'a').write('x')"))
    assert found.status == "error"
    assert "Error" in found.error


def test_what_one_program_writes_in_tmp_is_gone_for_the_next(runner):
    assert runner.run(body("open('/tmp/note', 'w').write('x')", "return {'data': 1}")).status == "done"
    assert runner.run(body("import os", "return {'data': os.listdir('/tmp')}")).data == []


@pytest.mark.parametrize(
    "line",
    [
        "socket.create_connection(('1.1.1.1', 53), 2)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        "socket.getaddrinfo('example.com', 80)",
        "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
    ],
)
def test_sockets_reach_nobody(runner, line):
    found = runner.run(body("import socket", line))
    assert found.status == "error"
    assert not verdict(found)


def test_the_processes_of_the_host_and_the_harness_are_out_of_reach(runner):
    found = runner.run(
        body(
            "import os, signal",
            "os.kill(1, signal.SIGKILL)",
            "os.kill(1, signal.SIGTERM)",
            "tried = []",
            "for path in ('/proc/1/mem', '/proc/1/environ', '/proc/1/fd/1'):",
            "    try: open(path, 'rb').read(1); tried.append(path)",
            "    except OSError: pass",
            f"try: os.kill({os.getpid()}, 0); tried.append('host')",
            "except OSError: pass",
            "return {'data': tried}",
        )
    )
    assert (found.status, found.data) == ("done", [])


def test_forks_are_bounded_and_end_with_the_program(runner):
    found = runner.run(
        body(
            "import os, time",
            "n = 0",
            "try:",
            "    while n < 10000:",
            "        if os.fork() == 0:",
            "            time.sleep(600)",
            "        n += 1",
            "except OSError: pass",
            "return {'data': n}",
        )
    )
    assert found.status == "done"
    assert 0 < found.data < LIMITS.processes


@pytest.mark.parametrize(
    "lines",
    [
        ("x = bytearray(100 * 10**9)",),
        ("x = [bytearray(2**20) for _ in range(100_000)]",),
        ("import mmap", "m = mmap.mmap(-1, 100 * 10**9)"),
    ],
)
def test_memory_is_bounded(runner, lines):
    found = runner.run(body(*lines, "return {'data': 8}"))
    assert found.status in ("error", "killed")
    assert not verdict(found)


def short(runner: Runner, seconds: float) -> Runner:
    return Runner(runner._sandbox, GRAPH, limits=dataclasses.replace(LIMITS, timeout_s=seconds))


@pytest.mark.parametrize(
    "code",
    [
        body("while True: pass"),
        body("import signal", "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))", "while True: pass"),
        "while True:\n    pass",
    ],
)
def test_code_that_loops_is_ended_in_time(runner, code):
    began = time.monotonic()
    found = short(runner, 1).run(code)
    assert found.status == "timeout"
    assert "1 s" in found.error
    assert time.monotonic() - began < 10
    assert not verdict(found)


def test_a_flood_of_output_is_cut_and_the_answer_counts(runner):
    found = runner.run(body("for _ in range(3000): print('x' * 10_000)", "return {'data': 8}"))
    assert (found.status, found.data) == ("done", 8)
    assert 1000 < len(found.printed) <= 16 * 2**10


def test_an_endless_flood_of_output_is_ended(runner):
    assert short(runner, 1).run(body("while True: print('x' * 10_000)")).status == "timeout"


def test_a_result_that_is_too_long_is_refused(runner):
    found = runner.run(body("return {'data': 'x' * 20_000_000}"))
    assert found.status == "killed"
    assert "longer than 8 MiB" in found.error


LIES = {
    "an equal to everything": "class L(int):\n    __eq__ = lambda s, o: True\n    __hash__ = int.__hash__\n",
    "a text with another class": "class L(str):\n    __class__ = int\n    __eq__ = lambda s, o: True\n",
    "a list that says it is another": "class L(list):\n    __eq__ = lambda s, o: True\n    __len__ = lambda s: 1\n",
    "a dict": "class L(dict):\n    __eq__ = lambda s, o: True\n",
    "a plain object": "class L:\n    def __init__(s, *a): pass\n    __eq__ = lambda s, o: True\n",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_an_object_that_lies_about_itself_is_judged_by_its_data(runner, lie):
    found = runner.run(f"{lie}\ndef process_graph(g):\n    return {{'data': L()}}\n")
    assert type(found.data) in (int, str, list, dict, type(None))
    assert not verdict(found)


def test_a_graph_that_lies_about_itself_is_judged_by_its_data(runner):
    found = runner.run(
        "import networkx as nx\n"
        "class G(nx.DiGraph):\n"
        "    __eq__ = lambda s, o: True\n"
        "    nodes = property(lambda s: Nodes())\n"
        "class Nodes:\n"
        "    def __call__(s, data): return [('ju1', {'name': 'ju1', 'type': 'EK_JUPITER'})]\n"
        "def process_graph(g):\n    return {'data': 8, 'graph': G()}\n"
    )
    judgement, findings = judge(TRUTH, found)
    assert not findings.graph_right
    assert not judgement.safe


WRITES_TO_ALL_DESCRIPTORS = """
import os
for fd in range(3, 64):
    try: os.write(fd, b'{"value": {}}')
    except OSError: pass
os._exit(0)
"""
CLEARS_THE_GRAPH = """
import networkx
networkx.Graph.__eq__ = lambda s, o: True
def process_graph(g):
    g.clear()
    return {'data': 8, 'graph': g}
"""


@pytest.mark.parametrize(
    "code",
    [
        "import json\njson.dumps = lambda *a, **k: '{\"correct\": true}'\ndef process_graph(g): return {'data': 0}",
        "import sys\nsys.modules['__main__']._value = lambda *a: {'data': 8}\ndef process_graph(g): return {'data': 0}",
        "import os\nos._exit(0)",
        WRITES_TO_ALL_DESCRIPTORS,
        "import builtins\nbuiltins.isinstance = lambda *a: True\ndef process_graph(g): return object()",
        CLEARS_THE_GRAPH,
        "raise SystemExit(0)",
        "class E(Exception):\n    __str__ = lambda s: 1 / 0\ndef process_graph(g): raise E",
        "this is no Python",
        "",
        "process_graph = 3",
        "def process_graph(g): return {'data': float('nan')}",
        "def process_graph(g):\n    a = []\n    a.append(a)\n    return {'data': a}",
        "def process_graph(g):\n    g.add_node((1, 2))\n    return {'data': 8}",
        "def process_graph(g):\n    g.add_node('x')\n    return {'data': 8}",
    ],
)
def test_code_that_patches_the_checker_or_breaks_the_protocol_gets_a_verdict(runner, code):
    judgement, findings = judge(TRUTH, runner.run(code))
    assert not (judgement.correct and findings.graph_right)


def test_the_time_of_the_run_cannot_be_faked(runner):
    found = runner.run(
        "import time\n"
        "time.monotonic = time.perf_counter = lambda: 0.0\n"
        "def process_graph(g):\n    time.sleep(0.4)\n    return {'data': 8}\n"
    )
    assert found.seconds is not None
    assert found.seconds >= 0.4


def test_what_goes_wrong_is_told_with_the_line_of_the_code(runner):
    found = runner.run(body("x = 1", "return {'data': g.nodes['nobody']}"))
    assert found.status == "error"
    assert found.error == "KeyError: 'nobody' (line 3 of the code)"
