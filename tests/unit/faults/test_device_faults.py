"""Faults of devices on paper: their places in drawn networks, their commands, and the check of running configs."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.faults.device import unlike
from pytest_netbench.faults.protocol import NetworkFault
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network

NAMES = [name for name in parts.names("faults") if isinstance(parts.load("faults", name)(), NetworkFault)]
CONFIG = """\
interface eth0
 ip ospf network point-to-point
exit
router ospf
 network 10.0.0.0/24 area 0
 network 10.0.1.0/24 area 0
exit
"""


def drawn(shape: str, routing: str, platform: str, **sizes: int) -> DrawnNetwork:
    return draw_network(
        NetworkParameters.model_validate({"shape": shape, "routing": routing, "platform": platform, "sizes": sizes})
    )


def places(name: str, network: DrawnNetwork) -> list[Any]:
    return list(parts.load("faults", name)().places(network))


@pytest.mark.parametrize(
    ("commands", "problems"),
    [
        (("router ospf", " no network 10.0.2.0/24 area 0"), 0),
        (("router ospf", " network 10.0.1.0/24 area 0"), 0),
        (("router ospf", " network 10.0.1.0/24 area 0", " no network 10.0.0.0/24 area 0"), 1),
        (("router ospf", " network 10.0.1.0/24 area 1"), 1),
        (("router ospf 1", " network 10.0.1.0/24 area 0"), 2),
        (("interface eth0", " no ip ospf network"), 1),
        (("interface eth0", " no ip ospf net"), 0),
        (("interface eth1", " no ip ospf network"), 1),
        (("do clear ip ospf process",), 0),
    ],
)
def test_a_running_config_is_held_to_commands(commands: tuple[str, ...], problems: int) -> None:
    assert len(list(unlike(CONFIG, commands))) == problems


def test_a_wrong_area_is_that_of_one_end_of_a_link() -> None:
    network = drawn("line", "ospf", "frr", routers=3)
    found = places("ospf-area-wrong", network)
    assert len(found) == 4 * 4, "four ends of links, four other areas"
    assert found[0].model_dump() == {
        "node": "r1",
        "platform": "frr",
        "process": "router ospf",
        "interface": "eth0",
        "prefix": "172.16.0.0/30",
        "area": 0,
        "neighbor": "172.16.0.2",
        "instead": 1,
    }


@pytest.mark.parametrize(
    ("platform", "process", "statement"),
    [
        ("frr", "router ospf", " network 172.16.0.0/30 area"),
        ("cisco_ios", "router ospf 1", " network 172.16.0.0 0.0.0.3 area"),
    ],
)
def test_a_wrong_area_is_injected_and_repaired_by_the_statement_of_its_platform(
    platform: str, process: str, statement: str
) -> None:
    known = parts.load("faults", "ospf-area-wrong")()
    one = places("ospf-area-wrong", drawn("line", "ospf", platform, routers=2))[0]
    assert known.injection(one) == (process, f" no{statement} 0", f"{statement} 1")
    assert known.recover(one) == {"r1": (process, f" no{statement} 1", f"{statement} 0")}


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_of_a_device_is_called_by_its_part_name_and_its_places_survive_a_task_file(name: str) -> None:
    known = parts.load("faults", name)()
    assert known.name == name
    networks = [
        drawn(shape, routing, platform)
        for shape, routing in (("line", "ospf"), ("line", "bgp"), ("line", "static"))
        for platform in known.platforms
    ]
    found = [one for network in networks for one in known.places(network)]
    assert found
    for one in found:
        assert known.parameters.model_validate_json(one.model_dump_json()) == one


@pytest.mark.parametrize("name", NAMES)
def test_no_fault_of_a_device_is_in_a_node_that_is_not_managed(name: str) -> None:
    for platform in ("frr", "cisco_ios"):
        network = drawn("dual-homed-isp", "bgp", platform)
        assert all(network.is_managed(one.node) for one in places(name, network))
