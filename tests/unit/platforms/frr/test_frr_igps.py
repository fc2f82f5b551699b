"""Session ends of OSPFv3, RIP and IS-IS, on answers of FRR."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.lab.matching import pairs
from pytest_netbench.platforms.frr import igps


def circuits(node, level, area):
    circuit = {"name": "eth0", "state": "Up", "level": level}
    config = f"hostname {node}\nrouter isis x\n net {area}.0000.0000.000{ord(node) - 96}.00\n"
    where = {"eth0": (ip_interface(f"10.0.0.{ord(node)}/24"),)}
    answers = ({"areas": [{"area": "x", "circuits": [{"interface": circuit}]}]}, "", "")
    return igps.isis_ends(node, answers, where, config)


def test_levels_of_isis_meet_at_level_2_or_in_one_area():
    def meet(*ends):
        return len(pairs([one for each in ends for one in each], {})) == 1

    assert meet(circuits("a", "L1L2", "49.0001"), circuits("b", "L2", "49.0002"))
    assert meet(circuits("a", "L1", "49.0001"), circuits("b", "L1L2", "49.0001"))
    assert not meet(circuits("a", "L1", "49.0001"), circuits("b", "L1", "49.0002"))
    assert not meet(circuits("a", "L1", "49.0001"), circuits("b", "L2", "49.0001"))


@pytest.mark.parametrize("indent", ["", " "], ids=["8.4", "10.3"])
def test_a_neighbor_of_isis_counts_once_it_is_in_the_topology(indent):
    circuit = {"name": "eth0", "state": "Up", "level": "L2"}
    interfaces = {"areas": [{"area": "x", "circuits": [{"interface": circuit}]}]}
    neighbors = (
        "Area x:\n System Id           Interface   L  State        Holdtime SNPA\n R2                  eth0        2 "
        " Up            30       aa\n"
    )
    heading = f"Area x:\n{indent}Vertex        Type         Metric Next-Hop  Interface Parent\n{indent}R1\n"
    where = {"eth0": (ip_interface("10.0.0.1/24"),)}
    for row, known in (("R2            TE-IS        15     R2        eth0      R1(4)", {"R2"}), ("", set())):
        answers = (interfaces, neighbors, f"{heading}{indent}{row}\n")
        (found,) = igps.isis_ends("R1", answers, where, "hostname R1\nrouter isis x\n net 49.0001.0000.0000.0001.00\n")
        assert set(found.seen) == known


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
    assert [one.is_silent for one in igps.rip_ends("r1", STATUS, TABLE, WHERE, "")] == [True, True]
    assert [one.is_silent for one in igps.rip_ends("r1", STATUS, TABLE + NEWS, WHERE, "")] == [False, True]
    assert set(igps.rip_ends("r1", STATUS, TABLE, WHERE, "")[0].seen) == {"10.0.12.2"}


def test_versions_of_rip_must_be_understood():
    def end(node, sent, received):
        where = {"gi0-0": (ip_interface(f"10.0.12.{ord(node) - 96}/24"),)}
        return igps.rip_ends(node, f"    gi0-0            {sent}     {received}\n", TABLE + NEWS, where, "")[0]

    old, new, both = end("a", "1", "1"), end("b", "2", "2"), end("c", "1", "1 2")
    assert pairs([old, new], {}) == []
    assert len(pairs([old, both], {})) == 1


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


@pytest.mark.parametrize(
    ("state", "backup", "since", "waits"),
    [
        ("Waiting", "2.2.2.2", "00:00:14", True),
        ("DROther", "2.2.2.2", "00:00:14", False),
        ("DROther", "0.0.0.0", "00:00:14", True),
        ("DROther", "0.0.0.0", "00:01:30", False),
    ],
)
def test_an_election_of_ospfv3_is_waited_for(state, backup, since, waits) -> None:
    shown = {"type": "BROADCAST", "ospf6InterfaceState": state, "dr": "3.3.3.3", "bdr": "2.2.2.2"}
    interfaces = {"eth0": {**shown, "timerIntervalsConfigDead": 40}, "lo": {"type": "LOOPBACK"}}
    said = {"interface": "eth0", "neighborDRouter": "3.3.3.3", "neighborBdRouter": backup}
    details = {"3.3.3.3%eth0": {**said, "neighborStateDuration": since}}
    phrases = ["R1: OSPFv3 elects a designated router on eth0"] if waits else []
    assert igps.ospf6_waiting("R1", interfaces, details) == phrases
