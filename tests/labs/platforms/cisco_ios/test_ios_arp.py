"""Which ARP requests and neighbor solicitations a router answers, and what it learns from them.

IOS answers a request from the interface's own subnets only (``debug arp`` calls others "wrong cable"): for the
addresses of the interface, and with proxy ARP, which is on by default, for what it has a route to over another
interface (IP Addressing: ARP Configuration Guide, IOS 15 M&T). RFC 5227 has probes without a sender's address answered.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv6Address
from typing import Any

import pytest

from pytest_netbench.lab.probing import Probe
from tests.support.ios import ios_task, settle, show, type_lines
from tests.support.netns_networks import network
from tests.support.wiretap import frames

R1 = """
ipv6 unicast-routing
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
 ipv6 address 2001:DB8:1::1/128
interface Gi0/0
 ip address 10.0.0.1 255.255.255.0
 ip address 10.0.9.1 255.255.255.0 secondary
 ipv6 address 2001:DB8:A::1/64
 no shutdown
interface Gi0/1
 ip address 10.0.1.1 255.255.255.0
 ipv6 address 2001:DB8:B::1/64
 no ip proxy-arp
 no shutdown
interface Gi0/2
 ip address 10.0.2.1 255.255.255.0
 ipv6 address 2001:DB8:C::1/64
 shutdown
"""
HOST = "ip link set eth0 up\nip addr add 10.0.{}.5/24 dev eth0\nip route add default via 10.0.{}.1"
_REPLY, _ADVERTISEMENT = 2, 136


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    hosts = {"h0": HOST.format(0, 0), "h1": HOST.format(1, 1)}
    return deploy_task(ios_task({"R1": R1}, ["R1 Gi0/0 - h0 eth0", "R1 Gi0/1 - h1 eth0"], hosts=hosts))


def mac(lab: Any, node: str, kernel: str = "eth0") -> bytes:
    done = lab.nodes[node].run(["ip", "-j", "link", "show", "dev", kernel])
    return bytes.fromhex(json.loads(done.stdout)[0]["address"].replace(":", ""))


def answers_arp(lab: Any, host: str, sender: str, target: str) -> bool:
    """Whether R1 answers a host's request."""
    own = mac(lab, host)
    request = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + own + socket.inet_aton(sender) + bytes(6)
    frame = b"\xff" * 6 + own + b"\x08\x06" + request + socket.inet_aton(target) + bytes(18)
    caught = frames(lab.nodes[host], "eth0", "0x0806", count=3, seconds=0.4, send=[frame])
    return any(
        struct.unpack("!H", one[20:22])[0] == _REPLY and socket.inet_ntoa(one[28:32]) == target for one in caught
    )


def answers_nd(lab: Any, host: str, sender: str, target: str) -> bool:
    """Whether R1 answers a host's solicitation."""
    own, wanted, source = mac(lab, host), IPv6Address(target).packed, IPv6Address(sender).packed
    group = IPv6Address("ff02::1:ff00:0").packed[:13] + wanted[13:]
    body = bytes([135, 0, 0, 0, 0, 0, 0, 0]) + wanted + bytes([1, 1]) + own
    pseudo = source + group + struct.pack("!II", len(body), 58)
    total = sum(struct.unpack(f"!{len(pseudo + body) // 2}H", pseudo + body))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    body = body[:2] + struct.pack("!H", ~total & 0xFFFF) + body[4:]
    packet = struct.pack("!IHBB", 0x60000000, len(body), 58, 255) + source + group + body
    frame = b"\x33\x33" + group[12:] + own + b"\x86\xdd" + packet
    caught = frames(lab.nodes[host], "eth0", "0x86dd", count=6, seconds=0.4, send=[frame])
    return any(one[20] == 58 and one[54] == _ADVERTISEMENT and one[62:78] == wanted for one in caught)


@pytest.mark.parametrize(
    ("host", "sender", "target", "answered"),
    [
        ("h0", "10.0.0.5", "10.0.0.1", True),
        ("h0", "10.0.0.5", "10.0.9.1", True),
        ("h0", "10.0.9.5", "10.0.9.1", True),
        ("h0", "0.0.0.0", "10.0.0.1", True),
        ("h0", "10.0.0.5", "10.0.1.7", True),
        ("h0", "10.0.0.5", "10.0.1.1", True),
        ("h0", "10.0.0.5", "1.1.1.1", True),
        ("h0", "10.0.0.5", "10.0.0.77", False),
        ("h0", "10.0.0.5", "10.0.2.1", False),
        ("h0", "10.0.0.5", "10.0.2.7", False),
        ("h0", "10.0.0.5", "172.16.0.1", False),
        ("h0", "172.31.0.9", "10.0.0.1", False),
        ("h0", "172.31.0.9", "10.0.1.7", False),
        ("h0", "10.0.1.9", "10.0.0.1", False),
        ("h1", "10.0.1.5", "10.0.1.1", True),
        ("h1", "10.0.1.5", "10.0.0.1", False),
        ("h1", "10.0.1.5", "10.0.0.5", False),
        ("h1", "10.0.1.5", "1.1.1.1", False),
        ("h1", "10.0.0.5", "10.0.1.1", False),
    ],
)
def test_a_request_is_answered_for_what_the_lines_of_its_interface_explain(
    lab: Any, host: str, sender: str, target: str, answered: bool
) -> None:
    assert answers_arp(lab, host, sender, target) == answered
    if not answered and not sender.startswith("10.0."):
        assert sender not in show(lab.nodes["R1"], "show arp")


@pytest.mark.parametrize(
    ("target", "answered"),
    [
        ("2001:db8:a::1", True),
        ("2001:db8:b::1", False),
        ("2001:db8:c::1", False),
        ("2001:db8:1::1", False),
        ("2001:db8:a::77", False),
    ],
)
def test_a_solicitation_is_answered_for_addresses_of_its_interface(lab: Any, target: str, answered: bool) -> None:
    assert answers_nd(lab, "h0", "2001:db8:a::5", target) == answered


def test_the_address_of_an_interface_that_is_shut_does_not_answer(lab: Any) -> None:
    host = lab.nodes["h0"]
    ping = ["ping", "-c", "1", "-W", "1", "10.0.2.1"]
    assert host.run(ping).returncode != 0
    type_lines(lab.nodes["R1"], "interface Loopback5", "ip address 10.0.5.1 255.255.255.0")
    assert host.run(["ping", "-c", "1", "-W", "10", "10.0.5.1"]).returncode == 0
    type_lines(lab.nodes["R1"], "interface Loopback5", "shutdown")
    assert host.run([*ping[:-1], "10.0.5.1"]).returncode != 0
    type_lines(lab.nodes["R1"], "interface Loopback5", "no shutdown")
    assert host.run([*ping[:-1], "10.0.5.1"]).returncode == 0
    type_lines(lab.nodes["R1"], "interface Loopback5", "shutdown", "ip address 10.0.6.1 255.255.255.0")
    assert host.run([*ping[:-1], "10.0.6.1"]).returncode != 0
    type_lines(lab.nodes["R1"], "no interface Loopback5")


def test_a_router_asks_with_the_address_of_the_interface(lab: Any) -> None:
    type_lines(lab.nodes["R1"], "interface Gi0/0", "shutdown")
    type_lines(lab.nodes["R1"], "interface Gi0/0", "no shutdown")
    settle(lab)
    show(lab.nodes["R1"], "clear arp-cache")
    with ThreadPoolExecutor() as pool:
        listening = pool.submit(frames, lab.nodes["h0"], "eth0", "0x0806", count=1, seconds=3.0)
        threading.Event().wait(0.5)
        show(lab.nodes["R1"], "ping 10.0.0.5 source Loopback0")
        caught = listening.result()
    assert [socket.inet_ntoa(frame[28:32]) for frame in caught] == ["10.0.0.1"]


def test_neighbors_hear_of_a_new_hardware_address(lab: Any) -> None:
    host = lab.nodes["h0"]
    assert host.run(["ping", "-c", "1", "-W", "10", "10.0.0.1"]).returncode == 0
    type_lines(lab.nodes["R1"], "interface Gi0/0", "mac-address 0200.aaaa.bbbb")
    try:
        assert "02:00:aa:aa:bb:bb" in host.run(["sh", "-c", "sleep 0.3; ip neigh show 10.0.0.1"]).stdout
    finally:
        type_lines(lab.nodes["R1"], "interface Gi0/0", "no mac-address")


def test_an_frr_router_that_speaks_from_its_loopback_finds_its_ios_neighbor(deploy_task: Any) -> None:
    nodes = {"f": "frr", "R1": "cisco_ios"}
    configs = {
        "f": "interface lo\n ip address 10.255.0.1/32\nexit\ninterface eth0\n ip address 10.0.12.1/30\nexit\n",
        "R1": "interface Gi0/0\n ip address 10.0.12.2 255.255.255.252\n no shutdown\n"
        "ip route 10.255.0.1 255.255.255.255 10.0.12.1\n",
    }
    lab = deploy_task(network(nodes, ["f eth0 - R1 Gi0/0"], configs))
    probe = Probe(source="f", source_address="10.255.0.1", target="10.0.12.2", arrives_at=("R1",))
    assert lab.prober.probe([probe])[0].delivered
