"""Routes of a switch: what the table ``ipv4_lpm`` of its program has for a prefix."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Final

from pytest_netbench.dialects.p4.lines import short
from pytest_netbench.platforms.driver import Route
from pytest_netbench.platforms.p4.program import Program
from pytest_netbench.platforms.p4.runtime import Entry, Runtime

_ROUTES: Final = "ipv4_lpm"
_MEMBERS: Final = "ecmp_members"


def routes(program: Program, runtime: Runtime, prefix: str) -> list[Route]:
    """Return the route to exactly ``prefix`` with the interfaces that its packets leave by, ``drop`` without any."""
    network = ip_network(prefix, strict=False)
    wanted = (network.network_address.packed, network.prefixlen)
    return [
        Route(prefix=str(network), protocol="p4", interfaces=tuple(_interfaces(program, runtime, entry)))
        for entry in runtime.entries(program.table(_ROUTES).name)
        if entry.match_values == (wanted,)
    ]


def _interfaces(program: Program, runtime: Runtime, entry: Entry) -> Iterator[str]:
    if short(entry.action) == "forward":
        yield f"eth{int.from_bytes(entry.data[1])}"
    elif short(entry.action) == "ecmp":
        group, size = (int.from_bytes(value) for value in entry.data)
        members = runtime.entries(program.table(_MEMBERS).name)
        found = {_bucket(one): one for one in members if int.from_bytes(one.match[0].value) == group}
        for bucket in range(size):
            if bucket in found:
                yield from _interfaces(program, runtime, found[bucket])


def _bucket(entry: Entry) -> int:
    return int.from_bytes(entry.match[1].value)
