"""Lines that the blocks of several protocols in ``show ip protocols`` have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

SOURCES = ("  Routing Information Sources:", "    Gateway         Distance      Last Update")
_WAYS = (("out", "Outgoing"), ("in", "Incoming"))


def filters(section: Section) -> Iterator[str]:
    """Return the lines of distribute lists and of offsets to received metrics."""
    lists = [
        line for line in section.all("distribute-list", "distribute-list prefix") if line.text.split()[-1] in _ENDS
    ]
    lists += [line for line in section.all("distribute-list", "distribute-list prefix") if _interface(line)]
    for way, word in _WAYS:
        own = [line for line in lists if line["way"] == way]
        whole = next((_named(line) for line in own if not _interface(line)), "not set")
        yield f"  {word} update filter list for all interfaces is {whole}"
        for line in own:
            if _interface(line):
                yield f"    {_interface(line)} filtered by {_named(line)} (per-user), default is not set"
    for line in section.all("offset-list"):
        if line["way"] == "in":
            where = f" in {_interface(line)}" if _interface(line) else ""
            yield f"  Incoming routes{where} will have {line['offset']} added to metric if on list {line['list']}"


_ENDS = {"in", "out"}
"""The last words of a line that filters all updates; others are of an interface, or of one source only."""


def _interface(line: Entry) -> str:
    return str(line.get("interface") or "")


def _named(line: Entry) -> str:
    return f"{'(prefix-list) ' if line.name.endswith('prefix') else ''}{line['list']}"


def gateways(found: Iterable[tuple[str, int, str]]) -> Iterator[str]:
    """Return the table of the sources of routes: of each the distance and the time of the last update."""
    yield from SOURCES
    latest: dict[str, tuple[int, str]] = {}
    for address, distance, uptime in found:
        if uptime <= latest.get(address, (0, "~"))[1]:
            latest[address] = (distance, uptime)
    for address, (distance, uptime) in latest.items():
        yield f"    {address:<15}      {distance:>3}      {uptime}"


def next_hops(rows: Sequence[Row], protocol: str) -> Iterator[str]:
    """Return the table of the sources of a protocol's routes whose next hops are their sources."""
    mine = (row for row in rows if row.protocol == protocol)
    yield from gateways((hop.address, row.distance, row.uptime) for row in mine for hop in row.hops if hop.address)


def networks(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines of the networks of a protocol."""
    yield "  Routing for Networks:"
    yield from (f"    {line}" for line in lines)


def passive(names: Sequence[str]) -> Iterator[str]:
    """Return the lines of passive interfaces."""
    if names:
        yield "  Passive Interface(s):"
        yield from (f"    {name}" for name in names)


def redistributing(section: Section) -> list[str]:
    """Return the sources of redistribution, each with its process."""
    found = []
    for entry in section.all("redistribute"):
        words = entry.text.split()
        found.append(" ".join(words[1:3]) if words[1] in {"eigrp", "bgp", "ospf"} else words[1])
    return found
