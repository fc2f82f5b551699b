"""What runs follows the configuration, whatever was typed before, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from pytest_netbench.platforms.cisco_ios.session.startup import reload
from tests.support.ios import await_that, ios_task, settle, show, type_lines

LAN = "255.255.255.0"
STATIC = "ip route 192.168.1.0 255.255.255.0 GigabitEthernet0/0 172.16.1.4"


def port(name: str, address: str, *more: str) -> str:
    return "\n".join([f"interface {name}", f" ip address {address} {LAN}", *(f" {line}" for line in more), ""])


def seen(lab: Any, name: str, command: str, *words: str) -> list[list[str]]:
    """The lines of an answer that contain some words, each as its words."""
    return [line.split() for line in show(lab.nodes[name], command).splitlines() if all(w in line for w in words)]


# -- forwarding addresses --------------------------------------------------------------------------------------------
# It is the next hop of the redistributed route where that is in a network on which OSPF runs (RFC 2328, 2.3).


@pytest.fixture(scope="module")
def triangle(deploy_task: Any) -> Any:
    """R1 redistributes a static route whose next hop R4 shares a LAN with R1 and R2."""
    inside = "ip ospf 1 area 0"
    process = "router ospf 1\n router-id {n}.{n}.{n}.{n}\n"
    one = port("Gi0/0", "172.16.1.1", inside) + port("Gi0/1", "10.1.13.1", inside) + STATIC + "\n"
    configs = {
        "R1": one + process.format(n=1) + " redistribute static subnets\n",
        "R2": port("Gi0/0", "172.16.1.2", inside) + port("Gi0/1", "10.1.23.2", inside) + process.format(n=2),
        "R3": port("Gi0/0", "10.1.13.3", inside) + port("Gi0/1", "10.1.23.3", inside) + process.format(n=3),
        "R4": port("Gi0/0", "172.16.1.4"),
        "S1": "",
    }
    links = ["R1 Gi0/0 - S1 Gi0/1", "R2 Gi0/0 - S1 Gi0/2", "R4 Gi0/0 - S1 Gi0/3"]
    links += ["R1 Gi0/1 - R3 Gi0/0", "R2 Gi0/1 - R3 Gi0/1"]
    return deploy_task(ios_task(configs, links, roles={"S1": "switch"}))


def forwarding_address(lab: Any, name: str = "R3") -> str:
    found = seen(lab, name, "show ip ospf database external 192.168.1.0", "Forward")
    return found[0][-1] if found else ""


def await_one_instance(lab: Any) -> None:
    """Wait until R1 and R3 have the same instance of the external route: R1 numbers it anew after a reload."""

    def numbers() -> set[str]:
        return {str(seen(lab, name, "show ip ospf database external 192.168.1.0", "LS Seq")) for name in ("R1", "R3")}

    await_that(lambda: len(numbers()) == 1, numbers)


def await_address(lab: Any, address: str) -> None:
    await_that(lambda: forwarding_address(lab) == address, lambda: forwarding_address(lab))


def test_a_default_cost_waits_until_its_area_is_a_stub_area(triangle: Any) -> None:
    router = triangle.nodes["R1"]
    type_lines(router, "router ospf 1", "area 0 default-cost 5", "area 7 default-cost 6", "area 7 stub")
    lines = router.vty([("ospfd", "show running-config")])[0][0]
    assert "area 0.0.0.7 default-cost 6" in lines
    assert "area 0.0.0.0 default-cost" not in lines
    type_lines(router, "router ospf 1", "no area 7 stub", "no area 7 default-cost 6", "no area 0 default-cost 5")
    assert "0.0.0.7" not in router.vty([("ospfd", "show running-config")])[0][0]


def test_a_booted_router_gives_the_next_hop_as_forwarding_address(triangle: Any) -> None:
    await_address(triangle, "172.16.1.4")


@pytest.mark.parametrize("route", [STATIC, "ip route 192.168.1.0 255.255.255.0 172.16.1.4"])
def test_a_typed_route_has_the_same_forwarding_address_as_a_booted_one(triangle: Any, route: str) -> None:
    type_lines(triangle.nodes["R1"], f"no {STATIC}")
    await_address(triangle, "")
    type_lines(triangle.nodes["R1"], route)
    await_address(triangle, "172.16.1.4")
    type_lines(triangle.nodes["R1"], f"no {route}", STATIC)


def test_the_forwarding_address_follows_the_networks_of_ospf(triangle: Any) -> None:
    type_lines(triangle.nodes["R1"], "interface Gi0/0", "no ip ospf 1 area 0")
    await_address(triangle, "0.0.0.0")
    type_lines(triangle.nodes["R1"], "interface Gi0/0", "ip ospf 1 area 0")
    await_address(triangle, "172.16.1.4")


def test_the_forwarding_address_is_there_again_after_the_interface_was_down(triangle: Any) -> None:
    type_lines(triangle.nodes["R1"], "interface Gi0/0", "shutdown")
    await_address(triangle, "")
    type_lines(triangle.nodes["R1"], "interface Gi0/0", "no shutdown")
    await_address(triangle, "172.16.1.4")


def test_the_forwarding_address_is_there_again_after_the_interface_had_another_network(triangle: Any) -> None:
    type_lines(triangle.nodes["R1"], "interface Gi0/0", f"ip address 172.16.9.1 {LAN}")
    await_address(triangle, "")
    type_lines(triangle.nodes["R1"], "interface Gi0/0", f"ip address 172.16.1.1 {LAN}")
    await_address(triangle, "172.16.1.4")


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("router ospf 1", "passive-interface GigabitEthernet0/0"),
        ("interface Gi0/0", "ip ospf network point-to-point"),
        ("interface Gi0/0", "ip ospf network point-to-multipoint"),
    ],
)
def test_no_next_hop_on_a_passive_or_point_to_point_interface_is_a_forwarding_address(
    triangle: Any, place: str, line: str
) -> None:
    # Cisco document 13682 and networkurge.com 2017/06 ospf-forward-address: four conditions
    router = triangle.nodes["R1"]
    type_lines(router, place, line)
    await_address(triangle, "0.0.0.0")
    device = device_of(router)
    device.startup_config = device.running_config()
    startup.reload(device)
    await_address(triangle, "0.0.0.0")
    await_one_instance(triangle)
    type_lines(router, place, f"no {line.removesuffix(' point-to-point').removesuffix(' point-to-multipoint')}")
    await_address(triangle, "172.16.1.4")


# -- forms of a line that have fewer options ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain(deploy_task: Any) -> Any:
    """R1 (private AS 65004), R2 (AS 64500), R3 (AS 64496)."""
    one = port("Gi0/0", "10.0.12.1") + "ip route 198.51.100.0 255.255.255.0 Null0\nrouter bgp 65004\n"
    two = port("Gi0/0", "10.0.12.2") + port("Gi0/1", "10.0.23.2")
    two += "route-map IN permit 10\n set weight 100\nroute-map IN permit 20\n set metric 20\n"
    two += "router bgp 64500\n neighbor 10.0.12.1 remote-as 65004\n neighbor 10.0.12.1 route-map IN in\n"
    three = port("Gi0/0", "10.0.23.3") + "router bgp 64496\n neighbor 10.0.23.2 remote-as 64500\n"
    configs = {
        "R1": one + " network 198.51.100.0\n neighbor 10.0.12.2 remote-as 64500\n",
        "R2": two + " neighbor 10.0.23.3 remote-as 64496\n neighbor 10.0.23.3 remove-private-as all replace-as\n",
        "R3": three,
    }
    return deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0"]))


def test_a_shorter_form_of_a_line_takes_the_options_of_the_longer_one_away(chain: Any) -> None:
    line = "neighbor 10.0.23.3 remove-private-as"

    def path() -> list[str]:
        found = seen(chain, "R3", "show ip bgp", "10.0.23.2")
        return found[0][4:] if found else []

    for typed, expected in ((line, "64500 i"), (f"{line} all replace-as", "64500 64500 i"), (line, "64500 i")):
        type_lines(chain.nodes["R2"], "router bgp 64500", typed, "do clear ip bgp * soft out")
        await_that(lambda expected=expected: path() == expected.split(), path)
    type_lines(chain.nodes["R2"], "router bgp 64500", f"no {line}", "do clear ip bgp * soft out")
    await_that(lambda: path() == ["64500", "65004", "i"], path)


def test_a_route_map_in_use_takes_continue_at_once(chain: Any) -> None:
    def values() -> list[str]:
        found = seen(chain, "R2", "show ip bgp", "198.51.100.0")
        return found[0][3:5] if found else []

    await_that(lambda: values() == ["0", "100"], values)
    for typed, metric in (("continue 20", "20"), ("no continue 20", "0"), ("continue", "20"), ("no continue", "0")):
        type_lines(chain.nodes["R2"], "route-map IN permit 10", typed)
        await_that(lambda metric=metric: values() == [metric, "100"], values)


def test_ospf_takes_another_route_map_for_redistribution_at_once(deploy_task: Any) -> None:
    link = "router ospf 1\n network 10.0.12.0 0.0.0.255 area 0\n network 172.16.0.0 0.0.255.255 area 0\n"
    maps = "".join(f"route-map M{n} permit 10\n set metric {n}\n" for n in (5, 7))
    one = port("Gi0/0", "10.0.12.1") + port("Loopback0", "172.16.1.1") + port("Loopback1", "192.168.9.1") + maps
    configs = {
        "R1": one + link + " redistribute connected subnets route-map M5\n",
        "R2": port("Gi0/0", "10.0.12.2") + link,
    }
    lab = deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))
    settle(lab)

    def metric() -> list[str]:
        found = seen(lab, "R2", "show ip route ospf", "192.168.9")
        return found[0] if found else []

    await_that(lambda: "[110/5]" in metric(), metric)
    type_lines(lab.nodes["R1"], "router ospf 1", "redistribute connected subnets route-map M7")
    await_that(lambda: "[110/7]" in metric(), metric)
    type_lines(lab.nodes["R1"], "route-map M7 permit 10", "set metric 9")
    await_that(lambda: "[110/9]" in metric(), metric)
    type_lines(lab.nodes["R1"], "router ospf 1", "no redistribute connected route-map M7")
    await_that(lambda: "[110/20]" in metric(), metric)


# -- interfaces --------------------------------------------------------------------------------------------------------


def test_an_interface_gets_back_what_a_small_mtu_and_a_configured_mac_address_took(deploy_task: Any) -> None:
    six = port("Gi0/0", "10.0.12.1", "ipv6 address 2001:DB8:12::1/64")
    lab = deploy_task(ios_task({"R1": six, "R2": ""}, ["R1 Gi0/0 - R2 Gi0/0"]))

    def kernel() -> set[str]:
        words = lab.nodes["R1"].run(["ip", "addr", "show", "dev", "gi0-0"]).stdout.split()
        told = {word for word in words if ":" in word and not word.endswith(":") and not word.startswith("fe80")}
        return {*told - {"ff:ff:ff:ff:ff:ff"}, words[words.index("mtu") + 1]}

    before = kernel()
    assert "2001:db8:12::1/64" in before
    type_lines(lab.nodes["R1"], "interface Gi0/0", "mtu 200", "mac-address 0000.0c07.ac01")
    assert not kernel() & before
    type_lines(lab.nodes["R1"], "interface Gi0/0", "no mtu 200", "no mac-address 0000.0c07.ac01")
    assert kernel() == before


def test_isis_takes_the_metric_of_a_level_and_ospf_shows_an_unnumbered_interface(deploy_task: Any) -> None:
    loopback = "interface Loopback0\n ip address 10.1.1.1 255.255.255.255\n"
    unnumbered = "interface Gi0/0\n ip unnumbered Loopback0\n ip ospf 1 area 0\n ip router isis\n no shutdown\n"
    config = loopback + unnumbered + "router ospf 1\nrouter isis\n net 49.0001.0000.0000.0001.00\n"
    lab = deploy_task(ios_task({"R1": config, "R2": ""}, ["R1 Gi0/0 - R2 Gi0/0"]))
    type_lines(lab.nodes["R1"], "interface Gi0/0", "isis metric 5 level-2", "isis priority 7 level-1")
    assert "GigabitEthernet0/0" in show(lab.nodes["R1"], "show ip ospf interface")


# -- reloads ---------------------------------------------------------------------------------------------------------


def test_reloads_leave_nothing_of_the_daemons_that_they_end(deploy_task: Any) -> None:
    config = port("Gi0/0", "10.0.0.1") + "router ospf 1\n network 10.0.0.0 0.0.0.255 area 0\nrouter bgp 65001\n"
    router = deploy_task(ios_task({"R1": config}, [])).nodes["R1"]

    def files() -> int:
        return len(router.run(["find", "/var", "/run/frr"]).stdout.splitlines())

    before = files()
    for _ in range(3):
        reload(device_of(router))
    assert files() <= before
