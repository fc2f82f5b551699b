"""Agents that cannot start: one message before the first lab; in a gate the others are judged, and the run is red."""

from __future__ import annotations

import pytest

USAGE, REGRESSED = 4, 10
PATIENCE_S = 300
BROKEN = """\
import requestz
"""
FINE = """\
from pytest_netbench.model.trial import AgentInfo, Submission


class Fine:
    info = AgentInfo(id="fine", strategy="own")

    def run(self, brief, ani):
        return Submission()
"""


@pytest.fixture
def one(bench, monkeypatch):
    """A task, an agent that can start, and a key."""
    bench.task("a", task_name="a")
    (bench.path / "fine.py").write_text(FINE)
    (bench.path / "agents").mkdir()
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    return bench


@pytest.fixture
def judged(one):
    """The same, with a baseline of ``oracle``."""
    assert (
        one.run(
            "--agent=oracle", "--netbench-save-baseline=b.json", "--netbench-results=before", timeout=PATIENCE_S
        ).ret
        == 0
    )
    (one.path / "labs.jsonl").unlink()
    return one


def refused(bench, *arguments):
    ended = bench.run(*arguments, timeout=PATIENCE_S)
    assert ended.ret == USAGE, ended.stdout.str() + ended.stderr.str()
    assert not bench.labs()
    assert "Traceback" not in ended.stderr.str()
    assert "pytest_netbench/" not in ended.stderr.str()
    return ended.stderr.str()


def test_a_class_that_cannot_start_is_one_message_before_the_first_lab(one, workers):
    (one.path / "broken.py").write_text(BROKEN)
    said = refused(one, "--agent=broken:X", *workers)
    assert said.strip().splitlines() == [
        (
            "ERROR: agent broken.X cannot start: broken:X: importing broken failed: ModuleNotFoundError: No module"
            " named 'requestz'. Install what is missing, or correct the import"
        ),
        "  broken.py:1, in <module>",
        "    import requestz",
    ]


def test_a_program_that_does_not_exist_and_a_model_without_provider_are_refused_before_the_first_lab(one):
    (one.path / "agents" / "mine.agent.yaml").write_text("strategy: program\nprogram: {command: [no-such-program]}\n")
    said = refused(one, "--agent=mine", "--agent=expert")
    assert "mine.agent.yaml:2: agent mine cannot start: program.command: there is no program 'no-such-program'" in said
    assert "agent react-expert cannot start: litellm does not know whose model 'expert' is" in said


def test_all_agents_that_cannot_start_are_named_at_once_and_nothing_is_run(one, workers):
    (one.path / "broken.py").write_text("import requestz\n")
    said = refused(one, "--agent=broken:X", "--agent=oracle", "--agent=fine:None_", *workers)
    assert "agent broken.X cannot start" in said
    assert "agent fine.None_ cannot start" in said


def test_what_an_import_prints_is_shown_only_if_the_agent_cannot_start(one):
    (one.path / "loud.py").write_text("print('garbage ' * 3)\n" + FINE + "class Y: ...\n")
    fine = one.run("--agent=loud:Fine", "--netbench-results=out", timeout=PATIENCE_S)
    assert fine.ret == 1
    assert one.results("out")[0]["outcome"] == "done"
    (one.path / "labs.jsonl").unlink()
    assert "It printed:\n    garbage garbage garbage" in refused(one, "--agent=loud:Y")


@pytest.mark.parametrize(
    ("spec", "name", "words"),
    [
        ("broken:X", "broken.X", "No module named 'requestz'"),
        ("mine", "mine", "there is no program 'no-such-program' on PATH"),
        ("torn", "torn", "unknown key 'strateg'"),
        ("gone.agent.yaml", "gone", "there is no agent file 'gone.agent.yaml'"),
        ("expert", "react-expert", "litellm does not know whose model 'expert' is"),
        ("anthropic/claude", "react-anthropic-claude", "anthropic/claude needs a key"),
    ],
)
def test_in_a_gate_an_agent_that_cannot_start_is_regressed_and_the_others_are_judged(
    judged, monkeypatch, spec, name, words
):
    (judged.path / "broken.py").write_text(BROKEN)
    (judged.path / "agents" / "mine.agent.yaml").write_text(
        "strategy: program\nprogram: {command: [no-such-program]}\n"
    )
    (judged.path / "agents" / "torn.agent.yaml").write_text("model: openai/a\nstrateg: react\n")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    regressed(judged, monkeypatch, f"--agent={spec}", words, name)


def regressed(bench, monkeypatch, agent, words, name):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    options = ("--agent=oracle", "--netbench-baseline=b.json", "--netbench-markdown=m.md", "--netbench-results=now")
    ended = bench.run(agent, *options, timeout=PATIENCE_S)
    assert ended.ret == REGRESSED, ended.stdout.str() + ended.stderr.str()
    ended.assert_outcomes(passed=1)
    ended.stdout.fnmatch_lines(["THE GATE IS NOT PASSED", f"  REGRESSED: {name} cannot start"])
    ended.stdout.fnmatch_lines(["*: oracle, passed, all tasks"])
    ended.stdout.fnmatch_lines([f"::error title=netbench gate::REGRESSED: {name} cannot start%0A*"])
    markdown = (bench.path / "m.md").read_text()
    assert f"- **REGRESSED: {name} cannot start**" in markdown
    ended.stdout.fnmatch_lines([f"    *{words}*"])
    assert words.split()[-1].strip("'") in markdown
    assert "NOT JUDGED" not in ended.stdout.str()
    assert [one["agent"]["id"] for one in bench.results("now")] == ["oracle"]


def test_in_a_gate_the_only_agent_cannot_start(judged, workers):
    (judged.path / "broken.py").write_text("import requestz\n")
    ended = judged.run("--agent=broken:X", "--netbench-baseline=b.json", *workers, timeout=PATIENCE_S)
    assert ended.ret == REGRESSED
    ended.stdout.fnmatch_lines(["  REGRESSED: broken.X cannot start", "*No module named 'requestz'*"])
    assert not judged.labs()


def test_in_a_gate_it_is_regressed_also_if_the_others_cannot_be_judged(judged, workers):
    (judged.path / "broken.py").write_text("import requestz\n")
    options = ("--agent=broken:X", "--agent=mine:LabDies", "--netbench-baseline=b.json", "--netbench-results=now")
    ended = judged.run(*options, *workers, timeout=PATIENCE_S)
    assert ended.ret == REGRESSED
    ended.stdout.fnmatch_lines(["  REGRESSED: broken.X cannot start", "*the other agents were not judged*"])


def test_in_a_gate_other_tests_and_workers_go_on(judged, workers):
    (judged.path / "tasks" / "test_other.py").write_text("def test_other(): ...\n")
    (judged.path / "broken.py").write_text("import requestz\n")
    options = ("--agent=broken:X", "--agent=oracle", "--netbench-baseline=b.json", "--netbench-results=now")
    ended = judged.run(*options, *workers, timeout=PATIENCE_S)
    assert ended.ret == REGRESSED
    ended.assert_outcomes(passed=2)


def test_the_controller_alone_tries_an_agent(one, workers):
    (one.path / "counted.py").write_text(
        "import os, sys\nopen('imports.txt', 'a').write(f'{os.path.basename(sys.argv[0])}\\n')\n" + FINE
    )
    one.task("b", task_name="b")
    one.run("--agent=counted:Fine", *workers, "--netbench-trials=2", timeout=PATIENCE_S)
    tried = [line for line in (one.path / "imports.txt").read_text().splitlines() if line == "-c"]
    assert len(tried) == 1 + (2 if workers else 1), "the process of the agent, one for each worker, is called -c, too"
