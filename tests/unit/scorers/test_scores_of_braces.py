"""Configs with braces are scored as those with indentation: by their hierarchical diff."""

from __future__ import annotations

import pytest

from pytest_netbench.scorers.blast_radius import BlastRadiusScorer
from pytest_netbench.scorers.command import CommandScorer
from tests.support.braces import BracesDialect
from tests.support.records import configs_record

DIALECTS = {"small": BracesDialect()}
INITIAL = "interfaces { e0 { address 10.0.0.1/24; mtu 1400; } } routes { 10.8.0.0/16 via 10.0.0.2; }"
TRUTH = """\
interfaces {
    e0 {
        address 10.0.0.1/24;
        input WEB;
    }
}
filters {
    filter WEB {
        deny tcp 80 any;
        permit any any any;
    }
}
routes {
    10.8.0.0/16 via 10.0.0.2;
}
"""


def score(final: str):
    return CommandScorer(dialects=DIALECTS).score(configs_record(initial=INITIAL, final=final, truth=TRUTH))


def test_the_truth_in_one_line_and_with_another_name_scores_one():
    found = score(" ".join(TRUTH.replace("WEB", "MINE").split()))
    assert found.value == 1.0
    assert found.evidence["renamed"] == {"R1": {"filter": {"MINE": "WEB"}}}
    assert found.evidence["expected"] == 6


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("        input WEB;\n", "", "R1: + interfaces / e0 / input WEB"),
        ("        input WEB;\n", "        input WEB;\n        mtu 1400;\n", "R1: - interfaces / e0 / mtu 1400"),
        ("deny tcp 80 any", "deny tcp 81 any", "R1: + filters / filter WEB / deny tcp 80 any"),
    ],
)
def test_a_line_that_is_missing_is_named_with_the_blocks_around_it(old: str, new: str, missing: str):
    found = score(TRUTH.replace(old, new))
    assert 0.0 < found.value < 1.0
    assert found.evidence["missing"] == [missing]


def test_the_order_of_rules_counts():
    rules = ["deny tcp 80 any;", "permit any any any;"]
    found = score(TRUTH.replace(rules[0], "FIRST").replace(rules[1], rules[0]).replace("FIRST", rules[1]))
    assert len(found.evidence["missing"]) == 1


def test_a_block_that_was_not_to_be_changed_is_counted_line_by_line():
    record = configs_record(
        initial=INITIAL,
        final=INITIAL.replace("mtu 1400", "mtu 9000").replace("routes { 10.8.0.0/16 via 10.0.0.2; }", ""),
        truth=INITIAL,
    ).model_copy(update={"healthy_configs": {"R1": INITIAL}})
    found = BlastRadiusScorer(dialects=DIALECTS).score(record)
    assert set(found.evidence["lines"]) == {
        "R1: - interfaces / e0 / mtu 1400",
        "R1: + interfaces / e0 / mtu 9000",
        "R1: - routes",
        "R1: - routes / 10.8.0.0/16 via 10.0.0.2",
    }
