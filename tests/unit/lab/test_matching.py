"""Which session ends belong together, and what is missing, on paper. No end says which driver it is of."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.lab.matching import absences, differences, pairs, session_of
from pytest_netbench.platforms.ends import End, Sight, equal

CABLE = {("a", "eth0"): frozenset({("b", "eth9")}), ("b", "eth9"): frozenset({("a", "eth0")})}
PORTS = {"a": "eth0", "b": "eth9"}


def on_link(node, address="", *, protocol="isis", **fields):
    port = PORTS[node]
    where = {port: (ip_interface(address),)} if address else {}
    return End(protocol=protocol, node=node, interface=port, addresses=where, name=node, **fields)


def asking(node, own, peer, *, protocol="bgp", state="Active", **fields):
    owned = {PORTS[node]: tuple(map(ip_interface, own.split()))}
    seen = {peer: Sight(state, is_up=state in {"Established", "up"})}
    return End(protocol=protocol, node=node, addresses=owned, peer=peer, seen=seen, **fields)


def phrases(*ends, cables=CABLE):
    return [absence.phrase for _, absence in absences(pairs(ends, cables))]


def test_a_neighbor_that_is_not_there_is_missed_from_both_ends():
    assert phrases(on_link("a", "10.0.0.1/24"), on_link("b", "10.0.0.2/24")) == [
        "a: IS-IS neighbor b on eth0 is not there yet",
        "b: IS-IS neighbor a on eth9 is not there yet",
    ]


def test_a_neighbor_that_is_seen_is_not_missed():
    up = Sight("Up", is_up=True)
    one, other = on_link("a", "10.0.0.1/24", seen={"b": up}), on_link("b", "10.0.0.2/24")
    assert phrases(one, other) == ["b: IS-IS neighbor a on eth9 is not there yet"]


@pytest.mark.parametrize(
    "other",
    [
        on_link("b", "10.0.1.2/24"),
        on_link("b", "10.0.0.2/24", accepts=equal(area="1")),
        on_link("b", "10.0.0.2/24", offers=equal(area="1")),
        on_link("b", "10.0.0.2/24", identity="1.1.1.1"),
        on_link("a", "10.0.0.2/24"),
    ],
    ids=["subnet", "accepted", "offered", "identity", "node"],
)
def test_ends_on_a_link_that_cannot_be_neighbors_are_not_waited_for(other):
    words = equal(area="0")
    one = on_link("a", "10.0.0.1/24", identity="1.1.1.1", offers=words, accepts=words)
    assert pairs([one, other], CABLE) == []


def test_a_parameter_that_only_one_end_names_is_not_compared():
    one, other = on_link("a", "10.0.0.1/24", accepts=equal(mtu="1500")), on_link("b", "10.0.0.2/24")
    assert len(pairs([one, other], {})) == 1


def test_one_value_in_common_is_enough():
    both, second = {"level": frozenset({"1", "2"})}, equal(level="2")
    one, other = (
        on_link("a", "10.0.0.1/24", offers=both, accepts=both),
        on_link("b", "10.0.0.2/24", offers=second, accepts=second),
    )
    assert len(pairs([one, other], {})) == 1


def test_ends_without_addresses_are_on_one_link_if_a_cable_joins_them():
    ends = [on_link("a"), on_link("b")]
    assert len(pairs(ends, CABLE)) == 1
    assert pairs(ends, {}) == []


def test_a_host_address_is_no_subnet_that_is_shared():
    assert pairs([on_link("a", "10.0.0.1/32"), on_link("b", "10.0.0.1/32")], CABLE) == []


def test_a_silent_end_is_not_missed_and_misses_others():
    ends = on_link("a", "10.0.0.1/24", is_silent=True), on_link("b", "10.0.0.2/24")
    assert phrases(*ends) == ["a: IS-IS neighbor b on eth0 is not there yet"]


def test_two_minor_ends_need_not_be_fully_up():
    partial = Sight("2-Way", is_up=False, is_partial=True)
    minor = on_link("a", "10.0.0.1/24", protocol="ospf", seen={"b": partial}, is_minor=True)
    other = on_link("b", "10.0.0.2/24", protocol="ospf", seen={"a": partial}, is_minor=True)
    elected = on_link("b", "10.0.0.2/24", protocol="ospf", seen={"a": Sight("Full", is_up=True)})
    assert phrases(minor, other) == []
    assert phrases(minor, elected) == ["a: OSPF neighbor b on eth0 is 2-Way, expected Full"]


def test_each_end_of_a_named_peer_that_is_not_up_is_told():
    ends = asking("a", "10.0.0.1/24", "10.0.0.2"), asking("b", "10.0.0.2/24", "10.0.0.1", state="Established")
    assert phrases(*ends) == ["a: BGP neighbor 10.0.0.2 is Active, expected Established"]


def test_what_an_established_session_has_still_to_send_is_told():
    busy = {"10.0.0.2": Sight("Established", is_up=True, unfinished="has 3 messages queued")}
    one = End(protocol="bgp", node="a", addresses={"e": (ip_interface("10.0.0.1/24"),)}, peer="10.0.0.2", seen=busy)
    ends = one, asking("b", "10.0.0.2/24", "10.0.0.1", state="Established")
    assert phrases(*ends) == ["a: BGP neighbor 10.0.0.2 has 3 messages queued"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (asking("a", "10.0.0.1/24", "10.0.0.2"), asking("b", "10.0.0.2/24", "10.0.0.9")),
        (asking("a", "10.0.0.1/24", "10.0.0.2"), asking("b", "10.0.0.3/24", "10.0.0.1")),
        (
            asking("a", "10.0.0.1/24", "10.0.0.2", sources=frozenset({"10.9.9.9"})),
            asking("b", "10.0.0.2/24", "10.0.0.1", sources=frozenset()),
        ),
    ],
    ids=["no way back", "no such address", "nobody opens it"],
)
def test_what_only_one_end_asks_for_is_not_waited_for(one, other):
    assert pairs([one, other], CABLE) == []


def test_one_end_that_opens_a_session_is_enough():
    one = asking("a", "10.0.0.1/24", "10.0.0.2", sources=frozenset({"10.0.0.1"}))
    assert len(pairs([one, asking("b", "10.0.0.2/24", "10.0.0.1", sources=frozenset())], {})) == 1


def test_ends_that_name_their_interface_belong_together_by_the_cable():
    ends = [End(protocol="bgp", node=node, peer=port) for node, port in PORTS.items()]
    assert len(pairs(ends, CABLE)) == 1
    assert pairs(ends, {}) == []
    assert phrases(*ends)[0] == "a: BGP neighbor eth0 is Down, expected Established"


@pytest.mark.parametrize("make", [on_link, lambda node, own, **more: asking(node, own, PEERS[node], **more)])
def test_in_a_vrf_only_who_is_on_the_cable_is_at_the_other_end(make):
    ends = [make("a", "10.0.0.1/24", vrf="RED"), make("b", "10.0.0.2/24")]
    assert len(pairs(ends, CABLE)) == 1
    assert pairs(ends, {}) == []


PEERS = {"a": "10.0.0.2", "b": "10.0.0.1"}


def test_a_session_in_a_vrf_is_named_with_it():
    ends = asking("a", "10.0.0.1/24", "10.0.0.2", vrf="RED"), asking("b", "10.0.0.2/24", "10.0.0.1")
    assert phrases(*ends)[0] == "a vrf RED: BGP neighbor 10.0.0.2 is Active, expected Established"


def test_neighbors_whose_databases_differ_are_told():
    ends = [on_link("a", "10.0.0.1/24", database="area 0"), on_link("b", "10.0.0.2/24", database="area 0")]
    up = pairs(ends, {})
    assert list(differences(up, {("a", "", "area 0"): 1, ("b", "", "area 0"): 1})) == []
    assert list(differences(up, {("a", "", "area 0"): 1, ("b", "", "area 0"): 2})) == [
        "a: IS-IS database of area 0 differs from that of b"
    ]
    assert list(differences(up, {("a", "", "area 0"): 1})) == []  # what a driver cannot tell is not compared


def test_a_session_is_named_by_nodes_interfaces_and_addresses():
    [pair] = pairs([asking("a", "10.0.0.1/24", "10.0.0.2"), asking("b", "10.0.0.2/24", "10.0.0.1")], {})
    named = session_of(pair)
    assert (named.one.node, named.one.address, named.other.node, named.other.address) == (
        "a",
        "10.0.0.1",
        "b",
        "10.0.0.2",
    )
