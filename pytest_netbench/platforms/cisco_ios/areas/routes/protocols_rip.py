"""The block of RIP in ``show ip protocols``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_netbench.platforms.cisco_ios.areas import rip
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.routes import protocol_lines as lines
from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row
from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec

_HEADING = "    Interface                           Send  Recv  Triggered RIP  Key-chain"
_FORM = "    {:<36}{:<6}{:<11}{:<10}{:<16}"
_VERSIONS = ("1", "2")


def block(at: Exec, entry: Entry, rows: Sequence[Row]) -> Iterator[str]:
    """Return the lines of the block."""
    section, context = entry.body, at.device.context()
    members = rip.members(context, section)
    yield 'Routing Protocol is "rip"'
    yield from lines.filters(section)
    yield from _timers(at, section)
    metric = section.get("default-metric")
    if metric is not None:
        yield f"  Default redistribution metric is {metric['metric']}"
    yield f"  Redistributing: {', '.join([*lines.redistributing(section), 'rip'])}"
    neighbors = section.all("neighbor")
    if neighbors:
        yield from ("  Neighbor(s):", *(f"    {line['address']}" for line in neighbors))
    yield from _versions(section, [one for one in members if not igp.is_passive(section, one.name)])
    yield f"  Automatic network summarization is {'not ' if section.says_no('auto-summary') else ''}in effect"
    yield "  Maximum path: 4"
    yield from lines.networks(str(e["network"]) for e in section.all("network"))
    known = context.interfaces if section.has("passive-interface default") else members
    yield from lines.passive([one.name for one in known if igp.is_passive(section, one.name)])
    yield from lines.next_hops(rows, "rip")
    distance = section.get("distance")
    yield f"  Distance: (default is {distance['distance'] if distance else 120})"


def _timers(at: Exec, section: Section) -> Iterator[str]:
    timers = section.get("timers basic")
    update, invalid, hold, flush = (
        (timers[name] for name in ("update", "invalid", "holddown", "flush")) if timers else (30, 180, 180, 240)
    )
    due = re.search(r"next due in (\d+)", at.ask("ripd", "show ip rip status"))
    yield f"  Sending updates every {update} seconds, next due in {due[1] if due else 0} seconds"
    yield f"  Invalid after {invalid} seconds, hold down {hold}, flushed after {flush}"


def _versions(section: Section, speaking: Sequence[Interface]) -> Iterator[str]:
    version = section.get("version")
    number = str(version["number"]) if version else ""
    received = f"version {number}" if number else "any version"
    yield f"  Default version control: send version {number or '1'}, receive {received}"
    if speaking:
        yield _HEADING
    for one in speaking:
        sent = _of_interface(one, "send", number or "1")
        heard = _of_interface(one, "receive", number or "1 2")
        chain = one.section.get("ip rip authentication key-chain")
        yield _FORM.format(one.name, sent, heard, "No", chain["chain"] if chain else "none")


def _of_interface(one: Interface, way: str, default: str) -> str:
    line = one.section.get(f"ip rip {way} version")
    return " ".join(number for number in _VERSIONS if line.has(number)) if line is not None else default
