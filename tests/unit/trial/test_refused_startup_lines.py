from __future__ import annotations

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.reporting.item import item_sections
from pytest_netbench.trial.verdict import judge
from tests.support.memory_trial import task_of, trial_of

pytestmark = pytest.mark.usefixtures("memory_parts")

REFUSED = RefusedLine(node="edge", line_number=3, line=" media-type gbic", message="% Invalid input")


def test_lines_that_a_device_refused_are_in_the_record_the_result_and_the_report():
    trial = trial_of(Oracle())
    trial.lab.refused_startup_lines = (REFUSED,)
    record = trial.run()
    assert record.refused_startup_lines == (REFUSED,)
    result = judge(record, (), pass_marks={})
    assert result.refused_startup_lines == (REFUSED,)
    assert ("refused startup lines (1)", "edge line 3: media-type gbic: % Invalid input") in item_sections(result)


def test_a_task_that_is_not_strict_keeps_the_digest_it_had_before_tasks_could_be():
    task = task_of()
    assert task.digest == task.with_payload(strict=False).digest
    assert task.digest != task.with_payload(strict=True).digest
