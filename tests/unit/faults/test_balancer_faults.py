"""Faults of load balancers on paper: where they fit, and what they make of the config."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_LB, SERVED
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import LoadBalancer


def fault(name: str) -> Any:
    return fault_of(name)


def a_network(*services: str) -> DrawnNetwork:
    given = {"shape": "campus", "services": services, "names": "drawn", "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate(given))


BALANCED = a_network("dns", "web", "lb")
((HOST, BALANCER),) = (
    (node.name, one) for node in BALANCED.topology.nodes for one in node.services if isinstance(one, LoadBalancer)
)


@pytest.mark.parametrize("name", OF_LB)
def test_it_is_at_the_load_balancer_and_only_the_lab_takes_it_away(name: str) -> None:
    one = fault(name)
    assert isinstance(one, NetworkValue)
    assert isinstance(one, OutsideValue)
    assert list(one.places(a_network("dns", "web"))) == []
    places = list(one.places(BALANCED))
    is_of_others = name == "lb-connections-held"
    assert {place.victim if is_of_others else place.node for place in places} == {HOST}
    assert all(one.recover(place) == {} for place in places)
    assert HOST in one.explain(places[0])


def test_faults_of_one_load_balancer_are_not_in_one_task() -> None:
    touched = [fault(name).touches(next(iter(fault(name).places(BALANCED)))) for name in OF_LB]
    assert frozenset.intersection(*touched)


def test_any_other_host_holds_connections_unless_an_access_list_may_be_in_the_way() -> None:
    held = fault("lb-connections-held")
    places = list(held.places(BALANCED))
    assert {one.node for one in places} == {*BALANCED.hosts} - {HOST}
    assert all((one.address, one.target) == (BALANCED.addresses[one.node], BALANCED.addresses[HOST]) for one in places)
    filtered = a_network("dns", "web", "lb", "filter")
    assert filtered.access_lists
    assert list(held.places(filtered)) == []


def test_a_wrong_backend_has_another_port_or_an_address_of_nobody() -> None:
    places = list(fault("lb-backend-wrong").places(BALANCED))
    assert len(places) == 2 * len(BALANCER.servers)
    for place in places:
        assert place.socket == BALANCER.servers[place.server]
        (address, port), (other, other_port) = (text.split(":") for text in (place.socket, place.instead))
        assert (address == other) is not (port == other_port)
        assert other == address or other not in BALANCED.addresses.values()
        assert place.instead in fault("lb-backend-wrong").explain(place)


def test_its_evidence_is_the_line_of_the_config_and_a_share_of_the_requests() -> None:
    place = next(iter(fault("lb-backend-wrong").places(BALANCED)))
    network = Observable(platforms={HOST: "linux"}, addresses={}, pairs=())
    config, request = fault("lb-backend-wrong").evidence(place, network)
    assert config.shows.pattern == place.line
    assert request.tries >= 2 * len(BALANCER.servers)


def test_faults_of_load_balancers_are_drawn_if_one_is_chosen() -> None:
    faults = read_series("diagnose:services=dns+web+lb,n=1").parameters.faults
    assert faults == (*DIAGNOSED, *SERVED, *OF_LB)
    assert not {*OF_LB} & {*read_series("diagnose:services=dns+web,n=1").parameters.faults}
    assert not {*OF_LB} & {*read_series("troubleshoot:services=dns+web+lb,n=1").parameters.faults}
