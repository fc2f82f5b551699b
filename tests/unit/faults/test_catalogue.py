"""The catalogue of faults on paper: which faults there are, where they can be injected, and what they break."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.faults.builders import SiteValue
from pytest_netbench.faults.site import Lan, Site
from pytest_netbench.model.faulty import fault_of
from tests.support.stars import star_flows, star_site

METHODS = {
    "disable_routing": 4,
    "disable_interface": 3,
    "remove_ip": 4,
    "drop_traffic_to_from_subnet": 4,
    "wrong_routing_table": 4,
}


def fault(name: str) -> Any:
    return fault_of(name)


NAMES = [name for name in parts.names("faults") if isinstance(fault(name), SiteValue)]


def every() -> list[Any]:
    return [fault(name) for name in NAMES]


def broken(name: str, site: Site, **parameters: Any) -> frozenset[str]:
    """The flows that a fault breaks, as texts."""
    known = fault(name)
    given = known.parameters(node=site.router, **parameters)
    assert given in list(known.targets(site))
    return frozenset(str(flow) for flow in star_flows(site) if known.breaks(given, site)(flow))


def test_every_method_of_netarena_is_in_the_catalogue() -> None:
    called = " ".join(one.called.get("netarena", "") for one in every())
    for kind, methods in METHODS.items():
        found = {
            number
            for one in every()
            if one.called["netarena"].startswith(kind)
            for number in "1234"
            if number in one.called["netarena"]
        }
        assert found == set("1234"[:methods]), (kind, called)


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_called_by_its_part_name_and_its_targets_survive_a_task_file(name: str) -> None:
    known = fault(name)
    assert known.name == name
    targets = list(known.targets(star_site(3, 2)))
    assert targets
    for one in targets:
        assert known.parameters.model_validate_json(one.model_dump_json()) == one


@pytest.mark.parametrize("name", NAMES)
def test_every_target_breaks_a_flow(name: str) -> None:
    known, site = fault(name), star_site(2, 3)
    for one in known.targets(site):
        assert any(known.breaks(one, site)(flow) for flow in star_flows(site)), one


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_of_linux_has_no_target_on_another_platform(name: str) -> None:
    assert not list(fault(name).targets(star_site(2, 2, platform="cisco_ios")))


def test_with_two_subnets_dropping_one_of_them_is_dropping_all_that_is_forwarded() -> None:
    two, three = star_site(2, 2), star_site(3, 2)
    for site, same in ((two, True), (three, False)):
        everything = broken("ip-forwarding-off", site)
        assert everything == broken("forward-drop-all", site)
        assert (broken("forward-drop-subnet", site, prefix="10.0.2.0/24") == everything) is same


def test_a_mask_that_loses_no_host_is_no_fault() -> None:
    masks = {one.instead for one in fault("address-mask-too-long").targets(star_site(2, 2))}
    assert masks
    assert not masks & {f"10.0.{lan}.1/{length}" for lan in (1, 2) for length in (8, 16, 24, 25, 28)}


def test_a_mask_loses_the_hosts_outside_of_it_and_no_others() -> None:
    hosts = {"a": IPv4Address("10.0.0.2"), "b": IPv4Address("10.0.0.9"), "c": IPv4Address("10.0.0.70")}
    near = Lan(interface="eth0", address=IPv4Interface("10.0.0.1/24"), hosts=hosts)
    far = Lan(interface="eth1", address=IPv4Interface("10.0.1.1/24"), hosts={"d": IPv4Address("10.0.1.2")})
    site = Site(router="r", platform="linux", lans=(near, far))
    lost = broken("address-mask-too-long", site, interface="eth0", address="10.0.0.1/24", instead="10.0.0.1/26")
    assert all("10.0.0.70" in text or text.startswith("c ->") for text in lost)
    assert any(text.startswith("c -> d") for text in lost)
    assert not any(text.startswith("c -> a") for text in lost), "they are neighbors"


def test_blocked_icmp_leaves_connections_alone() -> None:
    lost = broken("icmp-blocked", star_site(3, 1), prefix="10.0.2.0/24")
    assert lost
    assert all(text.endswith("icmp") for text in lost)


def test_a_wrong_gateway_is_an_address_that_nobody_has() -> None:
    site = star_site(3, 2)
    taken = {str(address) for lan in site.lans for address in (lan.address.ip, *lan.hosts.values())}
    gateways = {one.gateway for one in fault("route-wrong-gateway").targets(site)}
    assert gateways
    assert not gateways & taken
