"""Session ends of BGP, and what the lab expects of them, on answers of FRR 8.4.4."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.lab.matching import absences, pairs
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


def speaker(node: str, answer, addresses: dict[str, list[str]], config: str | None = None):
    """The session ends of a router; with its config those that it lets come up."""
    owned = {name: tuple(map(ip_interface, those)) for name, those in addresses.items()}
    ends = [bgp.end(node, peer, owned) for peer in bgp.peers(answer).values() if not peer.shut]
    if config is None:
        return ends
    settings = bgp.parse_settings(config)
    closer = [bgp.closer(end, settings.get(end.peer, ())) for end in ends]
    return [end for end in closer if end is not None]


def pair(**changes):
    one = speaker("R1", summary("10.0.0.2", local=1, remote=2, **changes), {"eth0": ["10.0.0.1/24"]})
    return one, speaker("R2", summary("10.0.0.1", local=2, remote=1), {"eth0": ["10.0.0.2/24"]})


def phrases(*speakers) -> list[str]:
    return [absence.phrase for _, absence in absences(expected(*speakers))]


def expected(*speakers):
    return pairs([end for ends in speakers for end in ends], {})


def test_an_established_session_is_not_missing():
    assert phrases(*pair()) == []


def test_a_session_that_is_not_there_is_named_with_its_state():
    assert phrases(*pair(state="Active")) == ["R1: BGP neighbor 10.0.0.2 is Active, expected Established"]


def test_updates_still_queued_are_waited_for():
    assert phrases(*pair(outq=3)) == ["R1: BGP neighbor 10.0.0.2 has 3 messages queued"]


def test_a_peer_that_is_shut_down_or_not_a_node_of_the_lab_is_not_waited_for():
    one, _ = pair(state="Active")
    assert expected(*pair(admin=True)) == []
    assert expected(one) == []
    assert expected(one, speaker("R2", summary("10.0.0.1", local=2, remote=1), {})) == []


def test_a_peer_with_no_statement_or_the_wrong_as_at_the_other_end_is_not_waited_for():
    one, _ = pair(state="Active")
    wrong = speaker("R2", summary("10.0.0.1", local=2, remote=9), {"eth0": ["10.0.0.2/24"]})
    assert expected(one, wrong) == []
    assert expected(one, []) == []


def test_remote_as_external_is_not_known_before_the_session_is_up():
    _, other = pair(state="Active")
    unknown = speaker("R1", summary("10.0.0.2", local=1, remote=0), {"eth0": ["10.0.0.1/24"]})
    assert len(expected(unknown, other)) == 1


def test_a_vrf_has_neighbors_of_its_own():
    text = "router bgp 1\n neighbor 10.0.0.2 password a\nexit\nrouter bgp 1 vrf RED\n neighbor 10.0.0.2 password b\n"
    assert bgp.parse_settings(text) == {"10.0.0.2": ("password a",)}
    assert bgp.parse_settings(text, "RED") == {"10.0.0.2": ("password b",)}


def test_a_peer_takes_the_settings_of_its_group():
    config = """router bgp 1
 neighbor CORE peer-group
 neighbor CORE update-source lo
 neighbor 2.2.2.2 peer-group CORE
"""
    assert bgp.parse_settings(config)["2.2.2.2"] == ("peer-group CORE", "peer-group", "update-source lo")


def loopbacks(config_one: str, config_other: str, *, remote: int = 1) -> bool:
    """Whether a session between loopbacks is expected."""
    one = speaker(
        "R1", summary("2.2.2.2", local=1, remote=remote), {"lo": ["1.1.1.1/32"], "eth0": ["10.0.0.1/24"]}, config_one
    )
    other = speaker(
        "R2", summary("1.1.1.1", local=remote, remote=1), {"lo": ["2.2.2.2/32"], "eth0": ["10.0.0.2/24"]}, config_other
    )
    return len(expected(one, other)) == 1


SOURCE_ONE = " neighbor 2.2.2.2 update-source lo\n"
SOURCE_OTHER = " neighbor 1.1.1.1 update-source 2.2.2.2\n"


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        (SOURCE_ONE, SOURCE_OTHER, True),
        (SOURCE_ONE, "", True),
        (SOURCE_ONE + " neighbor 2.2.2.2 passive\n", "", False),  # only R2 may open it, from an address R1 refuses
        ("", "", False),
        (SOURCE_ONE + " neighbor 2.2.2.2 password a\n", SOURCE_OTHER + " neighbor 1.1.1.1 password b\n", False),
        (SOURCE_ONE + " neighbor 2.2.2.2 passive\n", SOURCE_OTHER + " neighbor 1.1.1.1 passive\n", False),
    ],
)
def test_a_session_between_loopbacks_needs_a_source_the_other_end_knows(one, other, possible):
    assert loopbacks(one, other) is possible


def test_an_external_session_over_several_hops_must_be_allowed_at_both_ends():
    hop_one, hop_other = " neighbor 2.2.2.2 ebgp-multihop 2\n", " neighbor 1.1.1.1 ebgp-multihop 2\n"
    assert not loopbacks(SOURCE_ONE, SOURCE_OTHER, remote=2)
    assert not loopbacks(SOURCE_ONE + hop_one, SOURCE_OTHER, remote=2)
    assert loopbacks(SOURCE_ONE + hop_one, SOURCE_OTHER + hop_other, remote=2)


def neighbor(heard: dict[str, bool], *, mode: str = "Helper", both: bool = True):
    """An entry of a neighbor with two families, of which both ends may have announced only the first."""
    families = {"ipv4Unicast": {"advertisedAndReceived": True}, "ipv6Unicast": {"advertised": True}}
    if both:
        families["ipv6Unicast"] = {"advertisedAndReceived": True}
    return {
        "gracefulRestartInfo": {"endOfRibRecv": heard, "localGrMode": "Helper*", "remoteGrMode": mode},
        "addressFamilyInfo": {family: {} for family in families},
        "neighborCapabilities": {"multiprotocolExtensions": families},
    }


def test_a_session_is_finished_when_the_end_of_the_others_routes_was_heard_in_each_shared_family():
    assert bgp.unfinished(neighbor({})) == ["ipv4Unicast", "ipv6Unicast"]
    assert bgp.unfinished(neighbor({"ipv4Unicast": True})) == ["ipv6Unicast"]
    assert bgp.unfinished(neighbor({"ipv4Unicast": True}, both=False)) == []


def test_a_mark_that_will_not_come_is_not_waited_for():
    assert bgp.unfinished(neighbor({}, mode="Disable")) == []
    assert bgp.unfinished({}) == []
