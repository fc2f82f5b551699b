"""The example of a task for devices of EOS is valid, and its right solution scores as one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.scorers.command import CommandScorer
from pytest_netbench.taskfile import load_task
from tests.support.eos_commands import SYNTAX, apply, canonical, commands, masked
from tests.support.records import configs_record

PATH = Path(__file__).parents[3] / "docs" / "examples" / "arista-eos.task.yaml"
DIALECTS = {"small": parts.load("dialects", "arista_eos")()}
TASK = load_task(PATH)
BEFORE = TASK.network.startup_configs["leaf"]
COMMANDS = TASK.payload.ground_truth_configs["leaf"]
AFTER = SYNTAX.render(apply(SYNTAX.parse(BEFORE), SYNTAX.edits(COMMANDS)))


def score(final: str):
    record = configs_record(initial=BEFORE, final=final, truth=AFTER)
    return CommandScorer(dialects=DIALECTS).score(record)


def test_the_task_says_that_it_was_never_run():
    assert PATH.read_text().startswith("# Never run:")
    assert {TASK.network.platform_of(node) for node in ("leaf", "spine")} == {"arista_eos"}


def test_the_right_solution_is_what_the_diff_says():
    edits = SYNTAX.edits(commands(BEFORE, AFTER))
    assert masked(apply(canonical(BEFORE), edits)) == masked(canonical(AFTER))
    assert not any(edit.removes for edit in edits)


def test_the_right_solution_scores_one_also_with_other_names_and_numbers():
    assert score(AFTER).value == 1.0
    for old, new in (("OWN", "LOOPBACK"), ("TO-SPINE", "OUT"), ("FROM-SPINE", "IN"), ("20 permit", "200 permit")):
        assert old in AFTER
        assert score(AFTER.replace(old, new)).value == 1.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("deny tcp any any eq ssh", "deny tcp any any eq telnet"),
        ("permit 192.0.2.1/32", "permit 192.0.2.0/24"),
        ("route-map TO-SPINE out", "route-map TO-SPINE in"),
        ("remote-as 65000", "remote-as 65002"),
        (
            "   10 deny tcp any any eq ssh\n   20 permit ip any any\n",
            "   10 permit ip any any\n   20 deny tcp any any eq ssh\n",
        ),
    ],
)
def test_other_solutions_score_less(old: str, new: str):
    assert old in AFTER
    assert 0.5 < score(AFTER.replace(old, new)).value < 1.0


def test_no_solution_scores_nothing():
    assert score(BEFORE).value == 0.0


def test_its_testcases_name_lines_of_the_right_solution():
    for testcase in TASK.payload.testcases:
        lines = [path[-1] for path in SYNTAX.paths(AFTER) if path[:-1] == tuple(testcase.parents)]
        assert any(re.fullmatch(testcase.line, line) for line in lines)
