r"""Texts of an agent reach terminal, JUnit and results as visible escapes, and no text costs a verdict."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from pytest_netbench.results.rescore import rescore
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.text import clean

NASTY = r"\x1b]0;owned\x07\x1b[31m\x9b2J\x85\u202e\u2066\x7f\x00\x08\ud800\udfff\ufdd0\uffff\r"
AGENTS = f'''
import json, logging, socket, sys
from pytest_netbench.errors import AgentError
from pytest_netbench.model.trial import AgentInfo, Submission

NASTY = "{NASTY}"


class Base:
    @property
    def info(self):
        return AgentInfo(id=f"unsafe.{{type(self).__name__}}", strategy="own", settings={{"motto": NASTY, "n": 1e999}})


class Speaks(Base):
    def run(self, brief, ani):
        print(NASTY.encode("utf-8", "ignore").decode())
        logging.getLogger().warning("%s", NASTY.encode("utf-8", "ignore").decode())
        ani.note(NASTY)
        ani.add_completion({{NASTY: [NASTY, float("nan")]}}, tokens=1)
        for params in ({{NASTY: NASTY}}, {{"device": NASTY}}, {{"device": "edge", "commands": [NASTY]}}):
            for method in ("update-cfg", NASTY):
                try:
                    ani.call(method, params)
                except Exception:
                    pass
        ani.update_cfg("edge", ["\\x9b2J\\u202e is no command", "policy \\x85\\u2066\\uffff"])
        return Submission(reasoning=NASTY, stop_reason=NASTY, answer={{NASTY: object(), "n": float("inf"), "s": {{1}}}})


class Fails(Base):
    def run(self, brief, ani):
        raise AgentError(NASTY)


class Breaks(Base):
    def run(self, brief, ani):
        raise ValueError(NASTY)


class Calls(Base):
    """Speaks JSON-RPC, with a key and an id that are hard to write down."""

    def run(self, brief, ani):
        from pytest_netbench.ani.jsonrpc import serve

        self.answers = []
        with serve(ani) as server, socket.socket(socket.AF_UNIX) as client:
            client.connect(str(server.path))
            file = client.makefile("rwb")
            for text in (
                '{{"jsonrpc": "2.0", "method": "get-topology", "params": {{"\\\\ud800": 1}}, "id": 1}}',
                '{{"jsonrpc": "2.0", "method": "get-topology", "params": {{}}, "id": 1e999}}',
                '{{"jsonrpc": "2.0", "method": "get-topology", "params": {{"devices": [1e999]}}, "id": "\\\\ud800"}}',
                '{{"jsonrpc": "2.0", "method": "\\\\udfff", "params": {{}}, "id": 2}}',
            ):
                file.write(text.encode() + b"\\n")
                file.flush()
                ani.note("answered: " + file.readline().decode())
        return Submission()
'''
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def run(bench, agent: str, *arguments: str) -> tuple[str, int]:
    """What pytest writes to a pipe, as it writes it."""
    (bench.path / "unsafe.py").write_text(AGENTS)
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "tasks",
        f"--agent=unsafe:{agent}",
        "-rA",
        "--junitxml=junit.xml",
        *arguments,
    ]
    done = subprocess.run(
        argv, cwd=bench.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=90
    )
    return done.stdout.decode("utf-8"), done.returncode


@pytest.mark.parametrize(
    ("agent", "arguments"),
    [
        ("Speaks", ()),
        ("Fails", ("--tb=long",)),
        ("Breaks", ("-n1",)),
        ("Calls", ()),
        ("Speaks", ("-n1", "--tb=native")),
    ],
)
def test_nothing_an_agent_says_acts_on_a_terminal_or_a_parser(bench, agent, arguments):
    bench.task("reach")
    written, status = run(bench, agent, *arguments)
    assert status == pytest.ExitCode.TESTS_FAILED, written
    assert "1 failed" in written
    assert "error" not in written.splitlines()[-1]
    assert UNSAFE.findall(written) == []

    xml = (bench.path / "junit.xml").read_text(encoding="utf-8")
    assert UNSAFE.findall(xml) == []
    suite = ET.fromstring(xml)
    assert len(suite.findall(".//failure")) == 1

    (folder,) = (bench.path / ".netbench").iterdir()
    for path in (*folder.glob("*.jsonl"), *folder.glob("transcripts/*.json")):
        for line in path.read_text(encoding="utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
            kept = json.loads(line, parse_constant=pytest.fail)
            assert UNSAFE.findall(json.dumps(kept, ensure_ascii=False)) == []
    store = ResultsDir(folder)
    (result,) = store.results()
    assert result.status == "failed"
    assert store.record_of(result) is not None
    assert rescore(folder).unscored == ()


def test_the_escapes_say_what_was_there(bench):
    bench.task("reach")
    written, _ = run(bench, "Fails")
    whole = "".join(line.strip() for line in written.splitlines())  # the terminal wraps it
    # a pair of surrogates is one character for the JSON by which an agent's process tells its error
    assert r"\x1b]0;owned\x07\x1b[31m\x9b2J\x85\u202e\u2066\x7f\x00\x08" + "\U000103ff" in whole
    assert r"\ufdd0\uffff\x0d" in whole
    (result,) = bench.results()
    assert result["error"] == clean(NASTY.encode().decode("unicode_escape").replace("\ud800\udfff", "\U000103ff"))


def test_json_rpc_answers_a_surrogate_and_an_infinite_id_with_an_error_that_json_can_say(bench):
    bench.task("reach")
    run(bench, "Calls")
    (folder,) = (bench.path / ".netbench").iterdir()
    store = ResultsDir(folder)
    record = store.record_of(store.results()[0])
    notes = [step.data["text"].removeprefix("answered: ") for step in record.trace if step.kind == "note"]
    answers = [json.loads(note, parse_constant=pytest.fail) for note in notes]
    assert [answer["error"]["code"] for answer in answers] == [-32602, -32600, -32602, -32601]
    assert [answer["id"] for answer in answers] == [1, None, r"\ud800", 2] or answers[2]["id"] == "\ud800"
