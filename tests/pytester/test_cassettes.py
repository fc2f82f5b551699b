"""``--netbench-record`` and ``--netbench-replay``: what is refused, what misses, and what a replayed run says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.kept_answers import keep_answers
from tests.support.openai_server import Calls, OpenAIServer, Text

FILE = """\
model: openai/a
strategy: react
price: {input_per_token: 0.001, output_per_token: 0.01}
"""
AGENT = "--agent=agents/mine.agent.yaml"
REPAIR = ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"]
OWN = '''
from pytest_netbench.agents.llm import Llm
from pytest_netbench.model.trial import AgentInfo, Submission


class Base:
    @property
    def info(self):
        return AgentInfo(id=f"own.{type(self).__name__}", strategy="own")


class Asks(Base):
    """Asks by the client of this package, and goes on whatever happens."""

    def run(self, brief, ani):
        try:
            asked = [{"role": "user", "content": WORDS + brief.task_name}]
            text = Llm(model="openai/a").complete(asked, note=ani.note, wall_left=lambda: None).text
        except Exception:
            text = "nothing"
        return Submission(reasoning=text)


class AsksNobody(Base):
    def run(self, brief, ani):
        return Submission()


WORDS = "What is to be done? "
'''


def repairs(request):
    if not request.get("tools"):
        return Text("The filter was opened.")
    asked = sum(one["role"] == "tool" for one in request["messages"])
    return Calls(("update_cfg", {"device": "edge", "commands": REPAIR})) if not asked else Text("task done")


@pytest.fixture
def mine(bench, monkeypatch):
    """An agent file, a class, a task, and no key."""
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "mine.agent.yaml").write_text(FILE)
    (bench.path / "own.py").write_text(OWN)
    bench.task("a", task_name="a")
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return bench


def replay(bench, *arguments, agent=AGENT):
    return bench.run(agent, "--netbench-replay=tapes", *arguments, timeout=200)


def record(bench, monkeypatch, *arguments, agent=AGENT):
    with OpenAIServer(repairs) as server, monkeypatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        return bench.run(agent, "--netbench-record=tapes", "--netbench-results=first", *arguments, timeout=200)


def cassettes(bench):
    return sorted((bench.path / "tapes").rglob("*.json"))


def test_a_run_is_replayed_with_no_key_and_says_so_everywhere(mine, monkeypatch, workers):
    mine.task("b", task_name="b")
    recorded = record(mine, monkeypatch, *workers, "--netbench-trials=2", "--netbench-save-baseline=baseline.json")
    recorded.assert_outcomes(passed=4)
    recorded.stdout.fnmatch_lines(["netbench: 4 trials recorded in tapes"])
    assert len(cassettes(mine)) == 4
    assert not [path for path in cassettes(mine) if "key-of-the-test-server" in path.read_text()]
    (mine.path / "conftest.py").write_text("import sys\nsys.modules['litellm'] = None\n")
    replayed = replay(
        mine,
        *("--netbench-trials=2", "--netbench-results=again", "--junitxml=j.xml"),
        *("--netbench-baseline=baseline.json", "--netbench-max-cost=0.01", *workers),
    )
    replayed.assert_outcomes(passed=4)
    assert replayed.ret == 0
    replayed.stdout.fnmatch_lines_random(
        [
            "replayed: 4 of 4 trials; cost and tokens are those of the recordings",
            "netbench: 4 trials replayed from tapes: usage is that of the recording, no model was asked and nothing*",
            "netbench: the run spent 0 USD and 0 tokens",
            "*4 of 4 trials were replayed from cassettes: the model was not asked*",
        ]
    )
    was, now = mine.results("first"), mine.results("again")
    assert [one["usage"] for one in now] == [one["usage"] for one in was]
    assert now[0]["usage"]["cost_usd"] == pytest.approx(3 * (100 * 0.001 + 10 * 0.01))
    assert {one["replayed"]["requests"] for one in now} == {3}
    assert {one["replayed"] for one in was} == {None}
    assert (mine.path / "j.xml").read_text().count("netbench.replayed") == 4


def test_a_trial_that_asks_something_else_is_no_score_and_the_run_is_red(mine, monkeypatch):
    record(mine, monkeypatch)
    (mine.path / "agents" / "mine.agent.yaml").write_text(FILE + "prompt: other.md\n")
    (mine.path / "agents" / "other.md").write_text("Do as you like.\n")
    missed = replay(mine, "--netbench-results=again")
    missed.assert_outcomes(errors=1)
    missed.stdout.fnmatch_lines_random(
        [
            "*tapes/mine/a-*.1.json has no answer to request 1 of the agent to openai/a; this trial is not scored*",
            "*first difference in message 1 of 2 (recorded: 2), role system:*",
            "*+Do as you like.*",
            "netbench: 1 trials do not fit their cassettes and were not scored: record them again*",
        ]
    )
    (result,) = mine.results("again")
    assert (result["status"], result["scores"]) == ("error", [])
    assert result["replayed"]["requests"] == 0


def test_cassettes_of_other_versions_of_the_tasks_are_refused_before_the_first_lab(mine, monkeypatch, workers):
    mine.task("b", task_name="b")
    record(mine, monkeypatch)
    deployed = len(mine.labs())
    mine.task("b", task_name="b", difficulty="hard", budget={"calls": 7})
    refused = replay(mine, *workers)
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        [
            "ERROR: --netbench-replay=tapes: 1 of 2 trials have a cassette of another version of their task:",
            "  tapes/mine/b-*.1.json: tasks/access/b.task.yaml::b (recorded at digest *, now *)",
            "Record them again with --netbench-record=tapes, or undo the change of the tasks.",
        ]
    )
    assert len(mine.labs()) == deployed
    replay(mine, "-k", "a.task", *workers).assert_outcomes(passed=1)


def test_a_miss_is_an_error_although_a_gate_would_accept_it(mine, monkeypatch):
    for number in range(9):
        mine.task(f"t{number}", task_name=f"t{number}")
    record(mine, monkeypatch, "--netbench-save-baseline=baseline.json")
    (lost,) = [path for path in cassettes(mine) if path.name.startswith("t7-")]
    lost.unlink()
    judged = replay(mine, "--netbench-baseline=baseline.json")
    judged.assert_outcomes(passed=9, errors=1)
    judged.stdout.fnmatch_lines(
        ["*no cassette of trial 1 of agent 'mine' at tasks/access/t7.task.yaml::t7; record it*"]
    )
    assert judged.ret != 0


def test_a_class_is_replayed_if_it_asks_by_our_client_and_its_miss_cannot_be_hidden(mine, monkeypatch):
    recorded = record(mine, monkeypatch, "--agent=own:Asks", agent="--agent=own:AsksNobody")
    recorded.assert_outcomes(failed=1, errors=1)
    recorded.stdout.fnmatch_lines(["*own.AsksNobody asked no model by pytest_netbench.agents.llm.Llm*"])
    recorded.stdout.fnmatch_lines(["netbench: 1 trials ended in an error and were not recorded"])
    assert len(cassettes(mine)) == 1
    again = replay(mine, "--netbench-results=again", agent="--agent=own:Asks")
    again.assert_outcomes(failed=1)
    assert mine.results("again")[0]["replayed"]["requests"] == 1
    (mine.path / "own.py").write_text(OWN.replace("What is to", "What has to"))
    missed = replay(mine, "--netbench-results=third", agent="--agent=own:Asks")
    missed.assert_outcomes(errors=1)
    missed.stdout.fnmatch_lines(["*-What is to be done? a*", "*+What has to be done? a*"])


def test_a_drawn_task_that_is_stored_as_a_file_is_found_by_its_draw(mine):
    drawn = {"generator": "repair-routing", "seed": 7, "index": 2, "label": "DR", "level": 1}
    mine.task("a", task_name="a", drawn=drawn)
    asked = [{"role": "user", "content": "What is to be done? a"}]
    tapes, name = mine.path / "tapes", "repair-routing[s7-0002-DR]"
    keep_answers(tapes, "Nothing.", agent="own.Asks", name=name, asked=asked)
    replay(mine, "--netbench-results=again", agent="--agent=own:Asks").assert_outcomes(failed=1)
    (result,) = mine.results("again")
    assert (result["status"], result["replayed"]["requests"]) == ("failed", 1)
    assert result["replayed"]["cassette"].startswith("tapes/own.Asks/repair-routing-s7-0002-DR")


def test_a_torn_or_foreign_file_is_an_error_of_its_trial(mine, monkeypatch):
    record(mine, monkeypatch)
    (path,) = cassettes(mine)
    text = path.read_text()
    for broken, words in (
        (text[:-20], "*not a cassette: Invalid JSON*"),
        (text.replace('"format": 1', '"format": 99'), "*not a cassette: format: Input should be 1*"),
        (json.dumps({**json.loads(text), "tools": {}}), "*not a cassette: entry 1 refers to messages or tools*"),
    ):
        path.write_text(broken)
        result = replay(mine)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines([words])
    assert mine.labs() == mine.labs()[:1], "no lab is deployed for a replay that cannot be"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((AGENT, "--netbench-record=x", "--netbench-replay=x"), "*give one of them*"),
        ((AGENT, "--netbench-replay=nowhere"), "*nowhere: no such directory of cassettes*"),
        ((AGENT, "--netbench-replay=tasks"), "*has no cassettes (AGENT/TASK.TRIAL.json)*"),
        ((AGENT, "--netbench-record=own.py"), "*--netbench-record: *own.py is not a directory*"),
        ((AGENT, "--netbench-replay-pace=0"), "*--netbench-replay-pace is about replayed answers*"),
        (("--agent=oracle", "--netbench-record=x"), "*--agent=oracle asks no model, so there is nothing to record*"),
        (
            ("--agent=claude-code", "--netbench-replay=x"),
            "*--agent=claude-code is a program with a model client of its own*",
        ),
        (("--netbench-replay=x",), "*--netbench-replay is about an agent: give --agent, too*"),
        ((AGENT, "--netbench-record=x"), "*openai/a needs a key. Fix: export OPENAI_API_KEY=*"),
    ],
)
def test_what_cannot_be_recorded_or_replayed_is_refused_before_any_lab(mine, arguments, words):
    refused = mine.run(*arguments, timeout=200)
    assert refused.ret == 4
    refused.stderr.fnmatch_lines([words])
    assert mine.labs() == []


def test_cassettes_in_the_directories_of_shards_are_merged_and_can_be_replayed(mine, monkeypatch):
    for name in ("b", "c"):
        mine.task(name, task_name=name)
    with OpenAIServer(repairs) as server, monkeypatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        for shard in ("1", "2"):
            place = (f"--netbench-results=s{shard}", f"--netbench-record=s{shard}/cassettes")
            mine.run(AGENT, f"--netbench-shard={shard}/2", *place, timeout=200)
    command = [sys.executable, "-m", "pytest_netbench.cli", "merge", "s1", "s2", "-o", "merged"]
    subprocess.run(command, cwd=mine.path, check=True, capture_output=True, timeout=60)
    again = mine.run(
        AGENT,
        "--netbench-replay=merged/cassettes",
        "--netbench-replay-pace=0",
        "--netbench-results=replayed",
        timeout=200,
    )
    again.assert_outcomes(passed=3)
