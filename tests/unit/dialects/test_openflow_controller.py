"""Intents of a controller, and the flows that they need."""

from __future__ import annotations

from itertools import permutations

import pytest

from pytest_netbench.dialects.openflow_controller.fabric import tables
from pytest_netbench.dialects.openflow_controller.intents import Intents, check, parse, unknown, written
from tests.support.fabrics import routed, switched

SWITCHES = {"leaf1": 1, "leaf2": 2, "leaf3": 3, "spine1": 4, "spine2": 5}
TEXT = "\n".join(
    [
        "# a fabric",
        "listen 6653",
        *(f"switch {name} id {number} address 100.64.0.{number}" for name, number in SWITCHES.items()),
        *(f"link leaf{leaf} {spine} spine{spine} {leaf}" for leaf in (1, 2, 3) for spine in (1, 2)),
        *(f"network 10.0.{n}.0/24 gateway 10.0.{n}.1 mac 02:00:5e:00:00:01 switch leaf{n}" for n in (1, 2, 3)),
        *(
            f"host 10.0.{n}.{10 + h} mac 02:00:0a:00:0{n}:0{h} switch leaf{n} port {2 + h}"
            for n in (1, 2, 3)
            for h in (1, 2)
        ),
    ]
)


@pytest.fixture(scope="module")
def intents() -> Intents:
    return parse(TEXT.splitlines())


def test_intents_are_read_as_they_are_written(intents: Intents) -> None:
    assert list(written(intents)) == TEXT.splitlines()[1:]
    assert parse(written(intents)) == intents
    assert unknown(intents) == []
    assert unknown(parse(["link a 1 b 1", "switch a id 1 address 10.0.0.1"])) == ["b"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("lisen 1", r"unknown word 'lisen' \(known: listen, switch, link, network, host\)"),
        ("listen", "expected 'listen PORT'"),
        ("listen 0", r"0 is no port \(1 to 65535\)"),
        ("switch a id 1 address 300.1.1.1", "300.1.1.1"),
        ("network 10.0.1.5/24 gateway 10.0.1.1 mac 02:00:00:00:00:01 switch a", "has host bits set"),
        ("host 10.0.1.5 mac 02-00 switch a port 1", "expected 'host ADDRESS mac MAC switch SWITCH port PORT'"),
    ],
)
def test_a_wrong_intent_is_refused_with_what_was_expected(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check(line)


def test_each_host_reaches_each_other_one(intents: Intents) -> None:
    found = tables(intents)
    for one, other in permutations(intents.hosts, 2):
        walk = switched if one.switch == other.switch else routed
        assert walk(intents, found, one, other)[1] == "delivered", (one, other)


def test_a_packet_to_the_wrong_hardware_address_goes_nowhere(intents: Intents) -> None:
    one, neighbor, far = intents.hosts[0], intents.hosts[1], intents.hosts[2]
    found = tables(intents)
    assert switched(intents, found, one, far)[1] == "no rule"
    assert neighbor.mac != far.mac


def test_subnets_are_spread_over_the_spines(intents: Intents) -> None:
    one = intents.hosts[0]
    spines = {routed(intents, tables(intents), one, other)[0][0][1] for other in intents.hosts[2:]}
    assert spines == {1, 2}


def test_without_a_cable_packets_take_another_way_if_there_is_one(intents: Intents) -> None:
    one, other = intents.hosts[0], intents.hosts[-1]
    for down in ({("leaf1", 1)}, {("spine1", 3)}, {("leaf1", 2), ("spine2", 1)}):
        assert routed(intents, tables(intents, down), one, other)[1] == "delivered"
    assert routed(intents, tables(intents, {("leaf1", 1), ("leaf1", 2)}), one, other)[1] == "no rule"


def test_the_gateway_answers_only_questions_for_its_address(intents: Intents) -> None:
    answering = [rule for rule in tables(intents)["leaf2"] if rule.actions[0][0] == "answer"]
    assert [dict(rule.match) for rule in answering] == [{"eth_type": 0x0806, "arp_op": 1, "arp_tpa": "10.0.2.1"}]
