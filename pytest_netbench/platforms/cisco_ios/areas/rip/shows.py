"""``show`` commands of RIP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show

_ROW = re.compile(
    r"^(?P<kind>\w)\(\w\) (?P<net>\S+)\s+(?P<hop>\S+)\s+(?P<metric>\d+)"
    r" (?P<from>\S+)\s+(?P<tag>\d+)(?:\s+(?P<time>\d+:\d+))?"
)
_TIMEOUT_S = 180


def _database(at: Exec, match: Match) -> str:
    rows = [found.groupdict() for line in at.ask("ripd", "show ip rip").splitlines() if (found := _ROW.match(line))]
    by_hop = _interfaces(at)
    lines: list[str] = []
    majors: set[str] = set()
    for row in sorted(rows, key=lambda row: ip_network(str(row["net"]))):
        network = ip_network(str(row["net"]))
        if match.get("network") is not None and str(network.network_address) != match["network"]:
            continue
        major = igp.classful(str(network.network_address))
        if str(major) not in majors and network.prefixlen > major.prefixlen:
            majors.add(str(major))
            lines.append(f"{major}    auto-summary")
        lines += list(_entry(row, by_hop))
    return "\n".join([*lines, ""]) if lines else ""


def _interfaces(at: Exec) -> dict[str, str]:
    """Return the interface of a network, and the interface to a next hop."""
    found: dict[str, str] = {}
    for prefix, entries in at.ask_json("zebra", "show ip route json").items():
        for entry in entries if isinstance(entries, list) else ():
            for hop in entry.get("nexthops", ()):
                name = interfaces.from_kernel(str(hop.get("interfaceName", ""))) or ""
                if entry.get("protocol") == "connected":
                    found[prefix] = name
                elif hop.get("ip"):
                    found.setdefault(str(hop["ip"]), name)
    return found


def _entry(row: dict[str, str | None], by_hop: dict[str, str]) -> Iterator[str]:
    network = str(row["net"])
    if row["kind"] == "C":
        yield f"{network}    directly connected, {by_hop.get(network, '')}"
    elif row["from"] == "self":
        yield f"{network}    redistributed"
        yield f"    [{row['metric']}] via 0.0.0.0,"
    else:
        minutes, _, seconds = str(row["time"] or "3:00").partition(":")
        age = max(0, _TIMEOUT_S - int(minutes) * 60 - int(seconds))
        yield network
        yield (
            f"    [{int(str(row['metric'])) - 1}] via {row['hop']}, 00:{age // 60:02d}:{age % 60:02d},"
            f" {by_hop.get(str(row['hop']), '')}"
        )


SHOWS = (show("ip rip database [ {network:ipv4} [ {mask:mask} ] ]", _database, "IPv4 RIP database"),)
