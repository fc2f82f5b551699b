"""Session ends of OSPFv3, RIP and IS-IS, from what their daemons answer. Pure.

An end that is passive, and hears nothing either, is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from ipaddress import IPv6Interface, ip_address
from typing import Any

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.ends import Address, End, Sight, equal

Databases = Mapping[str, frozenset[tuple[str, ...]]]
# RIP sends a change after up to five seconds
RIP_QUIET_S = 6
_OSPF6_AREA = re.compile(r"Area Scoped Link State Database \(Area (\S+)\)")
_OSPF6_ROW = re.compile(r"^(\S+)\s+(\d+\.\S+)\s+(\d+\.\S+)\s+(\d+)\s+([0-9a-f]+)\s")
_MAX_AGE = "3600"
_UPTIME = re.compile(r"(\d+):(\d\d):(\d\d)$")


# -- OSPFv3 ------------------------------------------------------------------------------------------------------------


def ospf6_ends(node: str, interfaces: Mapping[str, Any], neighbors: Mapping[str, Any], config: str) -> list[End]:
    """From ``show ipv6 ospf6 interface json``, ``show ipv6 ospf6 neighbor json`` and the running config."""
    full = [
        (str(entry.get("interfaceName", "")), str(entry.get("neighborId", "")))
        for entry in neighbors.get("neighbors") or ()
        if str(entry.get("state", "")) == "Full"
        # two that are neither designated router nor its backup need no more
        or (str(entry.get("ifState")), str(entry.get("interfaceState"))) == ("DROther", "DROther")
    ]
    router = re.search(r"ospf6 router-id (\S+)", config)
    settings = blocks(config, "interface")
    found = []
    for name, entry in interfaces.items():
        if not isinstance(entry, Mapping) or not entry.get("attachedToArea") or entry.get("status") != "up":
            continue
        lines = settings.get(name, ())
        if router is None or "ipv6 ospf6 passive" in lines:
            continue
        addresses = tuple(
            IPv6Interface(address["address"])
            for address in entry.get("internetAddress") or ()
            if address.get("type") == "inet6" and not IPv6Interface(address["address"]).is_link_local
        )
        area = str(entry.get("areaId"))
        words = equal(
            area=area,
            hello=str(entry.get("timerIntervalsConfigHello")),
            dead=str(entry.get("timerIntervalsConfigDead")),
            instance=str(entry.get("instanceId")),
            network=str(entry.get("type")),
            mtu=str(entry.get("interfaceMtu")),
            kind=_area_kind(config, area),
            secret="\n".join(line for line in lines if "authentication" in line),
        )
        found.append(
            _end(
                "ospf6",
                node,
                name,
                addresses,
                name=router[1],
                offers=words,
                accepts=words,
                seen=_seen(router_id for where, router_id in full if where == name),
                database=f"area {area}",
            )
        )
    return found


def ospf6_waiting(node: str, interfaces: Mapping[str, Any], details: Mapping[str, Any]) -> list[str]:
    """Phrases for LANs on which OSPFv3 of a router has not yet elected, or on which its neighbors name others.

    The arguments are from ``show ipv6 ospf6 interface json`` and ``show ipv6 ospf6 neighbor detail json``.
    """
    own = {name: entry for name, entry in interfaces.items() if isinstance(entry, Mapping)}
    waits = {name for name, entry in own.items() if entry.get("ospf6InterfaceState") == "Waiting"}
    for entry in details.values():
        if isinstance(entry, Mapping) and entry.get("neighborDRouter", UNSPECIFIED) != UNSPECIFIED:
            here = own.get(str(entry.get("interface")), {})
            theirs = entry.get("neighborDRouter"), entry.get("neighborBdRouter")
            dead_s = int(here.get("timerIntervalsConfigDead", 0))
            if (
                here.get("type") == "BROADCAST"
                and theirs != (here.get("dr"), here.get("bdr"))
                and _seconds(str(entry.get("neighborStateDuration"))) < 2 * dead_s
            ):
                waits.add(str(entry.get("interface")))
    return [f"{node}: OSPFv3 elects a designated router on {name}" for name in sorted(waits)]


def _seconds(duration: str) -> int:
    """Seconds of ``00:01:02``; of a longer duration, which has days, a day."""
    found = _UPTIME.fullmatch(duration)
    return int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) if found else 86_400


def _area_kind(config: str, area: str) -> str:
    found = re.search(rf"^ area {re.escape(area)} (stub|nssa)\b", config, re.MULTILINE)
    return found[1] if found else ""


def ospf6_databases(text: str) -> Databases:
    """Area to its link-state advertisements (kind, identifier, router, number), from ``show ipv6 ospf6 database``.

    Those of the highest age are about to be removed, which routers do at different times.
    """
    found: dict[str, set[tuple[str, ...]]] = {}
    area = ""
    for line in text.splitlines():
        if "Link State Database" in line:
            heading = _OSPF6_AREA.search(line)
            area = _dotted(heading[1]) if heading else ""
            if area:
                found[area] = set()
        elif area and (row := _OSPF6_ROW.match(line)) and row[4] != _MAX_AGE:
            found[area].add((row[1], row[2], row[3], row[5]))
    return {name: frozenset(rows) for name, rows in found.items()}


def _dotted(area: str) -> str:
    return str(ip_address(int(area))) if area.isdigit() else area


# -- RIP ---------------------------------------------------------------------------------------------------------------


def rip_ends(
    node: str, status: str, table: str, addresses: Mapping[str, tuple[Address, ...]], config: str
) -> list[End]:
    """From ``show ip rip status``, ``show ip rip``, the addresses of the interfaces, and the running config.

    A router that knows only the link itself sends nothing there.
    """
    known = re.findall(r"^\w\(\w\) (\S+)\s+(\S+)", table, re.MULTILINE)
    filtered = "distribute-list" in config
    rows = re.findall(r"^    (\S+)\s+(\d(?: \d)?|none)\s+(\d(?: \d)?|none)", status, re.MULTILINE)
    passive = set(_listed(status, "Passive Interface(s):"))
    sources = re.findall(r"^    (\d+\.\d+\.\d+\.\d+)\s+\d+\s+\d+\s+\d+", status, re.MULTILINE)
    settings = blocks(config, "interface")
    found = []
    for name, sent, received in rows:
        if not addresses.get(name):
            continue
        lines = sorted(line for line in settings.get(name, ()) if "authentication" in line)
        secret = equal(secret="\n".join(lines))
        found.append(
            _end(
                "rip",
                node,
                name,
                addresses[name],
                name=str(addresses[name][0].ip),
                offers={**secret, "version": frozenset(sent.split())},
                accepts={**secret, "version": frozenset(received.split())},
                seen=_seen(sources),
                is_silent=name in passive or filtered or not _has_news(known, addresses[name][0]),
            )
        )
    return found


def _has_news(known: Iterable[tuple[str, str]], link: Address) -> bool:
    """Whether there is a network to advertise on a link: neither the link itself nor learned from it."""
    return any(network != str(link.network) and ip_address(hop) not in link.network for network, hop in known)


def _listed(text: str, heading: str) -> list[str]:
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() == heading), None)
    found: list[str] = []
    for line in lines[start + 1 :] if start is not None else ():
        if not line.startswith("    "):
            break
        found.append(line.strip())
    return found


def rip_is_moving(table: str) -> bool:
    """Whether a route in ``show ip route rip`` is so new that neighbors may not have received it."""
    for line in table.splitlines():
        found = _UPTIME.search(line.strip())
        if line.startswith("R") and found and int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) < RIP_QUIET_S:
            return True
    return False


# -- IS-IS -------------------------------------------------------------------------------------------------------------


def isis_ends(
    node: str, answers: tuple[Mapping[str, Any], str, str], addresses: Mapping[str, tuple[Address, ...]], config: str
) -> list[End]:
    """Parse ``show isis interface json``, ``show isis neighbor``, ``show isis topology``, addresses and running config.

    A neighbor counts once it is part of the topology: on a LAN that is later than the adjacency.
    """
    interfaces, neighbors, topology = answers
    hostname = next((line.split()[1] for line in config.splitlines() if line.startswith("hostname ")), node)
    reached = set(re.findall(r"^\s*(\S+)\s+(?:TE-)?IS\s", topology, re.MULTILINE))
    up = re.findall(r"^\s*(\S+)\s+(\S+)\s+(\d)\s+Up\s", neighbors, re.MULTILINE)
    net = re.search(r"^ net (\S+)", config, re.MULTILINE)
    area = net[1].rsplit(".", 4)[0] if net else ""
    settings = blocks(config, "interface")
    circuits = [
        circuit.get("interface") or {}
        for group in interfaces.get("areas") or ()
        for circuit in group.get("circuits") or ()
    ]
    levels = {str(entry.get("level", "")) for entry in circuits if entry.get("state") == "Up"}
    # with one level and one area, routers have one database
    database = f"{area} {''.join(levels)}" if len(levels) == 1 else ""
    found = []
    for entry in circuits:
        name = str(entry.get("name", ""))
        lines = settings.get(name, ())
        if entry.get("state") != "Up" or "isis passive" in lines:
            continue
        words = equal(
            network="point-to-point" if "isis network point-to-point" in lines else "broadcast",
            secret="\n".join(line for line in lines if line.startswith("isis password")),
        )
        words = {**words, "level": _levels(str(entry.get("level", "")), area)}
        found.append(
            _end(
                "isis",
                node,
                name,
                addresses.get(name, ()),
                name=hostname,
                offers=words,
                accepts=words,
                seen=_seen(who for who, where, _ in up if where == name and who in reached),
                database=database,
            )
        )
    return found


def _levels(text: str, area: str) -> frozenset[str]:
    """The levels of a circuit, e.g. ``L1L2``. Routers of different areas do not meet at level 1."""
    return frozenset({*(["2"] if "2" in text else []), *([f"1 in {area}"] if "1" in text else [])})


# -- shared ------------------------------------------------------------------------------------------------------------


def blocks(config: str, opener: str) -> dict[str, tuple[str, ...]]:
    """Lines below each ``opener NAME`` of a running config."""
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in config.splitlines():
        if line.startswith(f"{opener} "):
            name = line.split()[1]
        elif not line.startswith(" "):
            name = ""
        elif name:
            found[name] = (*found.get(name, ()), line.strip())
    return found


def database_lines(text: str, row: re.Pattern[str]) -> frozenset[tuple[str, ...]]:
    """Rows of a link-state database without their ages."""
    return frozenset(found.groups() for line in text.splitlines() if (found := row.match(line)))


ISIS_ROW = re.compile(r"^(\S+\.\d\d-\d\d)\s+(?:\*\s+)?\d+\s+(0x\w+)\s")


def _end(protocol: str, node: str, interface: str, addresses: tuple[Address, ...], **fields: Any) -> End:
    return End(
        protocol=protocol,
        node=node,
        interface=interface,
        addresses={interface: addresses} if addresses else {},
        address=str(addresses[0].ip) if addresses else "",
        **fields,
    )


def _seen(names: Iterable[str]) -> dict[str, Sight]:
    return {name: Sight("Up", is_up=True) for name in names}
