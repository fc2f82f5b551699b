"""The service ``fhrp``: HSRP and VRRP groups.

Configuration: ``{"hsrp": [group, …], "vrrp": [group, …]}``, with groups as documented in ``HsrpGroup`` and
``VrrpGroup``; missing fields have IOS's defaults. With ``"wait": true`` HSRP groups stay in their initial state until
another configuration, or for ``LONGEST_WAIT_S``: the routers of a lab do not boot at the same moment.

State: ``{"hsrp": [report, …], "vrrp": [report, …], "waiting": [phrase, …]}``.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.hsrp import HsrpGroup
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.hsrp_packet import GROUP_ADDRESS, PORT, HsrpPacket
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.redundancy import Port
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.virtual_router import Held
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.vrrp import VrrpGroup
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.vrrp_packet import GROUP_ADDRESS as VRRP_GROUP
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.vrrp_packet import PROTOCOL, TTL, VrrpPacket

Group = HsrpGroup | VrrpGroup
Key = tuple[str, str, int]

LONGEST_WAIT_S = 300.0
_COMMON = {"secondary": [], "priority": 100, "preempt_delay_s": 0, "tracks": []}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "hsrp": {
        **_COMMON,
        "version": 1,
        "address": "",
        "preempt": False,
        "hello_ms": 3000,
        "hold_ms": 10000,
        "text": "cisco",
        "md5": "",
        "mac": "",
        "name": "",
    },
    "vrrp": {**_COMMON, "preempt": True, "interval_s": 1, "learn": False, "text": ""},
}
# a change of one of these makes it a new group
_IDENTITY = ("version", "address")


class Service:
    """All groups of a router."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._held = Held(shared.loop, shared.links)
        self._ports: dict[tuple[str, str], Port] = {}
        self._groups: dict[Key, Group] = {}
        self._waits = False
        shared.links.listen(self._refresh)
        shared.tracks.listen(self._refresh)

    def configure(self, config: dict[str, Any]) -> None:
        wanted = {
            (kind, group["interface"], group["group"]): {"label": group["interface"], **_DEFAULTS[kind], **group}
            for kind in _DEFAULTS
            for group in config.get(kind, ())
        }
        for key, group in list(self._groups.items()):
            new = wanted.get(key)
            if new is None or any(group.config.get(field) != new.get(field) for field in _IDENTITY):
                group.resign()
                del self._groups[key]
        for key, new in wanted.items():
            if key in self._groups:
                self._groups[key].config = new
            else:
                self._groups[key] = self._make(key, new)
        self._close_ports({key[:2] for key in wanted})
        self._wait(bool(config.get("wait")))
        self._refresh()

    def _wait(self, waits: bool) -> None:
        if waits and not self._waits:
            self._shared.loop.after(LONGEST_WAIT_S, self._wait_no_longer)
        self._waits = waits

    def _wait_no_longer(self) -> None:
        self._waits = False
        self._refresh()

    def _make(self, key: Key, config: Mapping[str, Any]) -> Group:
        kind, interface, _ = key
        if (kind, interface) not in self._ports:
            protocol, groups, receive = self._protocol(kind, interface)
            self._ports[kind, interface] = Port(
                self._shared, self._held, interface, protocol=protocol, groups=groups, receive=receive
            )
        make = HsrpGroup if kind == "hsrp" else VrrpGroup
        return make(self._shared, self._held, self._ports[kind, interface], config)

    def _protocol(self, kind: str, interface: str) -> tuple[int, Sequence[str], Callable[[packets.Ipv4], None]]:
        if kind == "hsrp":
            return socket.IPPROTO_UDP, list(GROUP_ADDRESS.values()), lambda datagram: self._hsrp(interface, datagram)
        return PROTOCOL, [VRRP_GROUP], lambda datagram: self._vrrp(interface, datagram)

    def _close_ports(self, used: Iterable[tuple[str, str]]) -> None:
        for key in set(self._ports) - set(used):
            self._ports.pop(key).close()

    def _refresh(self) -> None:
        links = {key: port.open() for key, port in self._ports.items()}
        for (kind, interface, _), group in self._groups.items():
            if not (self._waits and kind == "hsrp"):
                group.refresh(links[kind, interface])

    def _hsrp(self, interface: str, datagram: packets.Ipv4) -> None:
        if datagram.payload[2:4] != struct.pack("!H", PORT) or datagram.target not in GROUP_ADDRESS.values():
            return
        packet = HsrpPacket.parse(datagram.payload[8:])
        group = self._groups.get(("hsrp", interface, packet.group)) if packet else None
        if packet is not None and isinstance(group, HsrpGroup) and packet.version == group.config["version"]:
            group.receive(datagram.source, packet)

    def _vrrp(self, interface: str, datagram: packets.Ipv4) -> None:
        packet = VrrpPacket.parse(datagram.payload)
        group = self._groups.get(("vrrp", interface, packet.group)) if packet and datagram.ttl == TTL else None
        if packet is not None and isinstance(group, VrrpGroup):
            group.receive(datagram.source, packet)

    def state(self) -> dict[str, Any]:
        groups = self._groups.values()
        return {
            "hsrp": [group.report() for group in groups if isinstance(group, HsrpGroup)],
            "vrrp": [group.report() for group in groups if isinstance(group, VrrpGroup)],
            "waiting": [phrase for group in groups for phrase in group.waiting],
        }

    def command(self, words: list[str]) -> str:
        raise ValueError(f"the service fhrp knows no command {' '.join(words)!r}")
