"""Comparison of a mutant's network with two labs of the ground truth: what varies between these is not compared."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.dialects.cisco_ios import mutations as cisco_ios
from pytest_netbench.dialects.frr import mutations as frr
from pytest_netbench.families.configure.proof.differences import Difference, Sight, other_routes, other_states, words_of
from pytest_netbench.families.configure.proof.flows import CLOSELY, LOOKED_AT_CLOSELY, ManyFlows
from pytest_netbench.families.configure.proof.judging import lasting, patience_s
from pytest_netbench.families.configure.proof.mutants import Fates
from pytest_netbench.families.configure.proof.proof_labs import Applied
from pytest_netbench.model.behaviour import Outcome
from pytest_netbench.model.reference import ReferenceFlow

NEIGHBOR = "10.255.0.2 1 FULL/DR {dead} 10.0.0.2 eth0"


def states(*lines: str) -> Any:
    return {("R1", "show ip ospf neighbor"): tuple(tuple(line.split()) for line in lines)}


def differing(seen: Any, *truths: Any) -> list[str]:
    return [one.words for one in other_states(seen, truths)]


def test_a_timer_that_varies_between_two_labs_is_no_difference():
    truths = states(NEIGHBOR.format(dead="00:00:31")), states(NEIGHBOR.format(dead="00:00:38"))
    assert differing(states(NEIGHBOR.format(dead="00:00:35")), *truths) == []


def test_a_session_too_few_or_too_many_is_a_difference():
    truth = states(NEIGHBOR)
    assert differing(states(), truth, truth) == ["R1: 'show ip ospf neighbor' has 0 lines instead of 1"]
    assert differing(states(NEIGHBOR, NEIGHBOR), truth, truth) == [
        "R1: 'show ip ospf neighbor' has 2 lines instead of 1"
    ]


def test_another_state_of_a_session_is_a_difference_that_shows_both():
    truth = states("10.255.0.2 1 FULL/DR")
    (words,) = differing(states("10.255.0.2 1 INIT/DR"), truth, truth)
    assert words == "R1: 'show ip ospf neighbor' shows '10.255.0.2 1 INIT/DR' instead of '10.255.0.2 1 FULL/DR'"


def test_what_has_no_fixed_number_of_lines_is_not_compared():
    assert differing(states(), states("a"), states("a", "b")) == []


def test_routes_that_come_go_or_change_are_differences():
    truth = {"R1": {"10.0.0.0/8": ("ospf", "10.0.0.1"), "10.9.0.0/16": ("static", "10.0.0.2")}}
    seen = {"R1": {"10.0.0.0/8": ("ospf", "10.0.0.3"), "192.0.2.0/24": ("static", "10.0.0.2")}}
    assert [one.words for one in other_routes(seen, [truth, truth])] == [
        "R1: route 10.0.0.0/8: ospf 10.0.0.3 instead of ospf 10.0.0.1",
        "R1: route 192.0.2.0/24: static 10.0.0.2 instead of none",
        "R1: route 10.9.0.0/16: none instead of static 10.0.0.2",
    ]


def test_a_route_that_only_one_lab_of_the_truth_has_is_not_compared():
    truths = [{"R1": {"10.0.0.0/8": ("ospf", "10.0.0.1")}}, {"R1": {}}]
    assert list(other_routes({"R1": {}}, truths)) == []


SUMMARY = """
BGP router identifier 10.0.0.1, local AS number 65001 vrf-id 0
BGP table version {version}
RIB entries {entries}, using {memory} bytes of memory
Peers 1, using 725 KiB of memory
{groups}
Neighbor        V         AS   MsgRcvd   MsgSent   TblVer  InQ OutQ  Up/Down State/PfxRcd   PfxSnt Desc
10.0.0.2        4      65002        {messages}        13        0    0    0 00:00:09            {received}        5 N/A

Total number of neighbors 1
"""
EXTRA = """
BGP router identifier 10.0.0.1, local AS number 65001
BGP table version is {version}, main routing table version {version}
{entries} network entries using {memory} bytes of memory
BGP activity 6/0 prefixes, 6/0 paths, scan interval 60 secs

Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
10.0.0.2        4        65002      {messages}      13       14    0    0 00:03:12 {received}
"""


@pytest.mark.parametrize(("printed", "mutations"), [(SUMMARY, frr.MUTATIONS), (EXTRA, cisco_ios.MUTATIONS)])
def test_of_a_summary_of_bgp_only_sessions_and_prefixes_are_state(printed, mutations):
    def words(*, version="6", entries="5", memory="960", messages="12", received="3", groups=""):
        fields = {"version": version, "entries": entries, "memory": memory, "messages": messages}
        return words_of(printed.format(**fields, received=received, groups=groups), mutations.uncounted)

    other = words(version="14", entries="7", memory="1344", messages="21", groups="Peer groups 1, using 64 bytes")
    assert words() == other
    assert ("10.0.0.2", "4", "65002", "3") in {one[:4] for one in words()}
    assert words() != words(received="4") != words(received="Idle")


def test_of_the_classes_of_a_policy_only_what_they_do_is_state():
    printed = "    Class-map: VOICE (match-all)\n      {0} packets, {0} bytes\n      Priority: {1} kbps\n"
    uncounted = cisco_ios.MUTATIONS.uncounted
    assert words_of(printed.format(7, 64), uncounted) == words_of(printed.format(9, 64), uncounted)
    assert words_of(printed.format(7, 64), uncounted) != words_of(printed.format(7, 32), uncounted)


CLASS = "    Class-map: CALLS (match-{0})  \n      7 packets, 9 bytes\n      5 minute offered rate 0 bps\n"


@pytest.mark.parametrize(
    ("conditions", "same"),
    [(["dscp ef (46)"], True), (["dscp ef (46)", "access-group name X"], False), ([], False)],
)
def test_all_or_any_is_the_same_for_one_condition_only(conditions, same):
    printed = CLASS + "".join(f"      Match: {one}\n" for one in conditions) + "      Priority: 64 kbps\n"
    printed += CLASS.replace("{0}", "any").replace("CALLS", "OTHER") + "      Match: any\n"
    seen, other = (words_of(printed.format(word), cisco_ios.MUTATIONS.uncounted) for word in ("all", "any"))
    assert (seen == other) is same


def test_which_neighbor_came_first_is_no_state():
    printed = "H   Address  Interface  Hold Uptime   SRTT   RTO  Q  Seq\n"
    one, other = "10.0.1.2  Gi0/0  10 00:00:44    1   100  0  11", "10.0.3.2  Gi0/1   9 00:01:05    1   100  0  38"
    uncounted = cisco_ios.MUTATIONS.uncounted
    seen = words_of(f"{printed}1   {one}\n0   {other}\n", uncounted)
    assert seen == words_of(f"{printed}1   {other}\n0   {one}\n", uncounted)
    assert seen != words_of(f"{printed}0   {one}\n", uncounted)
    assert seen != words_of(f"{printed}1   {one.replace('Gi0/0', 'Gi0/2')}\n0   {other}\n", uncounted)


class Policed:
    """An observer's batches: flows in ``lost`` get through only in a batch of at most ``few``."""

    def __init__(self, *, lost: set[int], few: int, denied: set[int]) -> None:
        self.lost, self.few, self.denied = lost, few, denied

    def in_batches(self, flows: Any, *, size: int, expected: Any = None) -> list[Outcome]:
        gone = self.denied | (self.lost if size > self.few else set())
        return [Outcome(reach="denied" if flow.port in gone else "allowed") for flow in flows]


def judged(*, spoofed: bool = False, source: str | None = None, **network: Any) -> list[str]:
    """Differences of a network, whose flows go to ports 1 to 50, from a truth in which all get through."""
    flows = [
        ReferenceFlow(
            source="h1", target="10.0.2.10", protocol="udp", port=port, source_address=source, why="by chance"
        )
        for port in range(1, 51)
    ]
    observer: Any = Policed(**{"lost": set(), "few": CLOSELY, "denied": set(), **network})
    routes = {"h1": {"10.0.1.0/24": ("connected", "eth0")}}
    sight = Sight(outcomes=[Outcome(reach="allowed")] * len(flows), routes=routes, states={})
    return list(ManyFlows(flows, spoofed=spoofed).differences(lambda: observer, [sight, sight]))


def test_a_flow_that_gets_through_among_few_is_no_difference():
    assert judged(lost=set(range(1, 41))) == []
    assert len(judged(lost=set(range(1, 41)), few=CLOSELY - 1)) == LOOKED_AT_CLOSELY


def test_a_flow_that_is_denied_is_a_difference_although_others_are_lost():
    found = judged(denied={7}, lost={9})
    assert len(found) == 1
    assert "udp/7: denied instead of allowed" in found[0].words


@pytest.mark.parametrize(
    ("spoofed", "source", "differs"), [(False, "192.0.2.1", 0), (True, "192.0.2.1", 1), (False, "10.0.1.9", 1)]
)
def test_a_spoofed_source_counts_only_where_the_task_holds_it(spoofed, source, differs):
    assert len(judged(spoofed=spoofed, source=source, denied={7})) == differs


class _ProofLabs:
    """Labs whose testcases all pass."""

    payload = SimpleNamespace(ground_truth_configs={})
    running = 0

    @contextmanager
    def network(self) -> Iterator[Any]:
        self.running += 1
        yield SimpleNamespace(lab=None, evaluation=None)
        self.running -= 1

    def apply(self, *_: Any) -> Applied:
        return Applied(denied={})

    def witness_of(self, *_: Any) -> None:
        return None

    def first_failed(self, *_: Any, **__: Any) -> None:
        return None


class _Judge:
    """Sees what it is told to see, lab by lab: a list of what differs for each moment."""

    def __init__(self, labs: _ProofLabs, *differences: list[list[str]]) -> None:
        self.labs = list(differences)
        self._labs = labs
        self.doubts = 0
        self.is_ready = False
        self.running_at_preparation: list[int] = []

    def prepare(self) -> None:
        self.is_ready = True
        self.running_at_preparation.append(self._labs.running)

    def doubt(self) -> None:
        self.doubts += 1

    def differences(self, _: Any) -> Any:
        return iter([[Difference(about, f"{about} differs") for about in moment] for moment in self.labs.pop(0)])


def fate_of(*differences: list[list[str]]) -> tuple[str, str, int]:
    labs: Any = _ProofLabs()
    judge: Any = _Judge(labs, *differences)
    mutant: Any = SimpleNamespace(configs=lambda _: {}, node="R1", index=0)
    fate = Fates(labs, lambda: judge).of(mutant)
    assert judge.running_at_preparation == [0], "a process has one cluster at a time"
    return fate.kind, fate.words, judge.doubts


def test_what_differs_in_the_same_way_on_two_labs_survived() -> None:
    assert fate_of([["flow 1", "flow 2"]], [["flow 3"], ["flow 2"]]) == ("survived", "flow 2 differs", 1)
    assert fate_of([["flow 1"]], [["flow 2"]], [["flow 1"]]) == ("survived", "flow 1 differs", 2)


def test_what_differs_in_another_way_on_each_lab_is_chance() -> None:
    assert fate_of([["flow 1"]], [["flow 2"]], [["flow 3"]]) == ("equal", "", 2)


def test_what_does_not_differ_on_one_lab_is_equal() -> None:
    assert fate_of([]) == ("equal", "", 0)
    assert fate_of([["flow 1"]], []) == ("equal", "", 1)


def test_the_same_thing_twice_on_one_lab_is_seen_once() -> None:
    assert fate_of([["state", "state"]], []) == ("equal", "", 1)


def test_how_often_and_when_a_track_changed_is_counted_and_not_compared() -> None:
    printed = "Track 1\n  Reachability is {}\n    {}, last change {}\n"

    def words(*what: str) -> Any:
        return words_of(printed.format(*what), cisco_ios.MUTATIONS.uncounted)

    assert words("Up", "7 changes", "00:00:47") == words("Up", "1 change", "1w2d")
    assert words("Up", "7 changes", "00:00:47") != words("Down", "7 changes", "00:00:47")


@pytest.mark.parametrize(("within_s", "about"), [(60.0, []), (1.0, ["route"])])
def test_what_the_network_may_still_learn_under_an_event_is_waited_for(within_s, about) -> None:
    testcases: Any = [SimpleNamespace(under="dead", within_s=within_s), SimpleNamespace(under=None, within_s=1000.0)]
    noticed_at = time.monotonic() + 0.2
    found = [Difference("route", "the old one")]
    allowed_s = patience_s(testcases, "dead") / 20.0
    seen = lasting(lambda: [] if time.monotonic() > noticed_at else found, within_s=allowed_s, pause_s=0.01)
    assert [one.about for one in seen] == about


def test_an_undisturbed_network_has_no_time_to_react() -> None:
    assert patience_s([SimpleNamespace(under=None, within_s=60.0)], None) == 0.0  # type: ignore[list-item]
