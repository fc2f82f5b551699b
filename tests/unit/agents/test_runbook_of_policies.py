"""The runbook of policies, on paper: what configs say of long packets and of communities, and nothing else."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.runbooks.facts import End, Facts
from pytest_netbench.agents.runbooks.policies import check_policies
from pytest_netbench.agents.runbooks.reading import read

LINK = (End("r1", "GigabitEthernet0/0"), End("r2", "GigabitEthernet0/0"))


def ios(node: str, mtu: str) -> str:
    number = node.removeprefix("r")
    return f"interface GigabitEthernet0/0\n ip address 10.0.0.{number} 255.255.255.252\n{mtu}!\n"


def found(**configs: tuple[str, str]) -> list[tuple[str, str]]:
    devices = {name: read(name, platform, text) for name, (platform, text) in configs.items()}
    return [
        (one.fault_type, one.end.node) for one in check_policies(Facts(devices=devices, links=(LINK,), addresses={}))
    ]


@pytest.mark.parametrize(("first", "second", "is_low"), [(576, 576, True), (576, 0, False), (1400, 1400, False)])
def test_a_low_mtu_at_both_ends(first: int, second: int, is_low: bool) -> None:
    mtus = [f" ip mtu {mtu}\n" if mtu else "" for mtu in (first, second)]
    configs = {name: ("cisco_ios", ios(name, mtu)) for name, mtu in zip(("r1", "r2"), mtus, strict=True)}
    assert found(**configs) == ([("link-mtu-configured-low", "r1")] if is_low else [])


@pytest.mark.parametrize(("code", "is_denied"), [("frag-needed", True), ("port-unreachable", False)])
def test_a_filter_of_the_icmp_that_tells_of_an_mtu(code: str, is_denied: bool) -> None:
    rule = f"  icmp type destination-unreachable icmp code {code} drop\n"
    text = f"table inet guard\n chain input\n  type filter hook input priority filter\n{rule}"
    assert found(h1=("linux", text)) == ([("icmp-frag-needed-denied", "h1")] if is_denied else [])


@pytest.mark.parametrize("is_used", [True, False])
def test_a_lan_that_is_announced_for_blackholes(is_used: bool) -> None:
    use = " route-map LOCAL" if is_used else ""
    text = (
        f"router bgp 64512\n address-family ipv4 unicast\n  network 10.0.1.0/24{use}\n exit-address-family\nexit\n"
        "route-map LOCAL permit 10\n set community blackhole\nexit\n"
    )
    assert found(r1=("frr", text)) == ([("bgp-blackhole-tagged", "r1")] if is_used else [])
