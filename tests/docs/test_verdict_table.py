"""The page of verdicts is made from the recorded solutions, and has each kind of error."""

from __future__ import annotations

from pathlib import Path

from pytest_netbench.model.solutions import ERROR_KINDS
from tests.support.verdict_table import page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_verdicts_is_the_one_that_the_solutions_make():
    written = (DOCS / "reference" / "verdicts.md").read_text(encoding="utf-8")
    assert written == page(), "write it: python -m tests.support.verdict_table > docs/reference/verdicts.md"


def test_each_kind_of_error_is_explained_in_its_words():
    text = (DOCS / "explanation" / "task-quality.md").read_text(encoding="utf-8")
    for kind, words in ERROR_KINDS.items():
        assert f"| `{kind}` | {words} |" in text
