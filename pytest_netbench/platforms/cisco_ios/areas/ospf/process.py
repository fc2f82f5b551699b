"""OSPF processes of a config, and the interfaces that they run on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

DAEMON = "ospfd"
_SLOW_TYPES = frozenset({"non-broadcast", "point-to-multipoint"})
_MOST_COST = 65535


@dataclass(frozen=True)
class Process:
    """One ``router ospf`` of the config."""

    entry: Entry

    @property
    def number(self) -> int:
        """Its process ID."""
        return int(self.entry["process"])

    @property
    def section(self) -> Section:
        """Its section of the config."""
        return self.entry.body

    @property
    def vrf(self) -> str:
        """Its VRF; "" is the global one."""
        return str(self.entry.get("vrf") or "")

    @property
    def frr(self) -> str:
        """The line that opens it in FRR."""
        return f"router ospf vrf {self.vrf}" if self.vrf else "router ospf"

    @property
    def reference_mbps(self) -> int:
        """The bandwidth in Mbit/s that has cost 1."""
        entry = self.section.get("auto-cost reference-bandwidth")
        return int(entry["mbps"]) if entry else 100


@dataclass(frozen=True)
class Member:
    """An interface on which OSPF runs."""

    one: Interface
    process: Process
    area: str
    by_network: bool

    @property
    def cost(self) -> int:
        """Its output cost."""
        entry = self.one.section.get("ip ospf cost")
        if entry is not None:
            return int(entry["cost"])
        if self.one.parsed.kind == "Loopback":
            return 1
        return max(1, min(_MOST_COST, self.process.reference_mbps * 1000 // self.one.bandwidth_kbit))

    @property
    def network_type(self) -> str:
        """The network type, e.g. ``broadcast``; ``loopback`` for loopbacks without a configured type."""
        entry = self.one.section.get("ip ospf network")
        if entry is not None:
            return next(
                word
                for word in ("broadcast", "non-broadcast", "point-to-multipoint", "point-to-point")
                if entry.has(word)
            )
        if self.one.parsed.kind == "Loopback":
            return "loopback"
        return "point-to-point" if self.one.parsed.kind in {"Serial", "Tunnel", "Dialer"} else "broadcast"

    @property
    def hello_s(self) -> int:
        """Seconds between hellos; 0 means several in a second."""
        dead = self.one.section.get("ip ospf dead-interval")
        if dead is not None and dead.has("minimal"):
            return 0
        entry = self.one.section.get("ip ospf hello-interval")
        return int(entry["seconds"]) if entry else 30 if self.network_type in _SLOW_TYPES else 10

    @property
    def dead_s(self) -> int:
        """Seconds of silence after which a neighbor is down: four hello intervals unless configured."""
        entry = self.one.section.get("ip ospf dead-interval")
        if entry is None:
            return min(self.hello_s * 4, 65535)
        return 1 if entry.has("minimal") else int(entry["seconds"])

    @property
    def is_forwarding(self) -> bool:
        """Whether external LSAs name a next hop on it as forwarding address (Cisco's document 13682)."""
        return not self.passive and self.network_type in {"broadcast", "non-broadcast"}

    @property
    def passive(self) -> bool:
        """Whether it sends no hello."""
        return self.one.parsed.kind == "Loopback" or igp.is_passive(self.process.section, self.one.name)


def processes(context: Context) -> list[Process]:
    """Return all OSPF processes."""
    return [Process(entry) for entry in context.config.all("router ospf")]


def members(context: Context, process: Process) -> list[Member]:
    """Return the interfaces of a process, each with its area."""
    return [member for one in context.interfaces if (member := _member(context, process, one)) is not None]


def _member(context: Context, process: Process, one: Interface) -> Member | None:
    if one.vrf != process.vrf or one.parsed.kind == "Null":
        return None
    own = one.section.get("ip ospf area")
    if own is not None:
        return Member(one, process, dotted(own["area"]), by_network=False) if own["process"] == process.number else None
    for address in igp.addresses(context, one)[:1]:
        matching = [
            entry
            for entry in process.section.all("network")
            if igp.wildcard_matches(address.split("/")[0], entry["network"], entry["wildcard"])
        ]
        if matching:
            # the most specific statement decides, then the first one
            best = min(matching, key=lambda entry: int(IPv4Address(entry["wildcard"])))
            return Member(one, process, dotted(best["area"]), by_network=True)
    return None


def dotted(area: str) -> str:
    """Return an area in dotted form."""
    return str(IPv4Address(int(area))) if str(area).isdigit() else str(area)


def secret(entry: Entry, name: str) -> str:
    """Return a key in the clear, whatever type was typed."""
    text = str(entry[name])
    return passwords.revealed(text) if entry.has("7") else text


def is_special(section: Section, link: Entry) -> bool:
    """Whether the transit area of a virtual link is a stub area or an NSSA, through which no virtual link runs."""
    return any(dotted(one["area"]) == dotted(link["area"]) for one in section.all("area stub", "area nssa"))


def area_types(section: Section) -> Iterator[str]:
    """Return the areas that are not normal, with their types."""
    for entry in section.all("area stub", "area nssa"):
        yield f"{entry.name} {dotted(entry['area'])}{' no-summary' if entry.has('no-summary') else ''}"


def next_hop_networks(context: Context, process: Process) -> str:
    """Return what decides the forwarding addresses: the networks on which OSPF runs, with their areas' types."""
    types = " ".join(sorted(area_types(process.section)))
    found = [
        f"{member.area} {address} {member.is_forwarding}"
        for member in members(context, process)
        for address in igp.addresses(context, member.one)
        if member.one.parsed.kind != "Loopback" or types
    ]
    return " ".join((*sorted(found), types))
