"""docs/reference/transcripts.md names the fields of a record, results.md those of the CTRF report."""

from __future__ import annotations

import re

from pytest_netbench.model.trial import FORMAT, TrialRecord
from tests.support.doc_examples import ROOT

TEXT = (ROOT / "docs/reference/transcripts.md").read_text()


def test_every_field_of_a_record_is_documented_and_no_other():
    section = TEXT.partition("## The record\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(cells))) == sorted(TrialRecord.model_fields)


def test_the_number_of_the_format_is_documented():
    assert f"number of the format, now {FORMAT}." in TEXT
