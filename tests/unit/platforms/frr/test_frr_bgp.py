"""Sessions judged from both ends, on answers of FRR 8.4.4."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_interface

import pytest

from pytest_netbench.platforms.frr import bgp


def summary(peer: str, *, local: int, remote: int, state: str = "Established", admin: bool = False, outq: int = 0):
    entry = {
        "remoteAs": remote,
        "localAs": local,
        "inq": 0,
        "outq": outq,
        "pfxRcd": 1,
        "state": "Idle (Admin)" if admin else state,
        "peerState": "Admin" if admin else "OK",
    }
    return {"ipv4Unicast": {"routerId": "1.1.1.1", "as": local, "peers": {peer: entry}, "totalPeers": 1}}


def speaker(node: str, answer, addresses: dict[str, list[str]], config: str = "") -> bgp.Speaker:
    return bgp.Speaker(
        node=node,
        peers=bgp.peers(answer),
        addresses={name: tuple(map(ip_interface, owned)) for name, owned in addresses.items()},
        settings=bgp.parse_settings(config),
    )


def pair(**changes) -> tuple[bgp.Speaker, bgp.Speaker]:
    one = speaker("R1", summary("10.0.0.2", local=1, remote=2, **changes), {"eth0": ["10.0.0.1/24"]})
    other = speaker("R2", summary("10.0.0.1", local=2, remote=1), {"eth0": ["10.0.0.2/24"]})
    return one, other


def phrases(*speakers: bgp.Speaker) -> list[str]:
    return [phrase for _, phrase in bgp.missing(bgp.expected(speakers))]


def test_an_established_session_is_not_missing():
    assert phrases(*pair()) == []


def test_a_session_that_is_not_there_is_named_with_its_state():
    assert phrases(*pair(state="Active")) == ["R1: BGP neighbor 10.0.0.2 is Active, expected Established"]


def test_updates_still_queued_are_waited_for():
    assert phrases(*pair(outq=3)) == ["R1: BGP neighbor 10.0.0.2 has 3 messages queued"]


def test_a_peer_that_is_shut_down_or_not_a_node_of_the_lab_is_not_waited_for():
    one, other = pair(state="Active")
    assert bgp.expected(pair(admin=True)) == []
    assert bgp.expected([one]) == []
    assert bgp.expected([one, replace(other, addresses={})]) == []


def test_a_peer_with_no_statement_or_the_wrong_as_at_the_other_end_is_not_waited_for():
    one, other = pair(state="Active")
    wrong = speaker("R2", summary("10.0.0.1", local=2, remote=9), {"eth0": ["10.0.0.2/24"]})
    assert bgp.expected([one, wrong]) == []
    assert bgp.expected([one, replace(other, peers={})]) == []


def test_remote_as_external_is_not_known_before_the_session_is_up():
    one, other = pair(state="Active")
    unknown = replace(one, peers={"10.0.0.2": replace(one.peers["10.0.0.2"], remote_as=0)})
    assert len(bgp.expected([unknown, other])) == 1


def test_a_peer_takes_the_settings_of_its_group():
    config = """router bgp 1
 neighbor CORE peer-group
 neighbor CORE update-source lo
 neighbor 2.2.2.2 peer-group CORE
"""
    assert bgp.parse_settings(config)["2.2.2.2"] == ("peer-group CORE", "peer-group", "update-source lo")


def loopbacks(config_one: str, config_other: str, *, remote: int = 1) -> bgp.Session:
    one = speaker(
        "R1", summary("2.2.2.2", local=1, remote=remote), {"lo": ["1.1.1.1/32"], "eth0": ["10.0.0.1/24"]}, config_one
    )
    other = speaker(
        "R2", summary("1.1.1.1", local=remote, remote=1), {"lo": ["2.2.2.2/32"], "eth0": ["10.0.0.2/24"]}, config_other
    )
    [session] = bgp.expected([one, other])
    return session


SOURCE_ONE = " neighbor 2.2.2.2 update-source lo\n"
SOURCE_OTHER = " neighbor 1.1.1.1 update-source 2.2.2.2\n"


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        (SOURCE_ONE, SOURCE_OTHER, True),
        (SOURCE_ONE, "", True),
        ("", "", False),
        (SOURCE_ONE + " neighbor 2.2.2.2 password a\n", SOURCE_OTHER + " neighbor 1.1.1.1 password b\n", False),
        (SOURCE_ONE + " neighbor 2.2.2.2 passive\n", SOURCE_OTHER + " neighbor 1.1.1.1 passive\n", False),
    ],
)
def test_a_session_between_loopbacks_needs_a_source_the_other_end_knows(one, other, possible):
    assert bgp.possible(loopbacks(one, other)) is possible


def test_an_external_session_over_several_hops_must_be_allowed_at_both_ends():
    hop_one, hop_other = " neighbor 2.2.2.2 ebgp-multihop 2\n", " neighbor 1.1.1.1 ebgp-multihop 2\n"
    assert not bgp.possible(loopbacks(SOURCE_ONE, SOURCE_OTHER, remote=2))
    assert not bgp.possible(loopbacks(SOURCE_ONE + hop_one, SOURCE_OTHER, remote=2))
    assert bgp.possible(loopbacks(SOURCE_ONE + hop_one, SOURCE_OTHER + hop_other, remote=2))


def neighbour(
    address: str, heard: dict[str, bool], *, mode: str = "Helper", families: tuple[str, ...] = ("ipv4Unicast",)
):
    restart = {"endOfRibRecv": heard, "localGrMode": "Helper*", "remoteGrMode": mode}
    return {address: {"gracefulRestartInfo": restart, "addressFamilyInfo": {family: {} for family in families}}}


def test_a_session_is_finished_when_both_ends_have_heard_the_end_of_the_others_routes():
    [session] = bgp.expected(pair())
    done = neighbour("10.0.0.1", {"ipv4Unicast": True})
    assert list(bgp.unfinished(session, {"R1": neighbour("10.0.0.2", {"ipv4Unicast": True}), "R2": done})) == []
    assert list(bgp.unfinished(session, {"R1": neighbour("10.0.0.2", {}), "R2": done})) == [
        "R1: BGP neighbor 10.0.0.2 has not yet sent all its ipv4Unicast routes"
    ]


def test_a_mark_that_will_not_come_is_not_waited_for():
    [session] = bgp.expected(pair())
    done = neighbour("10.0.0.1", {"ipv4Unicast": True})
    one_sided = neighbour("10.0.0.2", {"ipv4Unicast": True}, families=("ipv4Unicast", "ipv6Unicast"))
    assert list(bgp.unfinished(session, {"R1": one_sided, "R2": done})) == []
    disabled = neighbour("10.0.0.2", {}, mode="Disable")
    assert list(bgp.unfinished(session, {"R1": disabled, "R2": done})) == []
    assert list(bgp.unfinished(session, {})) == []
