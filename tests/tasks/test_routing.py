"""The routing tasks on real labs: right answers in other words than the ground truth, and plausible wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_netbench.taskfile import load_task

ROUTING = Path(__file__).parents[2] / "tasks" / "routing"


def truth(slug: str) -> dict[str, list[str]]:
    task = load_task(ROUTING / f"{slug}.task.yaml")
    return {node: list(lines) for node, lines in task.payload.ground_truth_configs.items()}


def replaced(lines: Sequence[str], line: str, *instead: str) -> list[str]:
    assert line in lines
    at = lines.index(line)
    return [*lines[:at], *instead, *lines[at + 1 :]]


# static-floating-backup


def test_static_routes_may_name_the_interface_too(failed_after):
    answer = {
        "hq": [
            "ip route 10.20.0.0/24 10.0.3.2 eth3 100",
            "ip route 10.20.0.0/24 10.0.1.2 eth1 5",
            "ip route 10.30.0.0/24 10.0.4.2 eth4 100",
            "ip route 10.30.0.0/24 10.0.2.2 eth2 5",
        ],
        "north": ["ip route 10.10.0.0/24 10.0.1.1 eth1", "ip route 10.10.0.0/24 10.0.3.1 eth2 100"],
        "south": ["ip route 10.10.0.0/24 10.0.2.1 eth1", "ip route 10.10.0.0/24 10.0.4.1 eth2 100"],
    }
    assert failed_after("routing/static-floating-backup", answer) == {}


# ebgp-policy


def test_bgp_policy_may_use_an_address_family_and_filters_on_the_neighbors(failed_after):
    answer = [
        "ip prefix-list IN seq 1 deny 192.168.0.0/16 le 32",
        "ip prefix-list IN seq 2 deny 172.16.0.0/12 le 32",
        "ip prefix-list IN seq 3 deny 10.0.0.0/8 le 32",
        "ip prefix-list IN seq 4 permit 0.0.0.0/0 le 24",
        "ip prefix-list US permit 203.0.113.0/24",
        "route-map PREFERRED permit 1",
        "set local-preference 200",
        "route-map MED10 permit 1",
        "set metric 10",
        "route-map MED100 permit 1",
        "set metric 100",
        "router bgp 65010",
        "neighbor ISP peer-group",
        "neighbor ISP remote-as 64500",
        "neighbor 192.0.2.1 peer-group ISP",
        "neighbor 192.0.2.5 peer-group ISP",
        "address-family ipv4 unicast",
        "neighbor ISP prefix-list IN in",
        "neighbor ISP prefix-list US out",
        "neighbor 192.0.2.1 route-map PREFERRED in",
        "neighbor 192.0.2.1 route-map MED10 out",
        "neighbor 192.0.2.5 route-map MED100 out",
        "exit-address-family",
    ]
    assert failed_after("routing/ebgp-policy", {"ce": answer}) == {}


def test_a_weight_is_not_the_local_preference_that_was_asked_for(failed_after):
    answer = truth("ebgp-policy")
    answer["ce"] = replaced(answer["ce"], "set local-preference 200", "set weight 200")
    assert set(failed_after("routing/ebgp-policy", answer)) == {
        "routes from pe1 have local preference 200",
        "another route from pe1 has local preference 200",
    }


def test_switching_the_policy_requirement_off_leaks_both_ways(failed_after):
    answer = ["router bgp 65010", "no bgp ebgp-requires-policy"]
    answer += ["neighbor 192.0.2.1 remote-as 64500", "neighbor 192.0.2.5 remote-as 64500"]
    assert {
        "a part of 10.0.0.0/8 is refused",
        "the last part of 172.16.0.0/12 is refused",
        "a part of 192.168.0.0/16 is refused",
        "a prefix of 25 bits is refused",
        "pe1 does not learn the laboratory",
        "pe2 does not learn the laboratory",
        "the internet does not reach the laboratory",
        "the office uses line 1",
    } <= set(failed_after("routing/ebgp-policy", {"ce": answer}))


# ibgp-route-reflector


def test_a_full_mesh_is_not_a_reflector(failed_after):
    own = {"rr": "10.255.0.1", "edge": "10.255.0.2", "pop1": "10.255.0.3", "pop2": "10.255.0.4"}
    lan = {"pop1": ["network 10.1.0.0/24"], "pop2": ["network 10.2.0.0/24"]}
    answer = {
        node: ["router bgp 65000"]
        + [line for other in own.values() if other != address for line in _session(other, next_hop=node == "edge")]
        + lan.get(node, [])
        for node, address in own.items()
    }
    assert set(failed_after("routing/ibgp-route-reflector", answer)) == {
        "rr reflects the routes",
        "edge has the LAN of site 1 from rr",
        "pop1 has one BGP session",
        "pop2 has one BGP session",
        "edge has no other session of any address family",
        "pop1 has no other session of any address family",
        "pop2 has no other session of any address family",
        "edge has one internal session and that to the provider",
    }


def _session(peer: str, *, next_hop: bool) -> list[str]:
    lines = [f"neighbor {peer} remote-as 65000", f"neighbor {peer} update-source lo"]
    return [*lines, f"neighbor {peer} next-hop-self"] if next_hop else lines


def test_putting_the_transfer_network_into_ospf_is_not_next_hop_self(failed_after):
    answer = truth("ibgp-route-reflector")
    answer["edge"] = replaced(
        answer["edge"], "neighbor 10.255.0.1 next-hop-self", "router ospf", "network 192.0.2.0/30 area 0"
    )
    assert {"OSPF does not carry other networks", "rr does not learn the network between edge and isp"} <= set(
        failed_after("routing/ibgp-route-reflector", answer)
    )


# ospf-bgp-redistribution


def _border(number: int, *, filtered: bool) -> list[str]:
    wan = f"172.16.{number}.2"
    lines = ["ip prefix-list OURS permit 10.1.0.0/16 le 32", "ip prefix-list THEIRS deny 10.1.0.0/16 le 32"]
    lines += [
        "ip prefix-list THEIRS permit any",
        "route-map MARK permit 5",
        "set tag 65100",
        f"router bgp 6500{number}",
    ]
    lines += ["address-family ipv4 unicast", "redistribute ospf"]
    if filtered:
        lines += [f"neighbor {wan} prefix-list OURS out", f"neighbor {wan} prefix-list THEIRS in"]
    return [*lines, "exit-address-family", "router ospf", "redistribute bgp route-map MARK"]


def test_prefix_lists_on_the_sessions_do_not_read_the_tag(failed_after):
    answer = {"b2": _border(2, filtered=True), "b1": _border(1, filtered=True)}
    among = ["no border announces a route of the campus with the tag", "b2 does not return what b1 learned"]
    assert list(failed_after("routing/ospf-bgp-redistribution", answer, among=among)) == among[:1]


def test_redistribution_without_filters_brings_routes_back(failed_after):
    answer = {"b1": _border(1, filtered=False), "b2": _border(2, filtered=False)}
    assert {
        "b2 does not return what b1 learned",
        "b1 does not return what b2 learned",
        "b2 accepts no LAN of the campus",
        "b2 has LAN 1 from OSPF",
    } <= set(failed_after("routing/ospf-bgp-redistribution", answer))


@pytest.mark.parametrize("border", ["b1", "b2"])
def test_one_border_alone_does_not_join_campus_and_wan(failed_after, border):
    answer = {border: truth("ospf-bgp-redistribution")[border]}
    assert failed_after("routing/ospf-bgp-redistribution", answer) != {}
