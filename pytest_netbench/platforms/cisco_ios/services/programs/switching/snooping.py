"""DHCP snooping and ARP inspection: only trusted ports lead to servers; senders of ARP need a valid address."""

from __future__ import annotations

import socket
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import ARP_REPLY, Arp
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import NOWHERE, REPLY, DhcpMessage, Kind, Option
from pytest_netbench.platforms.cisco_ios.services.programs.switching.attachment import Attachment, Switch
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import ARP, DHCP, FORWARDING, Frame

_ETHERNET, _UDP = 14, 8
_FROM_SERVERS = frozenset({Kind.OFFER, Kind.ACK, Kind.NAK})


@dataclass(eq=False)
class Binding:
    """The owner of an address. It expires at a time of the loop's clock, ``None`` for never."""

    mac: str
    address: str
    vlan: int
    port: str
    kind: str = "dhcp-snooping"
    until: float | None = None
    timer: Timer | None = None


class Snooping:
    """DHCP snooping and ARP inspection of a switch; inspection uses the bindings of snooping."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._bindings: dict[tuple[int, str], Binding] = {}
        self._asking: dict[tuple[int, bytes], str] = {}
        """The port of a client's last request, by VLAN and client."""
        self._static: list[Binding] = []
        self._counts: dict[int, Counter[str]] = {}
        self.dropped: Counter[str] = Counter()
        self._trust: dict[int, tuple[Attachment, int]] = {}

    # ---- configuration ----

    def watches(self, vlan: int) -> int:
        """Return the kinds of frames to copy in a VLAN."""
        config = self._switch.config
        dhcp = vlan in ((config.get("snooping") or {}).get("vlans", ()))
        arp = vlan in ((config.get("inspection") or {}).get("vlans", ()))
        return dhcp * DHCP | arp * ARP

    def refresh(self) -> None:
        """Set the ports trusted for ARP in the switching program. DHCP is always inspected: answers create bindings."""
        config = self._switch.config
        for attachment in self._switch.held.values():
            flags = 0 if self._switch.is_port(attachment) and not self._trusted(attachment, "arp") else ARP
            if self._trust.get(attachment.number) != (attachment, flags):
                self._trust[attachment.number] = attachment, flags
                self._switch.order("trust", attachment.number, flags)
        snooped = (config.get("snooping") or {}).get("vlans", ())
        for key in [key for key in self._bindings if key[0] not in snooped]:
            self._remove(key)
        self._static = [Binding(**binding, kind="static") for binding in config.get("bindings", ())]

    def close(self) -> None:
        """Remove all state."""
        for key in list(self._bindings):
            self._remove(key)
        self._asking.clear()
        self._counts.clear()
        self._trust.clear()
        self.dropped.clear()

    def _trusted(self, attachment: Attachment, what: str) -> bool:
        if not self._switch.is_port(attachment):
            return True  # the switch's own interface
        return what in self._switch.config["ports"][attachment.name].get("trusted", ())

    # ---- DHCP ----

    def dhcp(self, attachment: Attachment, frame: Frame) -> None:
        """Handle a DHCP message."""
        message = _message(frame)
        if message is None:
            self._approve(frame)
            return
        if message.op == REPLY or message.kind in _FROM_SERVERS:
            self._answer(attachment, frame, message)
        else:
            self._question(attachment, frame, message)

    def _question(self, attachment: Attachment, frame: Frame, message: DhcpMessage) -> None:
        if not self._trusted(attachment, "dhcp"):
            why = self._objection(attachment, frame, message)
            if why:
                self.dropped[why] += 1
                return
            self._asking[frame.domain, message.chaddr] = attachment.name
        if message.kind in {Kind.RELEASE, Kind.DECLINE}:
            self._remove((frame.domain, packets.mac_text(message.chaddr)))
        if not frame.data[0] & 1:
            self._approve(frame)
            return
        for other in self._switch.held.values():
            if other is not attachment and self._trusted(other, "dhcp"):
                self._relay(frame, other)

    def _objection(self, attachment: Attachment, frame: Frame, message: DhcpMessage) -> str:
        if message.giaddr != NOWHERE:
            return "relayed"
        verify = (self._switch.config.get("snooping") or {}).get("verify", True)
        if verify and frame.data[6:12] != message.chaddr:
            self._log(
                3,
                "DHCP_SNOOPING_MATCH_MAC_FAIL",
                "DHCP_SNOOPING drop message because the chaddr doesn't match source mac",
            )
            return "chaddr"
        binding = self._bindings.get((frame.domain, packets.mac_text(message.chaddr)))
        if message.kind in {Kind.RELEASE, Kind.DECLINE} and binding is not None and binding.port != attachment.name:
            return "other port"
        return ""

    def _answer(self, attachment: Attachment, frame: Frame, message: DhcpMessage) -> None:
        if not self._trusted(attachment, "dhcp"):
            self.dropped["untrusted server"] += 1
            self._log(
                5,
                "DHCP_SNOOPING_UNTRUSTED_PORT",
                f"DHCP_SNOOPING drop message on untrusted port {attachment.name}, message type:"
                f" DHCP{message.kind.name}",
            )
            return
        client = self._switch.held.get(self._asking.get((frame.domain, message.chaddr), ""))
        if message.kind == Kind.ACK and message.yiaddr != NOWHERE and client is not None:
            self._bind(frame.domain, message, client.name)
        if client is not None and frame.data[0] & 1:
            self._relay(frame, client)
        else:
            self._approve(frame)

    def _bind(self, vlan: int, message: DhcpMessage, port: str) -> None:
        key = vlan, packets.mac_text(message.chaddr)
        self._remove(key)
        loop = self._switch.shared.loop
        seconds = int.from_bytes(message.options.get(Option.LEASE_TIME, b""), "big")
        binding = Binding(key[1], message.yiaddr, vlan, port)
        if 0 < seconds < 0xFFFFFFFF:
            binding.until = loop.now() + seconds
            binding.timer = loop.after(seconds, partial(self._remove, key))
        self._bindings[key] = binding

    def _remove(self, key: tuple[int, str]) -> None:
        binding = self._bindings.pop(key, None)
        if binding is not None and binding.timer is not None:
            binding.timer.cancel()

    def clear(self) -> None:
        """Remove the learned bindings."""
        for key in list(self._bindings):
            self._remove(key)

    def _approve(self, frame: Frame) -> None:
        if self._switch.plane is not None:
            self._switch.plane.approve(frame)

    def _relay(self, frame: Frame, target: Attachment) -> None:
        if target.states.get(frame.domain) == FORWARDING and self._switch.plane is not None:
            self._switch.plane.relay(frame, target.number)

    # ---- ARP ----

    def arp(self, attachment: Attachment, frame: Frame) -> None:
        """Handle an ARP packet from a port that is not trusted for ARP."""
        packet = Arp.parse(frame.data[_ETHERNET:])
        counts = self._counts.setdefault(frame.domain, Counter())
        why = "invalid" if packet is None else self._invalid(frame, packet)
        if not why and packet is not None:
            why = self._unfounded(frame.domain, packet)
        if not why:
            counts["forwarded"] += 1
            self._approve(frame)
            return
        counts["dropped"] += 1
        counts[why] += 1
        self._log(
            4,
            {"denied": "DHCP_SNOOPING_DENY", "acl": "ACL_DENY"}.get(why, "INVALID_ARP"),
            f"1 Invalid ARPs on {attachment.name}, vlan {frame.domain}",
            facility="SW_DAI",
        )

    def _invalid(self, frame: Frame, packet: Arp) -> str:
        checks = (self._switch.config.get("inspection") or {}).get("validate", ())
        if "src-mac" in checks and frame.data[6:12] != packet.sender_mac:
            return "src-mac"
        if "dst-mac" in checks and packet.operation == ARP_REPLY and frame.data[:6] != packet.target_mac:
            return "dst-mac"
        addresses = [packet.sender, *([packet.target] if packet.operation == ARP_REPLY else [])]
        if "ip" in checks and any(_is_no_host(address) for address in addresses):
            return "ip"
        return ""

    def _unfounded(self, vlan: int, packet: Arp) -> str:
        """Return why a sender may not use the address, "" if it may: access lists precede bindings."""
        listed = (self._switch.config.get("inspection") or {}).get("filters", {}).get(str(vlan))
        if listed is not None:
            for permit, address, mac in listed["rules"]:
                if address in (None, packet.sender) and mac in (None, packets.mac_text(packet.sender_mac)):
                    return "" if permit else "acl"
            if listed["static"]:
                return "acl"
        return "" if self._bound(vlan, packet) else "denied"

    def _bound(self, vlan: int, packet: Arp) -> bool:
        mac = packets.mac_text(packet.sender_mac)
        binding = self._bindings.get((vlan, mac))
        if binding is not None and binding.address == packet.sender:
            return True
        return any((one.vlan, one.mac, one.address) == (vlan, mac, packet.sender) for one in self._static)

    def _log(self, severity: int, mnemonic: str, text: str, *, facility: str = "DHCP_SNOOPING") -> None:
        self._switch.shared.log(facility, severity, mnemonic, text)

    # ---- what is asked ----

    def state(self) -> dict[str, Any]:
        """Return bindings, drop counts, and ARP packets by VLAN."""
        now = self._switch.shared.loop.now()
        bindings = [
            {
                "mac": one.mac,
                "address": one.address,
                "vlan": one.vlan,
                "port": one.port,
                "kind": one.kind,
                "left": None if one.until is None else max(0, round(one.until - now)),
            }
            for one in (*self._bindings.values(), *self._static)
        ]
        counts = {str(vlan): dict(counter) for vlan, counter in self._counts.items()}
        return {"bindings": bindings, "dropped": dict(self.dropped), "arp": counts}


def _message(frame: Frame) -> DhcpMessage | None:
    datagram = packets.Ipv4.parse(frame.data[_ETHERNET:])
    if datagram is None:
        return None
    try:
        return DhcpMessage.parse(datagram.payload[_UDP:])
    except ValueError:
        return None


def _is_no_host(address: str) -> bool:
    first = socket.inet_aton(address)[0]
    return address in {NOWHERE, "255.255.255.255"} or 224 <= first < 240
