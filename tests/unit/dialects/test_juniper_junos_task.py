"""The example of a task for devices of Junos is valid, and its right solution scores as one."""

from __future__ import annotations

from pathlib import Path

from pytest_netbench import parts
from pytest_netbench.dialects.juniper_junos.syntax import SYNTAX
from pytest_netbench.scorers.blast_radius import BlastRadiusScorer
from pytest_netbench.scorers.command import CommandScorer
from pytest_netbench.taskfile import load_task
from tests.support.records import configs_record

PATH = Path(__file__).parents[3] / "docs" / "examples" / "juniper-junos.task.yaml"
DIALECTS = {"small": parts.load("dialects", "juniper_junos")()}
TASK = load_task(PATH)
BEFORE = SYNTAX.parse(TASK.network.startup_configs["edge"])
COMMANDS = TASK.payload.ground_truth_configs["edge"]
AFTER = SYNTAX.edited(BEFORE, COMMANDS)


def score(final: str):
    record = configs_record(initial=SYNTAX.render(BEFORE), final=final, truth=SYNTAX.render(AFTER))
    return CommandScorer(dialects=DIALECTS).score(record)


def test_the_task_says_that_it_was_never_run():
    assert PATH.read_text().startswith("# Never run:")
    assert {TASK.network.platform_of(node) for node in ("edge", "transit")} == {"juniper_junos"}


def test_the_right_solution_adds_its_lines_and_removes_none():
    before, after = (set(SYNTAX.render_set(tree).splitlines()) for tree in (BEFORE, AFTER))
    assert before < after
    assert len(after - before) == 12
    terms = SYNTAX.paths(SYNTAX.render(AFTER))
    names = [path[-1] for path in terms if path[:-1] == ("firewall", "family inet", "filter FROM-TRANSIT")]
    assert names == ["term SSH", "term REST"]


def test_the_right_solution_scores_one_in_either_form_and_with_other_names():
    assert score(SYNTAX.render(AFTER)).value == 1.0
    assert score(SYNTAX.render_set(AFTER)).value == 1.0
    renamed = SYNTAX.render(AFTER).replace("TO-TRANSIT", "OUT").replace("FROM-TRANSIT", "IN").replace("SSH", "A")
    assert score(renamed).value == 1.0


def test_other_solutions_score_less():
    assert score(SYNTAX.render(BEFORE)).value == 0.0
    lines = [one for one in COMMANDS if not one.startswith("insert")]
    assert 0.8 < score(SYNTAX.render(SYNTAX.edited(BEFORE, lines))).value < 1.0
    assert 0.8 < score(SYNTAX.render(AFTER).replace("64511:100", "64511:101")).value < 1.0


def test_what_each_command_asks_for_is_in_the_config():
    paths = set(SYNTAX.paths(SYNTAX.render(AFTER)))
    edits = SYNTAX.edits(COMMANDS)
    assert len(edits) == 13
    assert all(edit.path in paths and not edit.removes for edit in edits)


def test_lines_outside_the_task_are_counted_line_by_line():
    text = SYNTAX.render(BEFORE)
    record = configs_record(initial=text, final=text.replace("lo0", "lo1"), truth=text)
    found = BlastRadiusScorer(dialects=DIALECTS).score(record.model_copy(update={"healthy_configs": {"R1": text}}))
    assert "R1: - interfaces / lo0 / unit 0 / family inet / address 192.0.2.1/32" in found.evidence["lines"]


def test_its_testcases_name_lines_of_the_right_solution():
    paths = {path[-1].split()[0]: path for path in SYNTAX.paths(SYNTAX.render(AFTER))}
    parents = [tuple(one.parents) for one in TASK.payload.testcases]
    assert parents == [paths["export"][:-1], paths["input"][:-1]]
