"""Tests that fail beside others and pass alone fail the gate unless they are listed with a reason."""

from __future__ import annotations

from pathlib import Path

from tests.support.beside_others import ALLOWED, VIRTUAL_LINK, judge

ROOT = Path(__file__).parents[2]
LISTED = f"{next(iter(ALLOWED))}::test_one"
OTHER = "tests/unit/test_text.py::test_one"


def test_what_is_listed_exists_and_has_a_reason() -> None:
    for name, why in ALLOWED.items():
        module, _, test = name.partition("::")
        assert why
        assert f"def {test}" in (ROOT / module).read_text(encoding="utf-8"), name


def test_a_test_that_is_not_listed_fails_the_gate_although_it_passes_alone() -> None:
    lines, good = judge([OTHER, LISTED], [])
    assert not good
    assert lines == [
        f"{LISTED} failed beside others and passed alone: {ALLOWED[LISTED.partition('::')[0]]}",
        f"{OTHER} failed beside others and passed alone: not listed, so the gate fails",
    ]


def test_a_single_test_is_listed_without_the_others_of_its_module() -> None:
    assert judge([VIRTUAL_LINK], [])[1]
    assert not judge([f"{VIRTUAL_LINK}_and_more"], [])[1]
    assert not judge([f"{VIRTUAL_LINK.partition('::')[0]}::test_one"], [])[1]


def test_one_that_is_listed_is_only_reported_and_one_that_fails_alone_too_is_pytests_own_failure() -> None:
    assert judge([LISTED], [])[1]
    assert judge([OTHER], [OTHER]) == ([], True)
