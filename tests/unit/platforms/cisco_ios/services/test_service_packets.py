"""Packets of services: packing and parsing, also compared with tcpdump."""

from __future__ import annotations

import shutil
import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import Arp, Ipv4
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp import packet as dhcp_packet
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import DhcpMessage, Kind, Option
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp import hsrp_packet, vrrp_packet
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.hsrp_packet import HsrpPacket, Opcode, State
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.vrrp_packet import VrrpPacket
from tests.support.wiretap import decoded

MAC, OTHER = bytes.fromhex("00000c07ac01"), bytes.fromhex("020000000001")
needs_tcpdump = pytest.mark.skipif(shutil.which("tcpdump") is None, reason="no tcpdump; fix: apt-get install tcpdump")


def hello(version=1, **fields):
    wanted = {
        "opcode": Opcode.HELLO,
        "state": State.ACTIVE,
        "group": 1,
        "priority": 110,
        "hello_ms": 3000,
        "hold_ms": 10000,
        "address": "10.0.0.254",
        **fields,
    }
    return HsrpPacket(version=version, **wanted)


def in_udp(port, group, payload):
    datagram = packets.udp("10.0.0.1", port, group, port, payload)
    packet = packets.ipv4("10.0.0.1", group, 17, datagram, ttl=1)
    return packets.ethernet(packets.multicast_mac(group), MAC, packets.ETH_IP, packet)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("state", list(State))
def test_an_hsrp_packet_comes_back_as_it_was_sent(version, state):
    sent = hello(version, state=state, text="secret", identifier=OTHER if version == 2 else bytes(6))
    assert HsrpPacket.parse(sent.pack()) == sent


@pytest.mark.parametrize("version", [1, 2])
def test_a_signed_packet_is_authentic_under_its_key_only(version):
    received = HsrpPacket.parse(hello(version, text="").signed("k3y").pack())
    assert received.digest == received.signed("k3y").digest
    assert received.digest != received.signed("other").digest
    tampered = HsrpPacket.parse(hello(version, text="", priority=255).signed("other").pack())
    assert tampered.digest != tampered.signed("k3y").digest


def test_version_2_carries_groups_priorities_and_times_that_version_1_cannot():
    sent = hello(2, group=4095, priority=255, hello_ms=250, hold_ms=750)
    received = HsrpPacket.parse(sent.pack())
    assert (received.group, received.hello_ms, received.hold_ms) == (4095, 250, 750)
    assert hsrp_packet.virtual_mac(2, 4095).hex(":") == "00:00:0c:9f:ff:ff"
    assert hsrp_packet.virtual_mac(1, 255).hex(":") == "00:00:0c:07:ac:ff"


@given(st.binary(max_size=120))
def test_noise_is_no_packet_and_no_error(data):
    for parse in (HsrpPacket.parse, VrrpPacket.parse, DhcpMessage.parse, Arp.parse, Ipv4.parse):
        parse(data)
    DhcpMessage.parse(DhcpMessage(op=1, xid=1, chaddr=OTHER, kind=Kind.DISCOVER).pack()[:240] + data)


@needs_tcpdump
def test_tcpdump_reads_hsrp():
    seen = decoded([in_udp(hsrp_packet.PORT, "224.0.0.2", hello(opcode=Opcode.COUP, state=State.SPEAK).pack())])
    assert 'coup 20: state=speak group=1 addr=10.0.0.254 hellotime=3s holdtime=10s priority=110 auth="cisco' in seen


@needs_tcpdump
def test_tcpdump_reads_vrrp_and_finds_its_checksum_right():
    advert = VrrpPacket(group=7, priority=120, interval_s=2, addresses=("10.0.0.254",), text="secret")
    packet = packets.ipv4(
        "10.0.0.1", vrrp_packet.GROUP_ADDRESS, vrrp_packet.PROTOCOL, advert.pack(), ttl=vrrp_packet.TTL
    )
    frame = packets.ethernet(
        packets.multicast_mac(vrrp_packet.GROUP_ADDRESS), vrrp_packet.virtual_mac(7), packets.ETH_IP, packet
    )
    seen = decoded([frame])
    assert "VRRPv2, Advertisement, vrid 7, prio 120, authtype simple, intvl 2s, length 20, addrs: 10.0.0.254" in seen
    assert "bad vrrp cksum" not in seen
    assert VrrpPacket.parse(advert.pack()) == advert


def test_a_damaged_vrrp_packet_is_refused():
    data = bytearray(VrrpPacket(group=7, priority=120, interval_s=1, addresses=("10.0.0.254",)).pack())
    data[2] ^= 1
    assert VrrpPacket.parse(bytes(data)) is None


@needs_tcpdump
def test_tcpdump_reads_arp_and_icmp_with_right_checksums():
    arp = Arp(packets.ARP_REPLY, MAC, "10.0.0.254", OTHER, "10.0.0.10")
    ping = packets.ipv4("10.0.0.1", "10.0.0.2", 1, packets.echo(packets.ECHO_REQUEST, 7, 9, b"odd"), ttl=64)
    seen = decoded(
        [packets.ethernet(OTHER, MAC, packets.ETH_ARP, arp.pack()), packets.ethernet(OTHER, MAC, packets.ETH_IP, ping)]
    )
    assert "Reply 10.0.0.254 is-at 00:00:0c:07:ac:01" in seen
    assert "ICMP echo request, id 7, seq 9" in seen
    assert "wrong icmp cksum" not in seen
    assert "bad cksum" not in seen
    assert Arp.parse(arp.pack()) == arp


def discover(**fields):
    return DhcpMessage(op=dhcp_packet.REQUEST, xid=7, chaddr=OTHER, kind=Kind.DISCOVER, **fields)


def test_a_dhcp_message_comes_back_with_its_options():
    sent = discover(
        flags=dhcp_packet.BROADCAST_FLAG, giaddr="10.5.0.1", hops=1, options={Option.HOSTNAME: b"h", 43: bytes(600)}
    )
    received = DhcpMessage.parse(sent.pack())
    assert received == sent
    assert received.client == b"\x01" + OTHER


@needs_tcpdump
def test_tcpdump_reads_dhcp():
    options = {Option.MASK: dhcp_packet.addresses("255.255.255.0"), Option.LEASE_TIME: dhcp_packet.seconds(3600)}
    offer = discover().answer(Kind.OFFER, options, yiaddr="10.0.0.11")
    datagram = packets.udp("10.0.0.1", 67, "10.0.0.11", 68, offer.pack())
    frame = packets.ethernet(OTHER, MAC, packets.ETH_IP, packets.ipv4("10.0.0.1", "10.0.0.11", 17, datagram, ttl=64))
    seen = decoded([frame])
    for words in (
        "udp sum ok",
        "Your-IP 10.0.0.11",
        "DHCP-Message (53), length 1: Offer",
        "Lease-Time (51), length 4: 3600",
    ):
        assert words in seen


def test_an_answer_carries_the_relay_information_back():
    request = discover(options={Option.RELAY_INFORMATION: b"\x01\x02ab"}, giaddr="10.5.0.1", hops=1)
    answer = request.answer(Kind.OFFER, {}, yiaddr="10.5.0.9")
    assert answer.options[Option.RELAY_INFORMATION] == b"\x01\x02ab"
    assert (answer.giaddr, answer.hops, answer.op) == ("10.5.0.1", 0, dhcp_packet.REPLY)


def test_a_client_identifier_names_a_client_rather_than_its_hardware_address():
    assert discover(options={Option.CLIENT_ID: b"\x00me"}).client == b"\x00me"


def test_the_checksum_is_that_of_rfc_1071():
    assert packets.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2
    data = struct.pack("!HHHH", 1, 2, 3, 0)
    assert packets.checksum(data[:6] + struct.pack("!H", packets.checksum(data))) == 0


def test_multicast_addresses_map_to_ethernet_as_rfc_1112_says():
    assert packets.multicast_mac("239.129.2.3").hex(":") == "01:00:5e:01:02:03"
    assert packets.mac("0000.0c07.ac01") == packets.mac("00:00:0c:07:ac:01") == MAC
    assert socket.inet_aton("10.0.0.1") in packets.ipv4("10.0.0.1", "10.0.0.2", 1, b"", ttl=1)
