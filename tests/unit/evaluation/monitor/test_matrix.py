from __future__ import annotations

from itertools import permutations

from pytest_netbench.evaluation.monitor.matrix import reachability
from pytest_netbench.model.watch import WatchedFlow


def mesh(count: int) -> list[WatchedFlow]:
    pairs = permutations(range(1, count + 1), 2)
    return [WatchedFlow(source=f"h{one}", target=f"h{other}", address=f"10.0.0.{other}") for one, other in pairs]


def test_each_sender_has_a_line_and_what_is_not_reached_is_an_x():
    assert reachability(mesh(3), {1, 2}) == "h1 -> h2 X\nh2 -> X h3\nh3 -> h1 h2\n2 of 6 pings lost"


def test_percent_is_not_truncated_two_of_272_and_ten_of_1056_lost_are_not_zero():
    assert reachability(mesh(17), {0, 1}).endswith("2 of 272 pings lost")
    assert reachability(mesh(33), range(10)).endswith("10 of 1056 pings lost")


def test_ports_are_named_only_if_they_do_not_answer_and_isolation_is_not_told():
    flows = [
        WatchedFlow(source="h1", target="h2", address="10.0.0.2"),
        WatchedFlow(source="h1", target="h2", address="10.0.0.2", protocol="tcp", port=80),
        WatchedFlow(source="h1", target="h3", address="10.0.0.3", allowed=False),
    ]
    assert reachability(flows, ()) == "h1 -> h2\n0 of 1 pings lost"
    assert reachability(flows, {1, 2}) == "h1 -> h2\nh1 does not reach h2 tcp port 80\n0 of 1 pings lost"


def test_where_nobody_pings_each_wrong_connection_is_named():
    flows = [
        WatchedFlow(source="web", target="api", address="pod", protocol="tcp", port=80),
        WatchedFlow(source="web", target="db", address="pod", protocol="tcp", port=5432, allowed=False),
    ]
    assert reachability(flows, ()) == "0 of 2 connections are wrong"
    assert reachability(flows, {0, 1}).splitlines() == [
        "web does not reach api tcp port 80",
        "web reaches db tcp port 5432, which must not work",
        "2 of 2 connections are wrong",
    ]
