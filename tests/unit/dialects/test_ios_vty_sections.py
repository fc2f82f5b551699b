"""Sections of virtual terminal lines are compared in the form in which IOS shows them."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import CiscoIosDialect
from pytest_netbench.scorers.command import CommandScorer
from tests.support.records import configs_record

BEFORE = "hostname R1\nline con 0\nline vty 0 4\n login\nntp server 10.0.0.1\n"


def canonical(*sections):
    tree = tuple((head, tuple((line, ()) for line in lines)) for head, *lines in sections)
    return [(head, *(line for line, _ in below)) for head, below in CiscoIosDialect().rearrange(tree)]


def f1(final, truth):
    scorer = CommandScorer(dialects={"small": CiscoIosDialect()})
    return scorer.score(configs_record(initial=BEFORE, final=final, truth=truth)).value


def test_sixteen_lines_are_the_first_five_and_the_others():
    expected = [("line vty 0 4", "login local"), ("line vty 5 15", "login local")]
    assert canonical(("line vty 0 15", "login local")) == expected
    assert canonical(*expected) == expected


def test_equal_neighbors_are_one_section_and_others_are_not():
    assert canonical(("line vty 0", "login"), ("line vty 1 4", "login")) == [("line vty 0 4", "login")]
    different = [("line vty 0", "login"), ("line vty 1 4", "no login")]
    assert canonical(*different) == different
    apart = [("line vty 5 6", "login"), ("line vty 8 9", "login")]
    assert canonical(*apart) == apart


def test_a_change_of_all_lines_scores_the_same_in_both_forms():
    both = BEFORE.replace(" login\n", " login local\nline vty 5 15\n login local\n")
    at_once = BEFORE.replace("line vty 0 4\n login\n", "line vty 0 15\n login local\n")
    assert f1(at_once, both) == f1(both, at_once) == 1.0


def test_a_change_of_the_first_five_lines_is_not_the_change_of_all():
    five = BEFORE.replace(" login\n", " login local\n")
    at_once = BEFORE.replace("line vty 0 4\n login\n", "line vty 0 15\n login local\n")
    assert f1(five, at_once) < 1.0
