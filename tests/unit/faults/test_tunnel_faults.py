"""Faults of WireGuard tunnels on paper: where they fit, and what they make of an end."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.tunnels import with_key, with_prefix
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_VPN, SERVED
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import VpnEnd, VpnPeer

WRONG: dict[str, Any] = {
    "vpn-peer-key-wrong": with_key,
    "vpn-allowed-ips-wrong": with_prefix,
    "vpn-peer-missing": lambda *_: None,
}
"""By fault: what an end has of its peer."""


def fault(name: str) -> Any:
    return fault_of(name)


def a_network(*services: str) -> DrawnNetwork:
    given = {"shape": "campus", "services": services, "names": "drawn", "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate(given))


JOINED = a_network("vpn")
ENDS = {node.name: one for node in JOINED.topology.nodes for one in node.services if isinstance(one, VpnEnd)}


@pytest.mark.parametrize("name", OF_VPN)
def test_it_is_at_either_end_and_only_the_lab_takes_it_away(name: str) -> None:
    one = fault(name)
    assert isinstance(one, NetworkValue)
    assert isinstance(one, OutsideValue)
    assert list(one.places(a_network("dns", "web"))) == []
    places = list(one.places(JOINED))
    assert {place.node for place in places} == {*ENDS}
    for place in places:
        assert one.recover(place) == {}
        assert place.target == ENDS[place.peer].ip
        assert place.key == ENDS[place.node].peers[place.peer].public_key
        assert place.node in one.explain(place)
        assert place.peer in one.explain(place)


def test_faults_of_one_tunnel_are_not_in_one_task() -> None:
    touched = [fault(name).touches(place) for name in OF_VPN for place in fault(name).places(JOINED)]
    assert frozenset.intersection(*touched)


def test_a_wrong_key_is_a_key_of_nobody() -> None:
    one = fault("vpn-peer-key-wrong")
    known = {peer.public_key for end in ENDS.values() for peer in end.peers.values()}
    for place in one.places(JOINED):
        wrong = with_key(place, ENDS[place.node].peers[place.peer])
        assert VpnPeer.model_validate(wrong.model_dump()).public_key == place.instead
        assert place.instead not in known


def test_wrong_allowed_ips_have_not_the_other_end() -> None:
    one = fault("vpn-allowed-ips-wrong")
    places = list(one.places(JOINED))
    assert len(places) == 4
    inner = {f"{end.ip}/32" for end in ENDS.values()}
    for place in places:
        wrong = with_prefix(place, ENDS[place.node].peers[place.peer])
        assert wrong.allowed_ips == (place.instead,)
        assert place.instead not in inner
    assert f"{JOINED.addresses[places[0].peer]}/32" in {place.instead for place in places}


@pytest.mark.parametrize("name", OF_VPN)
def test_its_evidence_is_what_the_program_shows_and_a_ping(name: str) -> None:
    one = fault(name)
    place = next(iter(one.places(JOINED)))
    (peer,) = ENDS[place.node].peers.values()
    program, ping = one.evidence(place, Observable(platforms={place.node: "linux"}, addresses={}, pairs=()))
    assert program.params["command"].startswith("wg show wg0 ")
    assert ping.params["command"].endswith(place.target)
    healthy = {
        "wg show wg0 peers": f"{peer.public_key}\n",
        "wg show wg0 allowed-ips": f"{peer.public_key}\t{peer.allowed_ips[0]}\n",
    }
    wrong = WRONG[name](place, peer)
    broken = {
        "wg show wg0 peers": f"{wrong.public_key}\n" if wrong else "",
        "wg show wg0 allowed-ips": f"{wrong.public_key}\t{wrong.allowed_ips[0]}\n" if wrong else "",
    }
    for answer, holds in ((healthy, False), (broken, True)):
        found = re.search(program.shows.pattern, answer[program.params["command"]], re.MULTILINE)
        assert ((found is None) is program.shows.is_absent) is holds


def test_faults_of_tunnels_are_drawn_if_one_is_chosen() -> None:
    assert read_series("diagnose:services=vpn,n=1").parameters.faults == (*DIAGNOSED, *OF_VPN)
    assert read_series("diagnose:services=dns+web+vpn,n=1").parameters.faults == (*DIAGNOSED, *SERVED, *OF_VPN)
    assert not {*OF_VPN} & {*read_series("diagnose:services=dns+web,n=1").parameters.faults}
    assert not {*OF_VPN} & {*read_series("troubleshoot:services=dns+web+vpn,n=1").parameters.faults}
