"""``match not`` in class maps, tested by the packets that a class drops."""

from __future__ import annotations

import pytest

from pytest_netbench.model.testcase import Flow
from tests.support.ios import ios_task, show, type_lines

ROUTER = """
interface Gi0/0
 ip address 10.0.1.1 255.255.255.0
interface Gi0/1
 ip address 10.0.2.1 255.255.255.0
ip access-list extended FIRST
 permit udp any any eq 5001
ip access-list extended ODD
 deny udp any any eq 5002
 permit udp any any
class-map match-any EITHER
 match dscp ef
 match access-group name FIRST
class-map match-all BOTH
 match dscp ef
 match access-group name FIRST
class-map match-all OTHERS
 match not access-group name FIRST
"""
FLOWS = ((5001, 46), (5002, 46), (514, 0), (5001, 0))
"""Port and DSCP."""


def host(subnet):
    return f"ip address add 10.0.{subnet}.10/24 dev eth0\nip route add default via 10.0.{subnet}.1\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    links = ["R1 Gi0/0 - h1 eth0", "R1 Gi0/1 - h2 eth0"]
    return deploy_task(ios_task({"R1": ROUTER}, links, hosts={"h1": host(1), "h2": host(2)}))


@pytest.fixture
def dropped(lab):
    """Let R1 drop the packets of a class of these lines; return the flows that do not arrive, by position."""

    def drop(kind, *lines):
        opening = ("policy-map P", "class C", "drop", "interface Gi0/0", "service-policy input P")
        type_lines(lab.nodes["R1"], f"class-map {kind} C", *lines, *opening)
        gone = set()
        for at, (port, dscp) in enumerate(FLOWS):
            flow = {"source": "h1", "target": "h2", "port": port, "rate_bps": 100_000, "dscp": dscp}
            (found,) = lab.prober.traffic([Flow.model_validate(flow)], ["10.0.2.10"], duration_s=0.3)
            gone |= set() if found.received_bps else {at}
        return gone

    yield drop
    type_lines(
        lab.nodes["R1"], "interface Gi0/0", "no service-policy input P", "exit", "no policy-map P", "no class-map C"
    )


@pytest.mark.parametrize("kind", ["match-all", "match-any"])
@pytest.mark.parametrize(
    ("line", "in_class"),
    [
        ("match access-group name FIRST", {0, 3}),
        ("match not access-group name FIRST", {1, 2}),
        ("match not access-group name ODD", {1}),
        ("match not access-group name NONE", {0, 1, 2, 3}),
        ("match not dscp ef", {2, 3}),
        ("match not dscp ef default", set()),
        ("match not ip precedence 5", {2, 3}),
        ("match not protocol syslog", {0, 1, 3}),
        ("match not protocol ip", set()),
        ("match not any", set()),
        ("match not input-interface Gi0/0", set()),
        ("match not input-interface Gi0/1", {0, 1, 2, 3}),
        ("match not class-map EITHER", {2}),
        ("match not class-map BOTH", {1, 2, 3}),
        ("match not class-map OTHERS", {0, 3}),
        ("match class-map OTHERS", {1, 2}),
    ],
)
def test_a_line_with_not_matches_all_other_packets(dropped, kind, line, in_class):
    assert dropped(kind, line) == in_class


@pytest.mark.parametrize(
    ("kind", "lines", "in_class"),
    [
        ("match-all", ("match dscp ef", "match not access-group name FIRST"), {1}),
        ("match-all", ("match not access-group name FIRST", "match not dscp ef"), {2}),
        ("match-all", ("match not class-map BOTH", "match not protocol syslog"), {1, 3}),
        ("match-any", ("match protocol syslog", "match not access-group name ODD"), {1, 2}),
        ("match-any", ("match not class-map EITHER", "match class-map BOTH"), {0, 2}),
    ],
)
def test_lines_with_and_without_not_work_together(dropped, kind, lines, in_class):
    assert dropped(kind, *lines) == in_class


def test_the_next_class_gets_what_a_negated_line_leaves(lab):
    policy = (
        *("class-map match-all NOT1", "match not access-group name FIRST", "class-map match-all EF", "match dscp ef"),
        *("policy-map TWO", "class NOT1", "drop", "class EF", "drop"),
        *("interface Gi0/0", "service-policy input TWO"),
    )
    type_lines(lab.nodes["R1"], *policy)
    wanted = [
        Flow.model_validate({"source": "h1", "target": "h2", "port": 5001, "rate_bps": 100_000, "dscp": dscp})
        for dscp in (46, 0)
    ]
    found = [lab.prober.traffic([one], ["10.0.2.10"], duration_s=0.3)[0].received_bps for one in wanted]
    assert (found[0], found[1] > 0) == (0, True)
    text = show(lab.nodes["R1"], "show policy-map interface Gi0/0 input")
    assert "Match: not access-group name FIRST" in text
    type_lines(lab.nodes["R1"], "interface Gi0/0", "no service-policy input TWO")
