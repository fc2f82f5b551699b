"""Junos: canonical lines, names that are free, ordered lists, interface names, and the scores of whole configs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.dialects.juniper_junos import JuniperJunosDialect
from pytest_netbench.scorers.command import CommandScorer
from tests.support.records import configs_record

DIALECT = JuniperJunosDialect()
EDGE = (Path(__file__).parents[2] / "data" / "juniper_junos" / "edge.conf").read_text()
FIREWALL = (Path(__file__).parents[2] / "data" / "juniper_junos" / "firewall.conf").read_text()
LEAF = (Path(__file__).parents[2] / "data" / "juniper_junos" / "leaf.conf").read_text()
INITIAL = "system { host-name edge1; } protocols { bgp { group OLD { type internal; } } }"


def score(final: str, truth: str, initial: str = INITIAL):
    record = configs_record(initial=initial, final=final, truth=truth)
    return CommandScorer(dialects={"small": DIALECT}).score(record)


@pytest.mark.parametrize("text", [EDGE, FIREWALL, LEAF])
def test_a_right_config_scores_one_in_either_form(text: str):
    syntax = DIALECT.syntax
    found = score(syntax.render_set(syntax.parse(text)), text)
    assert found.value == 1.0
    assert found.evidence["expected"] > 60
    assert score("", text).value < 0.1


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        (EDGE, "OWN", "prefix-list"),
        (EDGE, "TO-TRANSIT", "policy"),
        (EDGE, "MARK", "community"),
        (EDGE, "FROM-TRANSIT", "filter"),
        (EDGE, "SLOW", "policer"),
        (EDGE, "SHORT", "as-path"),
        (EDGE, "ICMP", "term"),
        (EDGE, "COMMON", "group of statements"),
        (FIREWALL, "WEB", "address"),
        (FIREWALL, "DMZ", "address"),
        (FIREWALL, "untrust", "zone"),
        (FIREWALL, "SERVERS", "address"),
        (FIREWALL, "HUB", "gateway"),
        (FIREWALL, "AES", "proposal"),
        (FIREWALL, "OUT", "rule-set"),
        (LEAF, "TENANT", "instance"),
        (LEAF, "BLUE", "vlan"),
        (LEAF, "TO-PE2", "label-switched path"),
    ],
)
def test_a_name_that_a_person_may_choose_is_free(text: str, name: str, kind: str):
    found = score(text.replace(name, "MINE"), text)
    assert found.value == 1.0
    assert found.evidence["renamed"]["R1"][kind]["MINE"] == name


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (EDGE, "ge-0/0/0", "ge-0/0/7"),
        (EDGE, "64500", "64599"),
        (EDGE, "198.51.100.1 ", "198.51.100.9 "),
        (EDGE, "64511:100", "64511:101"),
        (EDGE, "then reject", "then accept"),
        (EDGE, "edge1", "edge2"),
        (EDGE, "unit 10", "unit 11"),
        (EDGE, "inactive: ", ""),
        (EDGE, "area 0.0.0.0", "area 0.0.0.1"),
        (FIREWALL, "junos-http ", "junos-ftp "),
        (FIREWALL, "any;\n                    application any", "any;\n                    application junos-ssh"),
        (FIREWALL, "deny;", "permit;"),
        (LEAF, "community public", "community private"),
        (LEAF, "20-29", "20-30"),
        (LEAF, "10.10.0.1;", "10.10.0.3;"),
    ],
)
def test_a_value_that_means_something_is_not_free(text: str, old: str, new: str):
    assert old in text
    assert score(text.replace(old, new), text).value < 1.0


def test_a_name_that_is_not_used_alike_everywhere_costs_its_lines():
    assert score(EDGE.replace("export [ TO-TRANSIT ", "export [ OTHER "), EDGE).value < 1.0


def swapped(text: str, one: str, other: str) -> str:
    assert text.count(one) == text.count(other) == 1
    return text.replace(one, "\0").replace(other, one).replace("\0", other)


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        (EDGE, "TO-TRANSIT NOTHING", "TO-TRANSIT NOTHING"),
        (EDGE, "COMMON LOCAL", "COMMON LOCAL"),
        (EDGE, "radius password", "radius password"),
    ],
)
def test_the_order_of_a_chain_counts(text: str, one: str, other: str):
    first, second = one.split()
    assert score(text.replace(one, f"{second} {first}"), text).value < 1.0


def test_the_order_of_terms_policies_and_hops_counts():
    term = EDGE[EDGE.index("            term BGP {") : EDGE.index("            term ICMP {")]
    moved = EDGE.replace(term, "").replace("            term LAST {", f"{term}            term LAST {{")
    assert 0.9 < score(moved, EDGE).value < 1.0
    policy = FIREWALL[FIREWALL.index("            policy WEB {") : FIREWALL.index("            policy LAST {")]
    end = FIREWALL.index("        }\n    }\n    zones")
    late = FIREWALL[:end].replace(policy, "") + policy + FIREWALL[end:]
    assert 0.5 < score(late, FIREWALL).value < 1.0
    assert score(swapped(LEAF, "192.0.2.11 strict", "192.0.2.12 loose"), LEAF).value < 1.0


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        (EDGE, "protocol [ static aggregate ]", "protocol [ aggregate static ]"),
        (EDGE, "[ echo-request echo-reply ]", "[ echo-reply echo-request ]"),
        (EDGE, "primary;\n                    preferred;", "preferred; primary;"),
        (FIREWALL, "[ junos-http junos-https ]", "[ junos-https junos-http ]"),
        (LEAF, "[ BLUE 20-29 ]", "[ 20-29 BLUE ]"),
    ],
)
def test_another_order_of_what_has_none_is_the_same(text: str, one: str, other: str):
    assert one in text
    assert score(text.replace(one, other), text).value == 1.0


@pytest.mark.parametrize(
    ("line", "normal"),
    [
        ("area 0", "area 0.0.0.0"),
        ("area 0.0.0.0", "area 0.0.0.0"),
        ("area 257", "area 0.0.1.1"),
        ("area 99999999999", "area 99999999999"),
        ('description "core"', "description core"),
        ('description "to  core"', 'description "to  core"'),
        ("  unit   0 ", "unit 0"),
        ("# a comment", None),
        ("/* a comment */", None),
        ("", None),
    ],
)
def test_a_line_has_one_form(line: str, normal: str | None):
    assert DIALECT.normalise(line) == normal
    assert normal is None or DIALECT.normalise(normal) == normal


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("ge-0/0/0", "ge-0/0/0"),
        ("GE-0/0/1.0", "ge-0/0/1.0"),
        ("xe-0/0/1:2.100", "xe-0/0/1:2.100"),
        ("et-1/0/07", "et-1/0/7"),
        ("ae0", "ae0"),
        (" lo0.0 ", "lo0.0"),
        ("irb", "irb"),
        ("irb.0010", "irb.10"),
        ("reth1.5", "reth1.5"),
        ("fxp0", "fxp0"),
        ("st0.1", "st0.1"),
        ("vme.0", "vme.0"),
    ],
)
def test_an_interface_has_one_name(name: str, full: str):
    assert DIALECT.interface(name) == full


@pytest.mark.parametrize(
    "name", ["eth0/1", "GigabitEthernet0/0", "ge-0/0", "ge-0/0/0/0", "ae", "ge-0/0/0.", "lo0.a", ""]
)
def test_what_is_no_interface_of_junos_is_refused(name: str):
    with pytest.raises(ValueError, match=r"is no interface name of Junos \(such as ge-0/0/0"):
        DIALECT.interface(name)


def test_agents_read_that_commands_are_committed_together():
    assert "committed together or not at all" in DIALECT.hint
    assert list(DIALECT.manual()) == []
