"""The counters of a switch in short: a sum for each table, and those of the ports that it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.dialects.p4.lines import short
from pytest_netbench.platforms.counting import ProgramCounter
from pytest_netbench.platforms.p4.program import Program
from pytest_netbench.platforms.p4.runtime import Count, Refused, Runtime


def counters(program: Program, runtime: Runtime, ports: Sequence[int]) -> Iterator[ProgramCounter]:
    """The counters of the entries of each table, added, and those of each array at ``ports``."""
    for table in program.tables:
        if table.is_counted:
            hits = list(_hits(table.name, runtime))
            packets, octets = sum(one.packets for one in hits), sum(one.bytes for one in hits)
            yield ProgramCounter(name=short(table.name), place=None, packets=packets, bytes=octets)
    for array in program.counters:
        for port in ports:
            if port < array.size:
                found = runtime.count(array.name, port)
                yield ProgramCounter(name=short(array.name), place=port, packets=found.packets, bytes=found.bytes)


def _hits(table: str, runtime: Runtime) -> Iterator[Count]:
    for entry in runtime.entries(table):
        try:
            yield runtime.hits(table, entry.handle)
        except Refused:  # somebody has deleted it since
            continue
