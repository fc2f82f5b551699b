"""Interfaces of tasks among the ports of nodes, as a server shows them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.backends.gns3.ports import Port, kernel_interface, port_of
from pytest_netbench.errors import LabError


def node(*names: str, short: str = "e{}", per_adapter: int = 1) -> dict[str, Any]:
    return {
        "name": "R1",
        "ports": [
            {
                "name": name,
                "short_name": short.format(number),
                "adapter_number": number // per_adapter,
                "port_number": number % per_adapter,
                "link_type": "ethernet",
            }
            for number, name in enumerate(names)
        ],
    }


@pytest.mark.parametrize(
    ("interface", "port"),
    [("GigabitEthernet0/1", Port(1, 0)), ("Gi0/1", Port(1, 0)), ("gigabitethernet0/0", Port(0, 0))],
)
def test_a_name_is_the_same_short_or_long(interface: str, port: Port) -> None:
    assert port_of(node("Gi0/0", "Gi0/1"), interface) == port


def test_ports_of_an_iol_are_found_by_adapter_and_port() -> None:
    iol = node("Ethernet0/0", "Ethernet0/1", "Ethernet0/2", "Ethernet0/3", "Ethernet1/0", per_adapter=4)
    assert port_of(iol, "Ethernet1/0") == Port(1, 0)
    assert port_of(iol, "e0/2") == Port(0, 2)


def test_an_interface_of_another_word_is_the_port_of_its_number() -> None:
    assert port_of(node("Ethernet0", "Ethernet1"), "eth1") == Port(1, 0)
    assert port_of(node("Adapter a", "Adapter b", short=""), "ens1") == Port(1, 0)


def test_a_node_with_one_port_has_one_interface_whatever_its_name() -> None:
    assert port_of(node("Ethernet0"), "eth7") == Port(0, 0)


def test_the_kernel_of_a_host_counts_its_ports() -> None:
    host = node("Ethernet0", "Ethernet1", "Ethernet2")
    assert [kernel_interface(host, name) for name in ("eth2", "ens1", "Ethernet0")] == ["eth2", "eth1", "eth0"]


def test_a_serial_port_is_none_of_them() -> None:
    serial = node("Ethernet0", "Serial1")
    serial["ports"][1]["link_type"] = "serial"
    assert port_of(serial, "whatever") == Port(0, 0)


def test_an_interface_without_a_port_is_named_with_those_there_are() -> None:
    with pytest.raises(LabError, match=r"R1 has no port for interface 'eth2' \(its ports: Ethernet0, Ethernet1; fix: "):
        port_of(node("Ethernet0", "Ethernet1"), "eth2")
    with pytest.raises(LabError, match="no port for interface 'GigabitEthernet0/1'"):
        port_of(node("Ethernet0", "Ethernet1"), "GigabitEthernet0/1")
