"""The virtual router in the kernel: its holder accepts frames to its MAC address and packets to its IP addresses.

It is not a macvlan: packets for the virtual router must arrive on the interface itself, so that its access lists, NAT
and policies apply. Therefore the ingress hook accepts frames to the virtual MAC address, a route in the table
``local`` accepts its addresses, and this module, not the kernel, answers ARP requests for them, with the virtual MAC
address.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.batch import run
from pytest_netbench.platforms.cisco_ios.services.programs.common.links import Links
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop
from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import Arp

_NETDEV, _ARP = "netdev ios_fhrp", "arp ios_fhrp"


@dataclass(frozen=True)
class VirtualRouter:
    """The addresses of a virtual router."""

    interface: str
    mac: bytes
    addresses: tuple[str, ...]


class Held:
    """The virtual routers that this node holds now."""

    def __init__(self, loop: Loop, links: Links) -> None:
        self._loop = loop
        self._links = links
        self._held: set[VirtualRouter] = set()
        self._listeners: dict[str, socket.socket] = {}
        self._out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)

    def take(self, router: VirtualRouter) -> None:
        """Hold ``router`` and announce it."""
        self._held.add(router)
        self._update(router.interface)
        run("bridge", f"fdb replace {packets.mac_text(router.mac)} dev {router.interface} self permanent\n")
        run("ip", "".join(f"route replace {line}\n" for line in self._routes(router)))
        self.announce(router)

    def release(self, router: VirtualRouter) -> None:
        """Stop holding ``router``. Idempotent."""
        if router not in self._held:
            return
        self._held.discard(router)
        self._update(router.interface)
        # the routes of a link disappear when it goes down
        run("ip", "".join(f"route del {line}\n" for line in self._routes(router)), may_fail=True)
        run("bridge", f"fdb del {packets.mac_text(router.mac)} dev {router.interface} self permanent\n", may_fail=True)

    def announce(self, router: VirtualRouter) -> None:
        """Announce the virtual router in gratuitous ARP packets."""
        for address in router.addresses:
            arp = Arp(packets.ARP_REPLY, router.mac, address, packets.BROADCAST, address)
            self.send(router.interface, packets.ethernet(packets.BROADCAST, router.mac, packets.ETH_ARP, arp.pack()))

    def send(self, interface: str, frame: bytes) -> None:
        """Send a frame. A link that is down loses it, as a cable would."""
        with contextlib.suppress(OSError):
            self._out.sendto(frame, (interface, 0))

    def _routes(self, router: VirtualRouter) -> list[str]:
        link = self._links.get(router.interface)
        own = link.address if link else ""
        return [
            f"local {address}/32 dev {router.interface} table local proto static"
            for address in router.addresses
            if address != own
        ]

    def _update(self, interface: str) -> None:
        run("nft", ruleset(self._held))
        wanted = any(router.interface == interface for router in self._held)
        if wanted:
            # with 0 the kernel would send ARP requests from the virtual address with its own MAC address
            with contextlib.suppress(FileNotFoundError):
                Path(f"/proc/sys/net/ipv4/conf/{interface}/arp_announce").write_text("2")
        if wanted and interface not in self._listeners:
            listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
            listener.bind((interface, packets.ETH_ARP))
            self._listeners[interface] = listener
            self._loop.watch(listener.fileno(), lambda: self._arp(interface, listener))
        elif not wanted and interface in self._listeners:
            listener = self._listeners.pop(interface)
            self._loop.unwatch(listener.fileno())
            listener.close()

    def _arp(self, interface: str, listener: socket.socket) -> None:
        try:
            frame, (_, _, kind, *_) = listener.recvfrom(2048)
        except OSError:  # the link went down
            return
        arp = None if kind == socket.PACKET_OUTGOING else Arp.parse(frame[14:])
        if arp is None or arp.operation != packets.ARP_REQUEST or arp.sender == arp.target:
            return
        for router in self._held:
            if router.interface == interface and arp.target in router.addresses:
                reply = Arp(packets.ARP_REPLY, router.mac, arp.target, arp.sender_mac, arp.sender)
                self.send(interface, packets.ethernet(arp.sender_mac, router.mac, packets.ETH_ARP, reply.pack()))


def ruleset(held: Iterable[VirtualRouter]) -> str:
    """Return the tables of this module, replaced in one transaction."""
    lines = [f"table {table}\ndelete table {table}" for table in (_NETDEV, _ARP)]
    routers = sorted(held, key=lambda router: (router.interface, router.mac))
    if not routers:
        return "\n".join([*lines, ""])
    lines.append(f"table {_NETDEV} {{")
    for number, interface in enumerate(sorted({router.interface for router in routers})):
        macs = ", ".join(packets.mac_text(router.mac) for router in routers if router.interface == interface)
        lines += (
            f"chain c{number} {{",
            f'type filter hook ingress device "{interface}" priority -500',
            f"ether daddr {{ {macs} }} meta pkttype set host",
            "}",
        )
    lines += ("}", f"table {_ARP} {{", "chain input {", "type filter hook input priority 0")
    for router in routers:
        addresses = ", ".join(router.addresses)
        lines.append(f'iifname "{router.interface}" arp operation request arp daddr ip {{ {addresses} }} drop')
    return "\n".join([*lines, "}", "}", ""])
