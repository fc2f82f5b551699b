"""Floods on paper: what is sent and answered, and between which hosts they can be."""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest

from pytest_netbench.faults import flooder
from pytest_netbench.faults.attacks import REQUESTS
from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.platforms.linux.web import MOST_REQUESTS
from pytest_netbench.probing import packets

SOURCE, TARGET = socket.inet_aton("10.1.0.250"), socket.inet_aton("10.2.0.7")
FLOODS = ("tcp-syn-flood", "web-flood")
OWN, ASKER = bytes.fromhex("02aabbccddee"), bytes.fromhex("021122334455")


def a_network(**parameters: Any) -> DrawnNetwork:
    given = {"shape": "line", "routing": "ospf", "services": ("web",), "managed_hosts": True, **parameters}
    return draw_network(NetworkParameters.model_validate(given))


def fault(name: str = "tcp-syn-flood") -> Any:
    return fault_of(name)


def test_a_syn_is_a_packet_with_right_checksums() -> None:
    packet = flooder.syn(SOURCE, TARGET, 80, 40_000, 7)
    seen = packets.read_ip(packet)
    assert seen is not None
    assert (seen.protocol, seen.source, seen.target) == (packets.TCP, SOURCE, TARGET)
    assert (seen.source_port, seen.target_port, seen.kind, seen.number) == (40_000, 80, packets.SYN, 7)
    pseudo = SOURCE + TARGET + struct.pack("!HH", packets.TCP, len(packet) - 20)
    assert packets.checksum(pseudo + packet[20:]) == 0


def asked(address: bytes, kind: int = 1) -> bytes:
    body = struct.pack("!HHBBH6s4s6s4s", 1, 0x0800, 6, 4, kind, ASKER, TARGET, bytes(6), address)
    return b"\xff" * 6 + ASKER + b"\x08\x06" + body


def test_who_asks_for_an_address_of_nobody_is_told_the_own_hardware_address() -> None:
    answer = flooder.arp_answer(asked(SOURCE), OWN, {SOURCE})
    assert answer is not None
    assert answer[:14] == ASKER + OWN + b"\x08\x06"
    assert struct.unpack("!HHBBH6s4s6s4s", answer[14:])[4:] == (2, OWN, SOURCE, ASKER, TARGET)


@pytest.mark.parametrize("frame", [asked(TARGET), asked(SOURCE, kind=2), asked(SOURCE)[:30]])
def test_no_other_frame_is_answered(frame: bytes) -> None:
    assert flooder.arp_answer(frame, OWN, {SOURCE}) is None


def test_any_other_host_floods_a_web_server_from_addresses_of_nobody_in_its_lan() -> None:
    network = a_network(sizes={"routers": 2, "hosts": 2})
    (victim,) = [node.name for node in network.topology.nodes if any(one.kind == "web" for one in node.services)]
    found = list(fault().places(network))
    assert {one.node for one in found} == set(network.hosts) - {victim}
    taken = {one.address for lan in network.subnets for one in lan.attachments}
    for one in found:
        assert (one.victim, one.target) == (victim, network.addresses[victim])
        assert len(set(one.sources)) == 4
        assert not {*one.sources, network.lan_of(one.node).gateway} & (taken - {network.lan_of(one.node).gateway})
        assert all(IPv4Address(source) in IPv4Network(network.lan_of(one.node).prefix) for source in one.sources)


@pytest.mark.parametrize("name", FLOODS)
def test_nobody_floods_where_an_access_list_may_be_in_the_way(name: str) -> None:
    for services in (("web",), ("web", "filter")):
        network = a_network(services=services, platform="cisco_ios")
        assert bool(network.access_lists) == ("filter" in services)
        assert bool(list(fault(name).places(network))) != bool(network.access_lists)


@pytest.mark.parametrize("name", FLOODS)
def test_it_is_outside_the_nodes_and_named_at_the_host_that_sends(name: str) -> None:
    assert isinstance(fault(name), NetworkValue)
    assert isinstance(fault(name), OutsideValue)
    parameters = DiagnoseParameters.model_validate(
        {"faults": (name,), "services": ("web",), "healthy": 0.0, "level": "1"}
    )
    payload = diagnose_of(DiagnoseGenerator().draw(parameters, seed=1, index=0))
    ((kind, places, _),) = payload.causes
    assert (kind, places) == (name, (f"node/{payload.faults[0].parameters['node']}",))


def test_a_flood_of_requests_takes_all_places_of_a_web_server_and_of_those_who_wait() -> None:
    assert REQUESTS > MOST_REQUESTS + 10
    network = a_network(sizes={"routers": 2, "hosts": 2})
    for one in fault("web-flood").places(network):
        assert one.address == network.addresses[one.node] != one.target
        assert one.node in fault("web-flood").explain(one)


def test_floods_from_one_host_or_of_one_server_are_not_in_one_task() -> None:
    network = a_network(sizes={"routers": 2, "hosts": 2})
    syns, requests = ({one.node: one for one in fault(name).places(network)} for name in FLOODS)
    touched = [
        {node: fault(name).touches(one) for node, one in found.items()}
        for name, found in zip(FLOODS, (syns, requests), strict=True)
    ]
    assert all(touched[0][one] & touched[1][other] for one in syns for other in requests)
