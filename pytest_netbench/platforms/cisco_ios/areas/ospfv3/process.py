"""The configuration of OSPF for IPv6: one process and its interfaces, in either form. Independent of FRR.

``ipv6 router ospf 1`` holds everything in one section. ``router ospfv3 1`` holds settings of all address families;
settings of IPv6 are in ``address-family ipv6 unicast`` within it and take precedence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import dotted
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

CLASSIC, NEWER = "ipv6 router ospf", "router ospfv3"
CLASSIC_AREA, NEWER_AREA = "ipv6 ospf area", "ospfv3 ipv6 area"
_MOST_COST = 65535


@dataclass(frozen=True, eq=False)
class Process:
    """A process, found by the line that opens it."""

    entry: Entry

    @property
    def number(self) -> int:
        """Its process ID."""
        return int(self.entry["process"])

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections with its lines, in order of precedence."""
        return (*(body for _, body in self.entry.body.sections("address-family")), self.entry.body)

    @property
    def runs(self) -> bool:
        """Whether it routes IPv6: the newer form needs the address family."""
        return self.entry.name == CLASSIC or len(self.sections) > 1

    @property
    def routes(self) -> Section:
        """The section with its redistribution."""
        return self.sections[0]

    def get(self, name: str) -> Entry | None:
        """Return the line of the command ``name``."""
        return next((entry for section in self.sections if (entry := section.get(name)) is not None), None)

    def all(self, *names: str) -> list[Entry]:
        """Return the lines of these commands; of conflicting lines, the one with precedence."""
        found: list[Entry] = []
        for section in self.sections:
            found += [entry for entry in section.all(*names) if not any(one.same_line(entry.match) for one in found)]
        return found

    @property
    def special_areas(self) -> Mapping[str, Entry]:
        """Stub areas and NSSAs by dotted number, each with its line."""
        kinds: dict[str, Entry] = {}
        for entry in self.all("area stub", "area nssa", "area normal"):
            kinds.setdefault(dotted(entry["area"]), entry)
        return {area: entry for area, entry in kinds.items() if entry.name != "area normal"}

    @property
    def reference_mbps(self) -> int:
        """The bandwidth in Mbit/s that has cost 1."""
        entry = self.get("auto-cost reference-bandwidth")
        return int(entry["mbps"]) if entry else 100


@dataclass(frozen=True)
class Member:
    """An interface on which OSPF runs for IPv6."""

    one: Interface
    process: Process
    area: str
    instance: int

    def said(self, parameter: str) -> Entry | None:
        """Return the line that sets a parameter.

        A line with a process number precedes one without; a line with an address family precedes both.
        """
        lines = self.one.section.all(f"ospfv3 {parameter}", f"ipv6 ospf {parameter}")
        mine = [line for line in lines if line.get("process") in {None, self.process.number}]
        return max(mine, key=lambda line: ("process" in line.match.args) + line.has("ipv6"), default=None)

    def _seconds(self, parameter: str, usual: int) -> int:
        entry = self.said(parameter)
        return int(entry["seconds"]) if entry else usual

    @property
    def cost(self) -> int:
        """Its output cost."""
        entry = self.said("cost")
        if entry is not None:
            return int(entry["cost"])
        if self.one.parsed.kind == "Loopback":
            return 1
        return max(1, min(_MOST_COST, self.process.reference_mbps * 1000 // self.one.bandwidth_kbit))

    @property
    def network_type(self) -> str:
        """``broadcast``, ``point-to-point``, or ``loopback``."""
        entry = self.said("network")
        if entry is not None:
            return "broadcast" if entry.has("broadcast") else "point-to-point"
        if self.one.parsed.kind == "Loopback":
            return "loopback"
        return "point-to-point" if self.one.parsed.kind in {"Serial", "Tunnel", "Dialer"} else "broadcast"

    @property
    def hello_s(self) -> int:
        """Seconds between hellos."""
        return self._seconds("hello-interval", 10)

    @property
    def dead_s(self) -> int:
        """Seconds of silence after which a neighbor is down."""
        return self._seconds("dead-interval", min(self.hello_s * 4, 65535))

    @property
    def passive(self) -> bool:
        """Whether it sends no hello."""
        return self.one.parsed.kind == "Loopback" or igp.is_passive(self.process.routes, self.one.name)


def processes(config: Section) -> list[Process]:
    """Return the running processes; there is at most one."""
    return [process for entry in config.all(CLASSIC, NEWER) if (process := Process(entry)).runs]


def around(section: Section) -> Process:
    """Return the process of a section, which may be an address family."""
    entry = section.parent
    assert entry is not None
    above = entry.section.parent if entry.name == "address-family" else entry
    assert above is not None
    return Process(above)


def members(context: Context, process: Process) -> list[Member]:
    """Return the interfaces of a process."""
    return [
        Member(one, process, dotted(entry["area"]), int(entry.get("instance", 0)))
        for one in context.interfaces
        for entry in one.section.all(CLASSIC_AREA, NEWER_AREA)
        if entry["process"] == process.number
    ]


def router_id(chosen: Mapping[str, Any], process: Process) -> str | None:
    """The configured router ID, else the one chosen when the process started."""
    own = process.get("router-id")
    kept = chosen.get(name(process))
    return str(own["id"]) if own else str(kept) if kept else None


def name(process: Process) -> str:
    """Its name in the output of ``show`` commands."""
    return f"ospfv3 {process.number}"
