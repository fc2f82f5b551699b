"""LANs that are announced for blackholes, on paper: a router must be behind a neighboring autonomous system."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of


def places(routers: int, platform: str = "frr") -> tuple[DrawnNetwork, list[Any]]:
    given = {"shape": "line", "sizes": {"routers": routers}, "routing": "bgp", "platform": platform}
    network = draw_network(NetworkParameters.model_validate(given))
    return network, list(fault_of("bgp-blackhole-tagged").places(network))


@pytest.mark.parametrize(("routers", "platform"), [(2, "frr"), (3, "cisco_ios"), (3, "mixed")])
def test_it_has_no_place_without_a_far_router_or_with_other_routers_than_those_of_frr(
    routers: int, platform: str
) -> None:
    assert places(routers, platform)[1] == []


def test_the_far_router_is_of_another_system_and_no_neighbor() -> None:
    network, found = places(4)
    assert found
    for one in found:
        shared = [link for link in network.transits if {one.node, one.far} <= {end.node for end in link.attachments}]
        assert shared == []
        assert network.autonomous_systems[one.node] != network.autonomous_systems[one.far]
        (lan,) = [lan for lan in network.lans if lan.prefix == one.prefix]
        assert one.node in {end.node for end in lan.attachments}
