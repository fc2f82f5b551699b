"""The table of measured reasoning scores is what the script makes, and the page says of it what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import reasoning_scores as measured
from tests.support.doc_examples import ROOT
from tests.support.reasoning_extra import needs_reasoning_extra

TASKS = ("security/acl-standard-lab-network", "security/nat-port-forward", "qos/dscp-marking")
SOLUTIONS = """\
right:
  - {name: another list, reason: It filters the same packets., reasoning: A list at the other end filters., configs: {}}
  - {name: no list, reason: A route to nowhere drops them., configs: {}}
wrong:
  - {name: too wide, reason: It permits all., configs: {}}
"""


@pytest.fixture
def tasks(tmp_path: Path) -> list[measured.About]:
    for name in TASKS:
        path = tmp_path / f"{name}.task.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text((ROOT / "tasks" / f"{name}.task.yaml").read_text())
    (tmp_path / "security/.solutions").mkdir()
    (tmp_path / "security/.solutions/nat-port-forward.yaml").write_text(SOLUTIONS)
    return measured.corpus(tmp_path)


def of(group: str, tasks: list[measured.About]) -> list[measured.Case]:
    return [case for case in measured.cases(tasks) if case.group == group]


def figures() -> dict[str, list[str]]:
    text = measured.PAGE.read_text().partition(measured.BEGIN)[2].partition(measured.END)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {row[0]: row[1:] for row in rows[2:]}


def test_each_group_of_texts_has_a_row_on_the_page():
    assert list(figures()) == list(measured.GROUPS)


def test_the_page_says_what_its_figures_show():
    medians = {group: float(row[2]) for group, row in figures().items() if row[2] != "–"}
    assert medians[measured.REVERSED] > 0.9
    assert medians[measured.OTHER_DOMAIN] < medians[measured.SAME_DOMAIN] < medians[measured.INTENTS]
    assert medians[measured.INTENTS] < medians[measured.CUT] < medians[measured.REVERSED]
    lowest_right, highest_wrong = float(figures()[measured.RIGHT][1]), float(figures()[measured.WRONG][3])
    assert lowest_right < highest_wrong
    assert lowest_right < medians[measured.INTENTS]


def test_a_right_solution_is_compared_with_all_references_but_its_own(tasks):
    first, second = of(measured.RIGHT, tasks)
    assert (first.given, list(first.references)) == ("A list at the other end filters.", ["ground truth"])
    assert (second.given, list(second.references)) == (
        "A route to nowhere drops them.",
        ["ground truth", "another list"],
    )


def test_a_wrong_solution_without_reasoning_is_its_reason(tasks):
    (only,) = of(measured.WRONG, tasks)
    assert (only.given, list(only.references)) == ("It permits all.", ["ground truth", "another list"])


def test_unrelated_texts_belong_to_another_task_of_the_domain_or_to_another_domain(tasks):
    texts = {about.task.slug: about.task.ground_truth_reasoning for about in tasks}
    same, other = of(measured.SAME_DOMAIN, tasks), of(measured.OTHER_DOMAIN, tasks)
    assert [case.given for case in same] == [texts["nat-port-forward"], texts["acl-standard-lab-network"]]
    assert len(other) == 3
    assert all(case.given not in case.references.values() for case in (*same, *other))


def test_the_opposite_of_a_text_has_other_numbers_and_keeps_its_subject():
    assert (
        measured.opposite("Permit tcp/80 inbound, then deny the rest.")
        == "Deny tcp/161 outbound, then permit the rest."
    )


def test_every_shipped_task_has_an_opposite_that_differs():
    about = measured.corpus()
    changed = [measured.opposite(one.task.ground_truth_reasoning) != one.task.ground_truth_reasoning for one in about]
    assert len(changed) >= 60
    assert all(changed)


@needs_reasoning_extra
def test_the_table_is_made_by_the_scorers_own_comparison(tasks, tmp_path: Path):
    rows = measured.measure(tasks, measured.SentenceEmbedder())
    assert [(row.group, len(row.scores)) for row in rows] == list(
        zip(measured.GROUPS, (2, 3, 1, 3, 3, 2, 3), strict=True)
    )
    page = tmp_path / "page.md"
    page.write_text(f"above\n{measured.BEGIN}old\n{measured.END}below\n")
    measured.write(measured.table(rows), page)
    text = page.read_text()
    assert text.startswith("above\n")
    assert text.endswith("below\n")
    assert "old" not in text
    assert len(re.findall(r"^\| .* \| \d+ \| \d\.\d\d \|", text, re.MULTILINE)) == len(measured.GROUPS)
