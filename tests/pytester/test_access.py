"""Rules for commands and approval in a run: the agent is told, the results count, and nobody can ask where none is."""

from __future__ import annotations

import sys

AGENT = '''
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import AgentInfo, Submission


class Tries:
    """Tries what is denied, asks for what is refused, and then does the task."""

    info = AgentInfo(id="tries", strategy="own")

    def run(self, brief, ani):
        said = [brief.rules[-2], brief.rules[-1]]
        for commands in (["mark 1"], ["rate 5"], ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"]):
            try:
                ani.update_cfg("edge", commands)
            except AniError as error:
                said.append(str(error))
        return Submission(reasoning=" | ".join(said))
'''
FILE = """
strategy: tries:Tries
policy:
  commands: [{deny: [mark]}]
  approval: ./approve.sh
"""


def agent(bench, text=FILE) -> None:
    (bench.path / "tries.py").write_text(AGENT)
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "tries.agent.yaml").write_text(text)
    approve = bench.path / "agents" / "approve.sh"
    approve.write_text("#!/bin/sh\nif grep -q rate; then echo too slow; exit 1; fi\n")
    approve.chmod(0o755)


def test_violations_are_counted_in_results_and_summary_and_the_task_can_still_pass(bench, workers):
    agent(bench)
    bench.task("reach")
    result = bench.run("--agent=tries", *workers)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["policy violations: 2 in 1 of 1 trials (approval 1, command 1)"])
    (entry,) = bench.results()
    assert entry["violations"] == {"approval": 1, "command": 1}
    assert entry["agent"]["settings"]["policy"]["commands"][0]["deny"] == ["mark"]
    (transcript,) = (next(iter((bench.path / ".netbench").glob("2*"))) / "transcripts").iterdir()
    text = transcript.read_text()
    for words in (
        "must not begin with: mark.",
        "Each change must be approved before it is made.",
        "command 'mark 1' is not permitted on 'edge', which the policy denies ('mark')",
        "the change on 'edge' was not approved, and was not made: too slow",
        "approval of update-cfg on edge allowed after",
    ):
        assert words in text


def test_a_person_is_not_asked_without_a_terminal(bench):
    agent(bench, FILE.replace("./approve.sh", "person"))
    bench.task("reach")
    result = bench.pytester.run(
        "setsid",
        "--wait",
        sys.executable,
        "-m",
        "pytest",
        "tasks",
        "--agent=tries",
        "-p",
        "no:cacheprovider",
        timeout=60,
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: approval: person needs a terminal; without one, name a program"])
    assert bench.labs() == []
