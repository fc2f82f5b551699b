"""A router that accepts an invalid route, on paper: the network that has one, and where the fault fits."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.errors import UsageError
from pytest_netbench.families.diagnose.briefing import assignment
from pytest_netbench.faults.announcements import BGP_RPKI_INVALID_ACCEPTED
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_RPKI
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.faulty_networks import SIZES
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import RpkiCache, Vrp
from pytest_netbench.platforms.driver import Route

SEEDS = range(8)


def drawn(*services: str, **parameters: Any) -> DrawnNetwork:
    given = {"shape": "dual-homed-isp", "platform": "frr", "services": services, "names": "drawn", **parameters}
    return draw_network(NetworkParameters.model_validate(given))


def cache_in(network: DrawnNetwork) -> tuple[str, RpkiCache]:
    ((host, cache),) = (
        (node.name, one) for node in network.topology.nodes for one in node.services if isinstance(one, RpkiCache)
    )
    return host, cache


def is_valid(prefix: str, origin: int, vrps: tuple[Vrp, ...]) -> bool | None:
    """RFC 6811, section 2; ``None`` for what no payload covers."""
    route = IPv4Network(prefix)
    covering = [one for one in vrps if route.subnet_of(IPv4Network(one.prefix))]
    if not covering:
        return None
    return any(one.autonomous_system == origin and route.prefixlen <= one.max_length for one in covering)


@pytest.mark.parametrize("sizes", [{**one, "hosts": hosts} for one in SIZES["dual-homed-isp"] for hosts in (1, 2, 8)])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_route_of_the_network_is_invalid_and_leads_to_a_lan_without_the_cache(
    sizes: dict[str, int], seed: int
) -> None:
    network = drawn("rpki", sizes=sizes, seed=seed)
    host, cache = cache_in(network)
    one = network.validations[0]
    verdicts = {}
    for node, config in network.startup_configs.items():
        for path in config_paths(config):
            if path[0].startswith("router bgp ") and path[-1].startswith("network "):
                verdicts[node, path[-1].split()[1]] = is_valid(
                    path[-1].split()[1], network.autonomous_systems[node], cache.vrps
                )
    assert [announced for announced, verdict in verdicts.items() if verdict is False] == [(one.origin, one.prefix)]
    assert True in verdicts.values()
    assert all(one.max_length == IPv4Network(one.prefix).prefixlen for one in cache.vrps), "no more specific route"
    leaked = IPv4Network(one.prefix)
    (lan,) = (lan for lan in network.lans if leaked.subnet_of(IPv4Network(lan.prefix)))
    assert leaked.prefixlen == IPv4Network(lan.prefix).prefixlen + 1
    assert any(IPv4Address(end.address) in leaked for end in lan.attachments if end.node in network.hosts)
    assert lan != network.lan_of(host)
    assert network.topology.controls[host] != "foreign"
    assert network.topology.controls[one.origin] == "foreign"


@pytest.mark.parametrize("edges", [1, 2])
def test_each_session_with_a_provider_denies_what_is_invalid_and_asks_the_cache(edges: int) -> None:
    network = drawn("rpki", sizes={"edges": edges})
    host, _ = cache_in(network)
    outside = {
        (end.node, other.address)
        for link in network.transits
        for end in link.attachments
        for other in link.attachments
        if network.is_managed(end.node) and not network.is_managed(other.node)
    }
    assert {(one.node, one.neighbor) for one in network.validations} == outside
    assert len(outside) == 2
    for one in network.validations:
        paths = set(config_paths(network.startup_configs[one.node]))
        family = ("address-family ipv4 unicast",)
        process = f"router bgp {network.autonomous_systems[one.node]}"
        assert (process, *family, f"neighbor {one.neighbor} route-map {one.policy} in") in paths
        assert (process, *family, f"neighbor {one.neighbor} soft-reconfiguration inbound") in paths
        assert (f"route-map {one.policy} deny 5", "match rpki invalid") in paths
        assert (f"route-map {one.policy} permit 10",) in paths
        assert ("rpki", f"rpki cache {network.addresses[host]} 323 preference 1") in paths
    others = [config for node, config in network.startup_configs.items() if node not in {one for one, _ in outside}]
    assert all("rpki" not in config for config in others)


def test_the_network_is_as_without_but_for_what_validates() -> None:
    plain, judged = drawn(seed=4), drawn("rpki", seed=4)
    for node, config in plain.startup_configs.items():
        assert [line for line in config.splitlines() if line not in judged.startup_configs[node].splitlines()] == []


def test_a_network_with_one_lan_has_no_place_for_the_cache() -> None:
    with pytest.raises(UsageError, match="needs two LANs"):
        drawn("rpki", sizes={"sites": 1})


@pytest.mark.parametrize("given", [{"platform": "cisco_ios"}, {"shape": "isp"}])
def test_networks_that_cannot_have_it_say_so(given: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="rpki"):
        drawn("rpki", **given)


def test_it_is_at_each_session_with_a_provider_and_once_in_a_task() -> None:
    fault = fault_of("bgp-rpki-invalid-accepted")
    assert list(fault.places(drawn())) == []
    network = drawn("rpki", sizes={"edges": 2})
    places = list(fault.places(network))
    assert [(one.node, one.neighbor) for one in places] == [(one.node, one.neighbor) for one in network.validations]
    assert frozenset.intersection(*map(fault.touches, places))
    for one in places:
        assert fault.change(one).inject == (f"no route-map {one.policy} deny 5",)
        assert f"AS {one.origin_as}" in fault.explain(one)


@pytest.mark.parametrize("name", ["link-down", "link-lossy", "port-shutdown", "mask-wrong", "bgp-denied"])
def test_it_is_not_beside_what_keeps_the_route_away(name: str) -> None:
    fault, network = BGP_RPKI_INVALID_ACCEPTED, drawn("rpki", sizes={"edges": 2})
    other = fault_of(name)
    outer = {
        f"{end.node} {end.interface}"
        for link in network.transits
        if not all(network.is_managed(end.node) for end in link.attachments)
        for end in link.attachments
    }
    for one in other.places(network):
        if outer & other.touches(one):
            assert all(fault.touches(place) & other.touches(one) for place in fault.places(network)), one


@pytest.mark.parametrize("name", ["node-crashed", "routing-daemon-stopped"])
def test_it_is_not_at_a_router_that_has_no_bgp_any_more(name: str) -> None:
    fault, network = BGP_RPKI_INVALID_ACCEPTED, drawn("rpki", sizes={"edges": 2})
    other = fault_of(name)
    for place in fault.places(network):
        beside = [
            one for one in other.places(network) if one.node == place.node and getattr(one, "protocol", "bgp") == "bgp"
        ]
        assert beside
        assert all(fault.touches(place) & other.touches(one) for one in beside)


@pytest.mark.parametrize(
    ("protocol", "by", "remains"),
    [("bgp", "the provider", False), ("bgp", "the other edge", True), ("ospf", "the provider", True)],
)
def test_the_route_must_be_the_one_of_the_provider(protocol: str, by: str, remains: bool) -> None:
    fault, network = BGP_RPKI_INVALID_ACCEPTED, drawn("rpki", sizes={"edges": 2})
    first, other = fault.places(network)
    hop = first.neighbor if by == "the provider" else network.addresses[other.node]
    route = Route(prefix=first.prefix, protocol=protocol, next_hops=(hop,), interfaces=("eth0",), metric=0, distance=20)
    driver = SimpleNamespace(routes=lambda _node, _prefix: [route])
    lab: Any = SimpleNamespace(driver=lambda _node: driver, nodes={first.node: None})
    assert bool([left for check in fault.change(first).checks for left in check(lab)]) == remains


def test_it_is_drawn_only_if_validation_is_chosen() -> None:
    assert read_series("diagnose:services=rpki,n=1").parameters.faults == (*DIAGNOSED, *OF_RPKI)
    assert not {*OF_RPKI} & {*read_series("diagnose:services=dns+web,n=1").parameters.faults}
    assert not {*OF_RPKI} & {*read_series("troubleshoot:services=rpki,n=1").parameters.faults}


def test_the_brief_says_where_the_cache_is_whether_something_is_wrong_or_not() -> None:
    given = {"shapes": ("dual-homed-isp",), "platforms": ("frr",), "services": ("rpki",), "faults": OF_RPKI}
    briefs = []
    for healthy in (0.0, 1.0):
        parameters = DiagnoseParameters.model_validate({**given, "level": "1", "healthy": healthy})
        payload = diagnose_of(DiagnoseGenerator().draw(parameters, seed=1, index=0))
        assert len(payload.faults) == 1 - healthy
        briefs.append(assignment(payload))
    assert briefs[0] == briefs[1]
    (host,) = (node.name for node in payload.topology.nodes if node.services)
    assert f"the cache on {host} (" in briefs[0]
    bare = payload.topology.model_copy(
        update={"nodes": tuple(node.model_copy(update={"services": ()}) for node in payload.topology.nodes)}
    )
    assert "RPKI" not in assignment(payload.model_copy(update={"topology": bare}))
