"""Groups of pairs that do not reach each other: by what they share, each pair once, in pages."""

from __future__ import annotations

from itertools import permutations

import pytest

from pytest_netbench.families.diagnose.pairs import Outcome, groups_of, pages_of, subnets_of

SUBNETS = {"a1": "10.0.1.0/24", "a2": "10.0.1.0/24", "b1": "10.0.2.0/24", "b2": "10.0.2.0/24", "c1": "10.0.3.0/24"}
PAIRS = list(permutations(SUBNETS, 2))


def outcomes(*failed: tuple[str, str]) -> dict[tuple[str, str], Outcome]:
    return {pair: "no-answer" if pair in failed else "reached" for pair in PAIRS}


@pytest.mark.parametrize(
    ("failed", "found"),
    [
        ([], []),
        ([("a1", "b2")], [("nothing", "a1", ("b2",), 1)]),
        ([("a1", "b2"), ("a1", "c1")], [("source", "a1", ("b2", "c1"), 2)]),
        ([pair for pair in PAIRS if pair[0] == "a1"], [("source", "a1", ("any",), 4)]),
        ([pair for pair in PAIRS if pair[1] == "a1"], [("target", "any", ("a1",), 4)]),
        (
            [pair for pair in PAIRS if pair[0][0] == "a" != pair[1][0]],
            [("subnet", "10.0.1.0/24", ("any",), 6)],
        ),
        (
            [pair for pair in PAIRS if pair[0][0] + pair[1][0] == "ab"],
            [("subnets", "10.0.1.0/24", ("10.0.2.0/24",), 4)],
        ),
        (
            [pair for pair in PAIRS if "a1" in pair],
            [("source", "a1", ("any",), 4), ("target", "any", ("a1",), 4)],
        ),
        (PAIRS, [("all", "any", ("any",), 20)]),
    ],
)
def test_pairs_are_grouped_by_what_they_share(failed, found) -> None:
    groups = groups_of(outcomes(*failed), SUBNETS)
    assert [(one.shares, one.source, one.targets, one.pairs) for one in groups] == found
    assert sum(one.pairs for one in groups) == len(failed)


def test_what_a_source_holds_itself_is_no_part_of_another_group() -> None:
    found = outcomes(*[pair for pair in PAIRS if pair[0] == "a1"]) | {("a1", "b1"): "self"}
    assert [(one.outcome, one.targets, one.pairs) for one in groups_of(found, SUBNETS)] == [
        ("no-answer", ("any",), 3),
        ("self", ("b1",), 1),
    ]


def test_pages_are_short_and_have_all() -> None:
    names = [f"a-host-with-a-name-that-is-rather-long-{number}" for number in range(100)]
    found: dict[tuple[str, str], Outcome] = {
        (one, two): "no-answer" if (a + b) % 2 else "reached"
        for a, one in enumerate(names)
        for b, two in enumerate(names)
        if a != b
    }
    groups = groups_of(found, {})
    pages = pages_of(groups)
    assert [group for page in pages for group in page] == groups
    assert max(sum(len(group.model_dump_json()) for group in page) for page in pages) < 13_000
    assert pages_of([]) == [()]


def test_subnets_are_those_of_the_configs_of_any_device() -> None:
    configs = [
        "interface eth0\n ip address 10.0.1.1/26\n ip address 10.255.0.1/32\n",
        " ip address 10.0.2.1 255.255.255.0\n",
    ]
    addresses = {"a": "10.0.1.10", "b": "10.0.2.10", "c": "10.0.9.10"}
    assert subnets_of(addresses, configs) == {"a": "10.0.1.0/26", "b": "10.0.2.0/24", "c": "10.0.9.0/24"}
