"""What the expert makes of routers with an RPKI cache."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.runbooks.facts import Facts
from pytest_netbench.agents.runbooks.policies import check_policies
from pytest_netbench.agents.runbooks.reading import read

CONFIG = """\
router bgp 65010
 neighbor 192.0.2.1 remote-as 64501
 neighbor 192.168.0.2 remote-as 65010
 !
 address-family ipv4 unicast
  neighbor 192.0.2.1 route-map IN in
  neighbor 192.0.2.1 route-map OUT out
 exit-address-family
exit
!
route-map IN deny 5
 match rpki invalid
exit
!
route-map IN permit 10
exit
!
rpki
 rpki cache 203.0.113.10 323 preference 1
exit
"""


def found(config: str) -> list[tuple[str, str]]:
    facts = Facts(devices={"edge": read("edge", "frr", config)}, links=(), addresses={})
    return [(one.fault_type, one.end.node) for one in check_policies(facts)]


def test_a_router_that_denies_invalid_routes_of_others_is_right() -> None:
    assert found(CONFIG) == []


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("route-map IN deny 5\n match rpki invalid\nexit\n", ""),
        ("route-map IN deny 5\n match rpki invalid", "route-map IN deny 5\n match rpki notfound"),
        ("route-map IN deny 5", "route-map IN permit 5"),
        ("  neighbor 192.0.2.1 route-map IN in\n", ""),
        ("route-map IN in", "route-map OUT in"),
    ],
)
def test_one_that_does_not_is_wrong(line: str, instead: str) -> None:
    assert line in CONFIG
    assert found(CONFIG.replace(line, instead, 1)) == [("bgp-rpki-invalid-accepted", "edge")]


def test_one_without_a_cache_validates_nothing_by_intent() -> None:
    without = CONFIG.partition("rpki\n rpki cache")[0].replace(" match rpki invalid\n", "")
    assert found(without) == []
