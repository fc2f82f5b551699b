"""The worked examples of the command score in IOS are what the scorer says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_netbench.dialects.cisco_ios import CiscoIosDialect
from pytest_netbench.model.score import Score
from pytest_netbench.scorers.command import CommandScorer
from tests.support.ios import paper
from tests.support.records import configs_record, ran

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "command-score.md"
EXAMPLE = re.compile(
    r"^### (?P<title>.+?)$.*?^```ios truth\n(?P<truth>.*?)^```$(?:\s*^```ios right\n(?P<right>.*?)^```$)?\s*"
    r"^```ios agent\n(?P<agent>.*?)^```$\s*(?P<same>^Behaviour: as the reference\.$\s*)?"
    r"^Score (?P<score>[\d.]+) \(precision (?P<precision>[\d.]+), recall (?P<recall>[\d.]+)\)",
    re.MULTILINE | re.DOTALL,
)
EXAMPLES = [found.groupdict() for found in EXAMPLE.finditer(PAGE.read_text())]


def scored(truth: str, agent: str, *, right: str | None = None, same: bool = False) -> Score:
    def configured(text: str) -> str:
        return paper(*text.splitlines()).running_config()

    record = configs_record(
        initial=configured(""),
        final=configured(agent),
        truth=configured(truth),
        right={} if right is None else {"another": configured(right)},
        testcase_results=[ran("all as before", kind="reference", role="regression")] if same else [],
    )
    return CommandScorer(dialects={"small": CiscoIosDialect()}).score(record)


def test_there_are_fourteen_examples():
    assert [example["title"].split(".")[0] for example in EXAMPLES] == [str(number) for number in range(1, 15)]
    assert [bool(example["same"]) for example in EXAMPLES].count(True) == 2
    assert [bool(example["right"]) for example in EXAMPLES].count(True) == 2


def test_the_addition_of_the_page_would_cost_as_much_as_it_says_in_another_network():
    (example,) = [example for example in EXAMPLES if example["title"].startswith("11.")]
    assert scored(example["truth"], example["agent"]).value == 0.75


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["title"] for example in EXAMPLES])
def test_an_example_has_the_score_that_the_page_says(example):
    found = scored(example["truth"], example["agent"], right=example["right"], same=bool(example["same"]))
    shown = {"score": found.value, "precision": found.evidence["precision"], "recall": found.evidence["recall"]}
    assert {name: f"{value:.2f}" for name, value in shown.items()} == {name: example[name] for name in shown}


NAMES = st.text("ABCXYZabc-_", min_size=3, max_size=8).filter(lambda name: name[0].isalpha())
TRUTH = """
ip access-list extended {acl}
 permit tcp any host 10.0.0.1 eq 22
 deny tcp any any eq 22
 permit ip any any
class-map match-any {cls}
 match dscp ef
 match access-group name {acl}
policy-map {policy}
 class {cls}
  priority 256
interface GigabitEthernet0/0
 ip access-group {acl} in
 service-policy output {policy}
"""
OWN = {"acl": "GUARD", "cls": "VOICE", "policy": "EDGE"}


@settings(max_examples=40, deadline=None)
@given(acl=NAMES, cls=NAMES, policy=NAMES)
def test_a_consistent_renaming_keeps_the_score(acl, cls, policy):
    assert scored(TRUTH.format(**OWN), TRUTH.format(acl=acl, cls=cls, policy=policy)).value == 1.0


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(3)))
def test_swapping_lines_of_an_access_list_that_differ_in_meaning_lowers_the_score(order):
    lines = TRUTH.format(**OWN).strip().splitlines()
    swapped = "\n".join([lines[0], *(lines[1 + at] for at in order), *lines[4:]])
    value = scored(TRUTH.format(**OWN), swapped).value
    assert value == 1.0 if order == [0, 1, 2] else value < 1.0


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 255),
    st.sampled_from(["ip route 10.{}.0.0 255.255.0.0 10.0.0.9", "ip host h{} 10.0.0.9", "username u{} secret x"]),
)
def test_a_superfluous_line_lowers_precision_only(number, line):
    found = scored(TRUTH.format(**OWN), TRUTH.format(**OWN) + line.format(number))
    assert found.evidence["recall"] == 1.0
    assert found.evidence["precision"] < 1.0
    assert found.value < 1.0
