from __future__ import annotations

import json

import pytest

from pytest_netbench.platforms.frr import rib

HOP = {"fib": True, "ip": "10.0.0.2", "afi": "ipv4", "interfaceName": "e0", "active": True}
ANSWER = json.dumps(
    {
        "2.2.2.2/32": [
            {
                "prefix": "2.2.2.2/32",
                "protocol": "ospf",
                "distance": 110,
                "metric": 10,
                "nexthops": [{**HOP, "fib": False}],
            },
            {
                "prefix": "2.2.2.2/32",
                "protocol": "bgp",
                "selected": True,
                "installed": True,
                "distance": 20,
                "metric": 0,
                "nexthops": [HOP, {**HOP, "ip": "10.0.0.3"}, {"ip": "10.0.0.4", "active": True}],
            },
        ]
    }
)


def test_only_the_installed_route_and_its_used_next_hops_are_told():
    [route] = rib.routes(ANSWER, "2.2.2.2/32")
    assert (route.protocol, route.distance, route.metric) == ("bgp", 20, 0)
    assert route.next_hops == ("10.0.0.2", "10.0.0.3")
    assert route.interfaces == ("e0", "e0")


@pytest.mark.parametrize("answer", ["{}", "% Network not in table\n", "", '{\n  "0.0.0.0/0":[\n  ]\n}\n'])
def test_a_prefix_that_is_not_there_has_no_routes(answer):
    assert rib.routes(answer, "77.0.0.0/8") == []


def test_the_request_takes_the_family_and_the_network_of_the_prefix():
    assert rib.request("10.0.0.1/24") == "show ip route 10.0.0.0/24 json"
    assert rib.request("2001:db8::/32") == "show ipv6 route 2001:db8::/32 json"
    with pytest.raises(ValueError, match="nonsense"):
        rib.request("nonsense")


def test_an_address_is_reachable_by_a_selected_route_that_is_not_the_default():
    assert rib.is_reachable(ANSWER)
    assert not rib.is_reachable('{"0.0.0.0/0":[{"selected":true}]}')
    assert not rib.is_reachable('{\n  "0.0.0.0/0":[\n  ]\n}\n')


TABLE = """C>* 1.1.1.1/32 is directly connected, lo, 00:00:24
O   2.2.2.2/32 [110/10] via 10.0.0.2, e0, weight 1, 00:00:10
S>* 3.0.0.0/8 [1/0] unreachable (blackhole), weight 1, 1d02h03m
"""


def test_the_fingerprint_does_not_change_with_time():
    later = TABLE.replace("00:00:24", "00:01:02").replace("00:00:10", "02w1d03h").replace("1d02h03m", "23:59:59")
    assert rib.fingerprint([TABLE]) == rib.fingerprint([later])


@pytest.mark.parametrize(
    ("old", "new"), [("110/10", "110/20"), ("10.0.0.2", "10.0.0.3"), ("O  ", "O>*"), ("3.0", "4.0")]
)
def test_the_fingerprint_changes_with_a_route(old, new):
    assert rib.fingerprint([TABLE]) != rib.fingerprint([TABLE.replace(old, new)])


def test_the_fingerprint_does_not_change_with_the_order_in_which_routes_came():
    hops = ["via 10.0.0.2, eth0, weight 1", "via 10.0.1.2, eth1, weight 1"]
    routes = [f"O>* 10.9.0.0/24 [110/20] {hops[0]}, 00:00:10\n  *                         {hops[1]}, 00:00:10"]
    routes += ["S   10.8.0.0/24 [5/0] via 10.0.0.2, eth0, weight 1, 00:00:10"]
    swapped = [routes[1], routes[0].replace(hops[0], "@").replace(hops[1], hops[0]).replace("@", hops[1])]
    assert rib.fingerprint(["\n".join(routes)]) == rib.fingerprint(["\n".join(swapped)])
    link_local = [
        "C * fe80::/64 is directly connected, eth1, 00:00:06",
        "C>* fe80::/64 is directly connected, eth0, 00:00:18",
    ]
    assert rib.fingerprint(["\n".join(link_local)]) == rib.fingerprint(["\n".join(reversed(link_local))])
