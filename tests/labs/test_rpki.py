"""Edges of a real ISP validate the origins of routes by an RPKI cache, and one accepts an invalid route."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.announcements import BGP_RPKI_INVALID_ACCEPTED
from pytest_netbench.faults.change import has_route
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.lab.clients import answers
from pytest_netbench.lab.readiness import wait_until_ready
from pytest_netbench.model.hosting import RpkiCache
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.capabilities import DAEMONS
from tests.support.ios import await_that

ONE_EDGE = {"shape": "dual-homed-isp", "platform": "frr", "services": ("rpki",), "sizes": {"edges": 1}}


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    return draw_network(NetworkParameters.model_validate(ONE_EDGE))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:
    fields = {"task_name": "rpki", "slug": "rpki", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


def looked(lab: Any, node: str, command: str) -> str:
    return str(lab.driver(node).execute(lab.nodes[node], command))


def cache_of(network: DrawnNetwork) -> str:
    return next(node.name for node in network.topology.nodes for one in node.services if isinstance(one, RpkiCache))


def accepts(lab: Any, network: DrawnNetwork) -> bool:
    one = network.validations[0]
    return any(has_route(lab, one.node, one.prefix, "bgp"))


def victims(network: DrawnNetwork) -> tuple[str, str]:
    """A host whose packets to another one an edge would send away, and the address of that one."""
    cache = cache_of(network)
    (victim,) = (host for host in network.hosts if host != cache and not host.startswith("server"))
    return cache, network.addresses[victim]


def test_an_invalid_route_that_a_provider_announces_is_denied(lab: Any, network: DrawnNetwork) -> None:
    first, other = network.validations
    assert f"{first.prefix}" in looked(lab, first.origin, "show ip bgp")
    received = looked(lab, first.node, f"show bgp ipv4 unicast neighbors {first.neighbor} received-routes")
    assert first.prefix in received, "it came"
    assert not accepts(lab, network)
    table = looked(lab, first.node, "show rpki prefix-table")
    assert f"{first.allowed_as}" in table
    assert "Number of IPv4 Prefixes: 2" in table
    assert "rpki validation-state: valid" in looked(lab, other.node, "show bgp ipv4 unicast 198.51.100.0/24")
    source, address = victims(network)
    assert answers(lab.nodes[source], address)


@pytest.mark.parametrize("number", [0, 1])
def test_the_route_is_accepted_until_the_repair(lab: Any, network: DrawnNetwork, number: int) -> None:
    fault = BGP_RPKI_INVALID_ACCEPTED
    assert parts.load("faults", fault.name) is BGP_RPKI_INVALID_ACCEPTED
    place = list(fault.places(network))[number]
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    assert [left for check in fault.change(place).checks for left in check(lab)] == [
        f"{place.node} has no route to {place.prefix} by {place.peer}"
    ]
    before = lab.driver(place.node).running_config(lab.nodes[place.node])
    inject_all([(fault, place)], lab)
    await_effects([(fault, place)], lab)
    said = looked(lab, place.node, f"show bgp ipv4 unicast {place.prefix}")
    assert "rpki validation-state: invalid" in said
    source, address = victims(network)
    assert not answers(lab.nodes[source], address), "packets run in a circle between the edge and the provider"
    for node, commands in fault.recover(place).items():
        assert {one.status for one in lab.driver(node).apply(lab.nodes[node], commands)} == {"success"}
    await_that(lambda: not accepts(lab, network), lambda: said)
    await_that(lambda: answers(lab.nodes[source], address), lambda: "no answer")
    assert lab.driver(place.node).running_config(lab.nodes[place.node]) == before


def test_a_daemon_that_starts_again_validates_again(lab: Any, network: DrawnNetwork) -> None:
    edge = network.validations[0].node
    before = lab.driver(edge).running_config(lab.nodes[edge])
    daemons = lab.nodes[edge].capability(DAEMONS)
    daemons.stop("bgpd")
    daemons.start("bgpd")
    assert lab.driver(edge).running_config(lab.nodes[edge]) == before
    wait_until_ready(lab, pace=lab.time_scale)
    assert "Connected to group" in looked(lab, edge, "show rpki cache-connection")
    assert not accepts(lab, network)


def test_routes_stay_denied_while_the_cache_is_gone(lab: Any, network: DrawnNetwork) -> None:
    one, host = network.validations[0], cache_of(network)
    lab.driver(host).end_server(lab.nodes[host], "rpki")
    await_that(
        lambda: "(connected)" not in looked(lab, one.node, "show rpki cache-connection"), lambda: "still connected"
    )
    lab.driver(one.node).apply(lab.nodes[one.node], ["do clear bgp ipv4 unicast * soft in"])
    wait_until_ready(lab, pace=lab.time_scale)
    assert not accepts(lab, network)
    assert "Number of IPv4 Prefixes: 2" in looked(lab, one.node, "show rpki prefix-table")
    lab.driver(host).start_server(lab.nodes[host], "rpki")
    # the library of bgpd does not get over a cache that has forgotten its session
    assert [done.status for done in lab.driver(one.node).apply(lab.nodes[one.node], ["do rpki reset"])] == ["success"]
    await_that(lambda: "(connected)" in looked(lab, one.node, "show rpki cache-connection"), lambda: "not connected")
    wait_until_ready(lab, pace=lab.time_scale)
    assert not accepts(lab, network)
