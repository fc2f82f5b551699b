"""The interfaces whose networks a ``redistribute`` line includes.

IOS redistributes a protocol's routes and the connected networks of the interfaces on which the protocol runs. For IPv4
this holds for OSPF, RIP and EIGRP into any protocol, and not for IS-IS and BGP. IPv6 needs ``include-connected``. A
line ``redistribute connected`` decides about all connected networks, so then no other line includes any.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.areas import eigrp, isis, rip
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf import process as ospf
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import process as ospfv3
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section


def including(section: Section) -> list[Entry]:
    """Return the ``redistribute`` lines that may include connected networks."""
    lines = [entry for _, entry in igp.redistributions(section)]
    return [] if any(word_of(entry) == "connected" for entry in lines) else lines


def word_of(entry: Entry) -> str:
    """Return the source of a line in IOS's word."""
    return entry.text.split()[1]


def four(context: Context, entry: Entry, vrf: str) -> Iterator[Interface]:
    """Yield the interfaces of IPv4 whose networks a line includes."""
    word = word_of(entry)
    if word == "ospf" and _internal(entry):
        for process in ospf.processes(context):
            if process.number == int(entry["number"]) and process.vrf == vrf:
                yield from (member.one for member in ospf.members(context, process))
    elif word == "rip" and not vrf:
        for _, section in context.config.sections("router rip"):
            yield from rip.members(context, section)
    elif word == "eigrp" and not vrf:
        for process_line, section in context.config.sections("router eigrp"):
            if int(process_line["process"]) == int(entry["number"]):
                yield from eigrp.members(context, section)


def six(context: Context, entry: Entry) -> Iterator[Interface]:
    """Yield the interfaces of IPv6 whose networks a line includes."""
    word = word_of(entry)
    if not entry.has("include-connected"):
        return
    if word == "ospf" and _internal(entry):
        for process_six in ospfv3.processes(context.config):
            if process_six.number == int(entry["number"]):
                yield from (member.one for member in ospfv3.members(context, process_six))
    elif word == "rip":
        for process in context.config.all("ipv6 router rip"):
            if entry.get("name", process["name"]) == process["name"]:
                yield from rip.six_members(context, process["name"])
    elif word == "isis":
        yield from (one for one in isis.members(context) if one.section.has("ipv6 router isis"))


def _internal(entry: Entry) -> bool:
    """Whether a line takes internal routes of OSPF, to which the connected networks belong."""
    return not entry.has("match") or entry.has("internal")
