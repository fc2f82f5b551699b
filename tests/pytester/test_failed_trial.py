"""What the terminal shows of a trial that failed: at most 25 lines, once; ``-v`` shows all."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

MOST = 25
AGENTS = """
import sys

from pytest_netbench.model.trial import AgentInfo, Submission


class Base:
    @property
    def info(self):
        return AgentInfo(id=type(self).__name__, strategy="own")


class Loud(Base):
    def run(self, brief, ani):
        for number in range(1000):
            print("line", number)
        print("the last word", file=sys.stderr)
        raise ValueError("bad\\n" * 40)


class Quiet(Base):
    def run(self, brief, ani):
        ani.get_topology()
        ani.update_cfg("edge", ["no deny tcp 80 any", "nonsense"])
        return Submission(stop_reason="I cannot find the data centre")
"""


@pytest.fixture
def many(bench, monkeypatch):
    """A task of nine testcases, on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    (bench.path / "loud.py").write_text(AGENTS)
    routes = [
        {
            "kind": "route",
            "name": f"the edge knows network {number} of the data centre",
            "intent": 2,
            "device": "edge",
            "prefix": f"10.{number}.0.0/16",
            "next_hops": ["10.0.2.10"],
            "within_s": 0.1,
        }
        for number in range(9)
    ]
    bench.task("many", testcases=routes)
    return bench


def block(result: pytest.RunResult, item: str) -> list[str]:
    """The lines of one failure, with its heading."""
    lines = result.outlines
    begin = next(at for at, line in enumerate(lines) if re.fullmatch(rf"_+ {re.escape(item)} _+", line))
    end = next(at for at in range(begin + 1, len(lines)) if re.match(r"_{3,} |={3,} ", lines[at]))
    return lines[begin:end]


@pytest.mark.parametrize("agent", ["nop", "loud:Loud", "loud:Quiet"])
def test_a_failed_trial_of_nine_testcases_takes_at_most_25_lines_and_says_each_thing_once(many, workers, agent):
    result = many.run(f"--agent={agent}", *workers)
    result.assert_outcomes(failed=1)
    lines = block(result, f"many[{agent.replace(':', '.')}]")
    assert sum(max(1, -(-len(line) // 80)) for line in lines) <= MOST
    assert lines.count("9 of 9 testcases failed:") == 1
    (first,) = [line for line in lines if "network 0 of" in line]
    assert first == "  the edge knows network 0 of the data centre [route]"
    at = lines.index(first)
    assert lines[at + 1].startswith("    expected: 10.0.0.0/16 via 10.0.2.10")
    assert lines[at + 2].startswith("    actual:   no route to 10.0.0.0/16")
    text = "\n".join(result.outlines)
    assert text.count("network 0 of the data centre [route]") == 1
    assert "intent:" not in text
    assert "netbench testcases" not in text


def test_it_begins_with_how_the_agent_ended_and_what_it_did_and_ends_with_where_the_rest_is(many, workers):
    lines = block(many.run("--agent=loud:Quiet", *workers), "many[loud.Quiet]")
    lines = [line for line in lines[1:] if not line.startswith("[gw")]
    assert re.match(r"agent:      gave up after \S+: the agent ended without being done: I cannot", lines[0])
    told = [line for line in lines if re.match(r"(did|changed|time): ", line)]
    assert told[:2] == [
        "did:        2 calls (get-topology 1, update-cfg 1), 2 commands (1 refused)",
        "changed:    edge",
    ]
    assert re.match(r"time:       \S+ = deploy \S+ \+ agent \S+ \+ evaluation \S+$", told[2])
    (transcript,) = (line.split(maxsplit=1)[1] for line in lines if line.startswith("transcript:"))
    assert (many.path / transcript).is_file()
    assert lines[-1] == "show all:   netbench show 'many[loud.Quiet]'"


def test_a_crash_stands_above_the_testcases_and_its_output_is_cut_to_the_end(many):
    result = many.run("--agent=loud:Loud")
    lines = block(result, "many[loud.Loud]")
    assert re.match(r"agent:      crash after \S+: ValueError: bad", lines[1])
    assert "line 0" not in lines
    assert lines[-1] == "the last word"
    assert any("last 4 of 1001 lines (-v: all)" in line for line in lines)
    result.stdout.fnmatch_lines(["FAILED *many[[]loud.Loud[]] - the agent failed: *"])


def test_verbose_shows_all_of_it(many, workers):
    result = many.run("--agent=loud:Loud", "-v", *workers)
    lines = block(result, "many[loud.Loud]")
    assert sum(line.startswith("    intent:   2. The edge knows") for line in lines) == 9
    assert "line 0" in lines
    assert re.match(r"agent:      crash after \S+: ValueError: bad", lines[2 if workers else 1])
    assert any("netbench scores" in line for line in lines)
    assert sum("expected: 10.0.0.0/16" in line for line in lines) == 1, "once"


def test_other_styles_of_tracebacks_are_kept(many):
    assert not any(line.startswith("agent: ") for line in many.run("--agent=nop", "--tb=no").outlines)
    only = many.run("--agent=nop", "--tb=line")
    assert not any(line.startswith("agent: ") for line in only.outlines)
    only.stdout.fnmatch_lines(["*many.task.yaml:1: 9 of 9 testcases failed: *"])
    assert len(block(many.run("--agent=nop", "--tb=short"), "many[nop]")) <= MOST
    assert len(block(many.run("--agent=nop", "-q"), "many[nop]")) <= MOST


def test_junit_and_ctrf_have_the_whole_failure(many, workers):
    many.run("--agent=nop", "--junitxml=out.xml", "--netbench-ctrf=out.json", *workers)
    (failure,) = ET.parse(many.path / "out.xml").getroot().iter("failure")
    assert failure.get("message").startswith("9 of 9 testcases failed: the edge knows")
    assert failure.text.count("expected: ") == 9
    assert (many.path / "out.json").read_text().count("expected: ") == 9


def test_the_command_that_a_failure_names_shows_the_rest(many, capfd):
    many.run("--agent=nop", "--netbench-results=out dir")
    line = block(many.run("--agent=nop", "--netbench-results=out dir"), "many[nop]")[-1]
    assert line == "show all:   netbench show 'many[nop]' 'out dir'"
    shown = many.pytester.run("bash", "-c", line.partition(":")[2].replace("netbench", "python -m pytest_netbench.cli"))
    assert shown.ret == 0
    assert sum(one.startswith("    intent:   2.") for one in shown.outlines) == 9


def test_an_infrastructure_error_is_short(bench, workers):
    bench.task("reach")
    lines = block(bench.run("--agent=mine:LabDies", *workers), "ERROR at setup of reach[mine.LabDies]")
    assert len(lines) <= 5
    assert any("the supervisor is gone" in line for line in lines)
