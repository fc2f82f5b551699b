"""The kernel's state of a device's interfaces, with IOS's names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.device.exec import Exec


@dataclass(frozen=True)
class PortState:
    """The configuration and state of an interface.

    Attributes:
        ip_mtu: Bytes of the longest IP packet that it sends in one piece.
        counters: The kernel's ``rx`` and ``tx``, with its own names.
    """

    interface: Interface
    carrier: bool
    mac: str
    ip_mtu: int
    counters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    addresses: tuple[Mapping[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Its full name."""
        return self.interface.name

    @property
    def mtu(self) -> int:
        """Bytes of the longest frame without its header: of the line ``mtu``, which ``ip mtu`` does not change."""
        entry = self.interface.section.get("mtu")
        if entry is not None:
            return int(entry["bytes"])
        return _USUAL_MTU if self.interface.section.has("ip mtu") else self.ip_mtu

    @property
    def status(self) -> str:
        """``up``, ``down`` or ``administratively down``."""
        if not self.interface.enabled:
            return "administratively down"
        return "up" if self.carrier else "down"

    @property
    def protocol(self) -> str:
        """``up`` or ``down``."""
        return "up" if self.interface.enabled and self.carrier else "down"


_USUAL_MTU = 1500
_LOOPBACK_MTU = 1514


def ports(at: Exec) -> list[PortState]:
    """Return all interfaces of the config in the order of tables: by name, physical ones first."""
    links = {link["ifname"]: link for link in at.ip_json("-s", "-d", "addr", "show")}
    states = [
        _state(one, links.get(one.kernel) if one.parsed.kind != "Null" else None)
        for one in at.device.context().interfaces
    ]
    return sorted(states, key=lambda state: _table_key(state.interface))


def _table_key(one: Interface) -> tuple[int, str, tuple[Any, ...]]:
    virtual = {"Port-channel": 1, "Loopback": 2, "Tunnel": 3, "Vlan": 0}
    return virtual.get(one.parsed.kind, 0), one.parsed.kind if one.parsed.kind != "Vlan" else "", one.parsed.sort_key


def _state(one: Interface, link: Mapping[str, Any] | None) -> PortState:
    if link is None:
        return PortState(one, one.parsed.kind == "Null", "0000.0000.0000", 1500)
    carrier = link.get("operstate") in {"UP", "UNKNOWN"} and "LOWER_UP" in link.get("flags", ())
    stats = link.get("stats64") or {}
    return PortState(
        one,
        carrier,
        cisco_mac(link.get("address", "")),
        _LOOPBACK_MTU if one.parsed.kind == "Loopback" else int(link.get("mtu", 1500)),
        stats,
        tuple(link.get("addr_info", ())),
    )


def cisco_mac(text: str) -> str:
    """Return ``aabb.ccdd.eeff`` for ``aa:bb:cc:dd:ee:ff``."""
    digits = text.replace(":", "").replace("-", "").lower().zfill(12)[:12]
    return ".".join(digits[at : at + 4] for at in (0, 4, 8))
