"""The input of an area's compilation: the config, the facts of the node, and the state that the area adds to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_BANDWIDTH_KBIT = {
    "Ethernet": 10_000,
    "FastEthernet": 100_000,
    "GigabitEthernet": 1_000_000,
    "TenGigabitEthernet": 10_000_000,
    "Serial": 1544,
    "Loopback": 8_000_000,
    "Tunnel": 100,
    "Vlan": 1_000_000,
    "Port-channel": 1_000_000,
}

BOOTING = "booting"
"""The observation in ``Facts.live`` that other devices of the lab may not have booted yet."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Properties of the node that compilation needs beside its config.

    Args:
        name: The node's name: the default host name.
        role: ``router`` or ``switch``.
        cabled: Full names of the ports that the topology gives it.
        line_bps: By full name: the rate limit of the lab's link in bit/s, if it has one.
        frr: FRR's version, e.g. ``8.4.4``.
        live: Observations of areas that compilation depends on, such as error-disabled ports.
        time_scale: Seconds of lab time per second of kernel time.
    """

    name: str
    role: str
    cabled: tuple[str, ...]
    frr: str
    line_bps: Mapping[str, int] = field(default_factory=dict)
    live: Mapping[str, Any] = field(default_factory=dict)
    time_scale: float = 1.0


@dataclass(frozen=True, eq=False)
class Interface:
    """An interface of the config, with properties that most areas need."""

    name: str
    section: Section

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return interfaces.kernel_name(self.name)

    @cached_property
    def parsed(self) -> interfaces.InterfaceName:
        """Its parsed name."""
        return interfaces.parse(self.name)

    @property
    def enabled(self) -> bool:
        """Whether it is not shut down."""
        return not self.section.has("shutdown")

    @property
    def vrf(self) -> str:
        """Its VRF, or "" for the global one."""
        entry = self.section.get("vrf forwarding") or self.section.get("ip vrf forwarding")
        return str(entry["vrf"]) if entry else ""

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """IPv4 addresses as ``A.B.C.D/nn``, the primary first."""
        entries = sorted(self.section.all("ip address"), key=lambda entry: entry.has("secondary"))
        return tuple(
            f"{entry['address']}/{mask_length(entry['mask'])}" for entry in entries if "mask" in entry.match.args
        )

    @property
    def bandwidth_kbit(self) -> int:
        """The configured or default bandwidth in kbit/s, which OSPF and EIGRP compute with."""
        entry = self.section.get("bandwidth")
        return int(entry["kbit"]) if entry else default_bandwidth(self.name)


def default_bandwidth(name: str) -> int:
    """The default bandwidth of the interface in kbit/s on IOS."""
    return _BANDWIDTH_KBIT.get(interfaces.parse(name).kind, 1_000_000)


class Context:
    """The argument of an area's ``compile``."""

    def __init__(self, *, config: Section, facts: Facts) -> None:
        self.config = config
        self.facts = facts
        self.state = DesiredState()

    @cached_property
    def interfaces(self) -> list[Interface]:
        """All interfaces of the config, in its order."""
        return [Interface(entry["name"], body) for entry, body in self.config.sections("interface")]

    @cached_property
    def _by_name(self) -> Mapping[str, Interface]:
        return {one.name: one for one in self.interfaces}

    def interface(self, name: str) -> Interface | None:
        """Return the interface with the full name ``name``."""
        return self._by_name.get(name)

    def unsupported(self, entry: Entry, why: str) -> None:
        """Report that a line was accepted and has no effect."""
        if (entry.text, why) not in self.state.unsupported:
            self.state.unsupported.append((entry.text, why))


def mask_length(mask: str) -> int:
    """Return the prefix length of a subnet mask."""
    return sum(int(part).bit_count() for part in mask.split("."))
