from __future__ import annotations

import pytest

from pytest_netbench.evaluation.behaviour.compare import FlowDifference, RouteDifference
from pytest_netbench.evaluation.behaviour.wording import MOST_EVIDENCE, MOST_EXAMPLES, Wording, evidence, summary
from pytest_netbench.model.behaviour import HeldFlow, Outcome
from pytest_netbench.model.objects import POD
from pytest_netbench.model.reference import ReferenceFlow
from tests.support.behaviours import ADDRESSES, ALLOWED, ARRIVES, DENIED, flow

WORDING = Wording(ADDRESSES)
ROUTE = {"node": "R1", "prefix": "10.1.0.0/16", "before": ("static", "10.0.0.1"), "expected": ("static", "10.0.0.1")}


@pytest.mark.parametrize(
    ("before", "after", "found", "intent", "words"),
    [
        (DENIED, DENIED, ALLOWED, None, "is allowed; expected denied, as before the change"),
        (DENIED, ALLOWED, DENIED, 2, "is denied; expected allowed, as intent 2 asks"),
        (DENIED, ALLOWED, DENIED, None, "is denied; expected allowed, as after the ground truth"),
        (DENIED, DENIED, ARRIVES, 1, "is delivered without an answer; expected denied, as before the change"),
        (
            ALLOWED,
            Outcome(reach="allowed", dscp=46),
            ALLOWED,
            1,
            "arrives with an unchanged DSCP; expected DSCP 46, as intent 1 asks",
        ),
        (
            ALLOWED,
            ALLOWED,
            Outcome(reach="allowed", seen="203.0.113.1"),
            None,
            "is seen as coming from 203.0.113.1; expected its own address, as before the change",
        ),
    ],
)
def test_a_flow_reads_as_a_person_would_put_it(before, after, found, intent, words):
    difference = FlowDifference(held=HeldFlow(flow=flow(), before=before, after=after), found=found)
    assert WORDING.of_flow(difference, intent) == f"10.1.20.7 (web1) -> 10.1.30.10 (db) tcp/443 {words}"


def test_a_spoofed_source_and_a_marking_are_named():
    spoofed = flow(port=None, source_address="192.0.2.1", dscp=46)
    assert WORDING.flow(spoofed) == "192.0.2.1 (web1) -> 10.1.30.10 (db) icmp with DSCP 46"


def test_a_pod_is_named_without_its_address_which_is_another_one_each_time():
    pods = Wording({})
    to_pod = ReferenceFlow(source="portal", target=POD, target_node="ledger", protocol="tcp", port=6379)
    to_service = to_pod.model_copy(update={"target": "10.96.12.5"})
    assert (pods.flow(to_pod), str(to_pod)) == ("portal -> ledger tcp/6379",) * 2
    assert (pods.flow(to_service), str(to_service)) == ("portal -> 10.96.12.5 (ledger) tcp/6379",) * 2


def test_a_route_says_what_is_there_and_what_was():
    lost = RouteDifference(**ROUTE, found=None)
    assert WORDING.of_route(lost, None) == (
        "R1: route 10.1.0.0/16 none; expected static via 10.0.0.1, as before the change"
    )


def test_examples_are_of_different_groups_and_counted():
    lines = [f"line {number}" for number in range(20)]
    text = summary(lines, total=19, of=1000, groups=["many"] * 18 + ["other", "route"])
    headline, *shown, rest = text.splitlines()
    assert headline == "19 of 1000 flows differ, 1 route differs:"
    assert len(shown) == MOST_EXAMPLES
    assert {"line 18", "line 19"} <= set(shown)
    assert rest == "and 14 more"


def test_routes_beside_a_failure_say_that_they_are_not_judged_and_are_few():
    one = RouteDifference(**ROUTE | {"before": None, "found": None})
    assert evidence([]) == []
    assert evidence([one]) == [
        "not judged, but otherwise after the ground truth:",
        "R1: route 10.1.0.0/16 static via 10.0.0.1; here none",
    ]
    lines = evidence([one] * (MOST_EVIDENCE + 2))
    assert len(lines) == 1 + MOST_EVIDENCE + 1
    assert lines[-1] == "and 2 more"


def test_a_packet_to_an_address_of_nobody_says_how_far_it_came():
    to_nobody = flow().model_copy(update={"target": "10.9.9.9", "target_node": None})
    held = HeldFlow(flow=to_nobody, before=DENIED, after=DENIED)
    difference = FlowDifference(held=held, found=Outcome(reach="arrives", at="provider"))
    assert WORDING.of_flow(difference, None) == (
        "10.1.20.7 (web1) -> 10.9.9.9 tcp/443 is forwarded as far as provider; expected denied, as before the change"
    )
