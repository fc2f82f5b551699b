"""The table of observations in docs/reference/evidence.md is that of the catalogue."""

from pathlib import Path

from tests.support.evidence import table

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "evidence.md"


def test_every_fault_is_documented_with_its_observations() -> None:
    assert [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")] == list(table())
