"""Which neighbours of OSPFv3, RIP and IS-IS must be there, on paper."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.platforms.frr import igps
from pytest_netbench.platforms.frr.igps import Side


def side(node, address, **fields):
    return Side(node=node, interface="eth0", addresses=(ip_interface(address),), name=node, **fields)


def test_a_neighbour_that_is_not_there_is_missed_from_both_ends():
    sides = [side("a", "10.0.0.1/24"), side("b", "10.0.0.2/24")]
    assert [phrase for _, phrase in igps.missing("IS-IS", sides, igps.alike)] == [
        "a: IS-IS neighbor b on eth0 is not there yet",
        "b: IS-IS neighbor a on eth0 is not there yet",
    ]


@pytest.mark.parametrize(
    "other",
    [
        side("b", "10.0.1.2/24"),
        side("b", "10.0.0.2/24", silent=True),
        side("b", "10.0.0.2/24", traits=("area 1",)),
        side("b", "10.0.0.2/24", lines=("password x",)),
        side("a", "10.0.0.2/24"),
    ],
)
def test_ends_that_cannot_be_neighbours_are_not_waited_for(other):
    assert list(igps.missing("OSPFv3", [side("a", "10.0.0.1/24"), other], igps.alike)) == []


def test_levels_of_isis_meet_at_level_2_or_in_one_area():
    def circuit(node, level, area):
        return side(node, f"10.0.0.{ord(node)}/24", traits=(level, area, False))

    assert igps.isis_fits(circuit("a", "L1L2", "49.1"), circuit("b", "L2", "49.2"))
    assert igps.isis_fits(circuit("a", "L1", "49.1"), circuit("b", "L1L2", "49.1"))
    assert not igps.isis_fits(circuit("a", "L1", "49.1"), circuit("b", "L1", "49.2"))
    assert not igps.isis_fits(circuit("a", "L1", "49.1"), circuit("b", "L2", "49.1"))


@pytest.mark.parametrize("indent", ["", " "], ids=["8.4", "10.3"])
def test_a_neighbour_of_isis_counts_once_it_is_in_the_topology(indent):
    circuit = {"name": "eth0", "state": "Up", "level": "L2"}
    interfaces = {"areas": [{"area": "x", "circuits": [{"interface": circuit}]}]}
    neighbours = (
        "Area x:\n System Id           Interface   L  State        Holdtime SNPA\n R2                  eth0        2 "
        " Up            30       aa\n"
    )
    heading = f"Area x:\n{indent}Vertex        Type         Metric Next-Hop  Interface Parent\n{indent}R1\n"
    where = {"eth0": (ip_interface("10.0.0.1/24"),)}
    for row, known in (("R2            TE-IS        15     R2        eth0      R1(4)", {"R2"}), ("", set())):
        answers = (interfaces, neighbours, f"{heading}{indent}{row}\n")
        (found,) = igps.isis_sides("R1", answers, where, "hostname R1\nrouter isis x\n net 49.0001.0000.0000.0001.00\n")
        assert found.neighbours == known


STATUS = """Routing Protocol is "rip"
  Default version control: send version 2, receive version 2
    Interface        Send  Recv   Key-chain
    gi0-0            2     2
    gi0-1            2     1 2
  Routing for Networks:
    gi0-0
  Passive Interface(s):
    gi0-1
  Routing Information Sources:
    Gateway          BadPackets BadRoutes  Distance Last Update
    10.0.12.2                0         0       120   00:00:01
  Distance: (default is 120)
"""
TABLE = "C(i) 10.0.12.0/24       0.0.0.0               1 self              0\n"
NEWS = "C(i) 172.16.1.0/24       0.0.0.0               1 self              0\n"
WHERE = {"gi0-0": (ip_interface("10.0.12.1/24"),), "gi0-1": (ip_interface("172.16.1.1/24"),)}


def test_a_router_that_has_nothing_to_tell_is_not_expected_to_be_heard():
    assert [one.silent for one in igps.rip_sides("r1", STATUS, TABLE, WHERE, "")] == [True, True]
    assert [one.silent for one in igps.rip_sides("r1", STATUS, TABLE + NEWS, WHERE, "")] == [False, True]
    assert igps.rip_sides("r1", STATUS, TABLE, WHERE, "")[0].neighbours == frozenset({"10.0.12.2"})


def test_versions_of_rip_must_be_understood():
    old, new = (side(n, f"10.0.0.{i}/24", traits=(v, v)) for i, (n, v) in enumerate((("a", "1"), ("b", "2")), start=1))
    both = side("c", "10.0.0.3/24", traits=("1", "1 2"))
    assert not igps.rip_fits(old, new)
    assert igps.rip_fits(old, both)


@pytest.mark.parametrize(("age", "moving"), [("00:00:03", True), ("00:00:10", False), ("01:00:01", False)])
def test_young_routes_of_rip_may_not_have_been_told_yet(age, moving):
    assert igps.rip_is_moving(f"R>* 172.16.2.0/24 [120/2] via 10.0.12.2, gi0-0, weight 1, {age}") is moving


def test_lines_below_interfaces_are_found():
    config = "interface a\n isis passive\nexit\n!\nrouter isis x\n net 49.0001\ninterface b\n isis metric 3\n"
    assert igps.blocks(config, "interface") == {"a": ("isis passive",), "b": ("isis metric 3",)}


DATABASE = """
        Area Scoped Link State Database (Area 0)

Type LSId           AdvRouter       Age   SeqNum                        Payload
Rtr  0.0.0.0        1.1.1.1           7 80000004              2.2.2.2/0.0.39.17
Net  0.0.39.16      1.1.1.1        3600 80000001                        1.1.1.1

        I/F Scoped Link State Database (I/F eth0 in Area 0)

Type LSId           AdvRouter       Age   SeqNum                        Payload
Lnk  0.0.39.16      1.1.1.1          54 80000001      fe80::8c4a:5cff:fe58:f231

        Area Scoped Link State Database (Area 0.0.0.7)

Type LSId           AdvRouter       Age   SeqNum                        Payload
IAP  0.0.0.1        3.3.3.3          19 80000002                  2001:db8::/64
"""


def test_databases_of_ospfv3_are_compared_by_area_without_ages():
    assert igps.ospf6_databases(DATABASE) == {
        "0.0.0.0": {("Rtr", "0.0.0.0", "1.1.1.1", "80000004")},
        "0.0.0.7": {("IAP", "0.0.0.1", "3.3.3.3", "80000002")},
    }


def test_ends_without_addresses_are_on_one_link_if_a_cable_joins_them():
    ends = [Side(node=node, interface="eth0", addresses=(), name=node) for node in "ab"]
    cable = frozenset({frozenset({("a", "eth0"), ("b", "eth0")})})
    assert len(list(igps.missing("OSPFv3", ends, igps.alike, cable))) == 2
    assert list(igps.missing("OSPFv3", ends, igps.alike)) == []
