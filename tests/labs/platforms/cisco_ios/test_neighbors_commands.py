"""CDP and LLDP in a real lab: which neighbors are shown, and when they disappear."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from tests.support.switches import switched_task

ROUTER = """
interface Gi0/0
 ip address 10.0.0.1 255.255.255.0
 no shutdown
lldp run
"""
SWITCH = """
ip domain name lab.example
spanning-tree mode rapid-pvst
interface range Gi0/0 - 2
 spanning-tree portfast
interface Vlan1
 ip address 10.0.0.2 255.255.255.0
 no shutdown
lldp run
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    links = ["SW Gi0/0 - R1 Gi0/0", "SW Gi0/1 - h eth0", "SW Gi0/2 - R2-with-a-long-name Gi0/0"]
    configs = {"R1": ROUTER, "SW": SWITCH, "R2-with-a-long-name": "interface Gi0/0\n no ip address\n no shutdown\n"}
    return deploy_task(switched_task(configs, links, switches=["SW"], hosts={"h": "10.0.0.3/24"}), time_scale=20)


@pytest.fixture
def show(lab, platform):
    def show(node: str, command: str):
        return parse_output(platform="cisco_ios", command=command, data=platform.execute(lab.nodes[node], command))

    return show


def test_devices_at_the_other_end_of_cables_are_cdp_neighbors_and_hosts_are_not(show):
    rows = {row["neighbor_name"]: row for row in show("SW", "show cdp neighbors")}
    assert set(rows) == {"R1", "R2-with-a-long-name"}
    assert (rows["R1"]["local_interface"], rows["R1"]["neighbor_interface"]) == ("Gig 0/0", "Gig 0/0")
    assert rows["R2-with-a-long-name"]["local_interface"] == "Gig 0/2"
    [row] = show("R1", "show cdp neighbors")
    assert (row["neighbor_name"], row["capabilities"]) == ("SW.lab.example", "S I")


def test_cdp_details_tell_address_and_platform(show):
    [row] = show("R1", "show cdp neighbors detail")
    assert row["neighbor_name"] == "SW.lab.example"
    assert row["mgmt_address"] == "10.0.0.2"
    assert row["local_interface"] == row["neighbor_interface"] == "GigabitEthernet0/0"
    assert {entry["neighbor_name"] for entry in show("SW", "show cdp neighbors detail")} == {
        "R1",
        "R2-with-a-long-name",
    }


def test_lldp_shows_who_runs_it(show):
    [row] = show("SW", "show lldp neighbors")
    assert (row["neighbor_name"], row["local_interface"], row["neighbor_interface"]) == ("R1", "Gi0/0", "Gi0/0")
    [detail] = show("R1", "show lldp neighbors detail")
    assert (detail["neighbor_name"], detail["mgmt_address"]) == ("SW.lab.example", "10.0.0.2")


def test_lldp_is_off_unless_asked_for(lab, platform):
    assert platform.execute(lab.nodes["R2-with-a-long-name"], "show lldp neighbors") == "% LLDP is not enabled\n"


@pytest.mark.parametrize(
    "lines", [("no cdp run",), ("interface Gi0/0", "no cdp enable"), ("interface Gi0/0", "shutdown")]
)
def test_a_neighbor_that_stops_is_gone(lab, platform, show, lines):
    platform.apply(lab.nodes["R1"], [*lines, "end"])
    assert "R1" not in {row["neighbor_name"] for row in show("SW", "show cdp neighbors")}
    undone = [line.removeprefix("no ") if line.startswith("no ") else f"no {line}" for line in lines[-1:]]
    platform.apply(lab.nodes["R1"], [*lines[:-1], *undone, "end"])
    assert "R1" in {row["neighbor_name"] for row in show("SW", "show cdp neighbors")}
