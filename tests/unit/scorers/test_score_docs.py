from __future__ import annotations

import doctest
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize("page", ["scores.md", "results.md"])
def test_the_worked_examples_come_out_as_written(page: str):
    outcome = doctest.testfile(str(REFERENCE / page), module_relative=False)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_every_field_of_a_result_and_every_property_is_documented():
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.reporting.junit import junit_properties
    from tests.support.records import busy_result

    text = (REFERENCE / "results.md").read_text()
    assert [name for name in TrialResult.model_fields if f"`{name}`" not in text] == []
    plain = [name.removeprefix("netbench.") for name, _ in junit_properties(busy_result())]
    assert [name for name in plain if "." not in name and f"`{name}`" not in text] == []


def test_every_field_of_the_evidence_is_documented():
    from tests.unit.scorers.test_scorer_command import TRUTH, command

    text = (REFERENCE / "scores.md").read_text()
    assert [name for name in command(final=TRUTH).evidence if f"`{name}`" not in text] == []
