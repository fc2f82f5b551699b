"""Routes, policy rules and static neighbors as config lines and as ``Route`` objects. Pure: reads ``ip -j`` JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address, ip_network
from typing import Any

from pytest_netbench.platforms.driver import Route

_BY_KERNEL = {"kernel", "ra", "redirect"}
_SPECIAL = {"blackhole", "unreachable", "prohibit", "throw"}
_FRESH_RULES = {(0, "local"), (32766, "main"), (32767, "default")}
_PROTOCOLS = {None: "static", "boot": "static", "static": "static", "kernel": "connected"}


def route_blocks(entries: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Table name to route lines; routes the kernel made itself are left out."""
    tables: dict[str, list[tuple[Any, str]]] = {}
    for entry in entries:
        table = str(entry.get("table", "main"))
        if table == "local" or entry.get("protocol") in _BY_KERNEL or entry.get("type") in {"multicast", "anycast"}:
            continue
        tables.setdefault(table, []).append((_sort_key(entry), _route_line(entry)))
    ordered = sorted(tables, key=lambda table: (table != "main", table))
    return {table: [line for _, line in sorted(tables[table])] for table in ordered}


def _sort_key(entry: Mapping[str, Any]) -> tuple[int, int, int, int]:
    network = _network(entry)
    return network.version, int(network.network_address), network.prefixlen, int(entry.get("metric", 0))


def _network(entry: Mapping[str, Any]) -> Any:
    if entry["dst"] == "default":
        return ip_network("::/0" if ":" in str(_first_gateway(entry)) or entry.get("pref") else "0.0.0.0/0")
    return ip_network(entry["dst"])


def _first_gateway(entry: Mapping[str, Any]) -> str:
    hops = entry.get("nexthops") or [entry]
    gateway = hops[0].get("gateway") or (hops[0].get("via") or {}).get("host") or ""
    return str(gateway)


def _route_line(entry: Mapping[str, Any]) -> str:
    words = [entry["type"]] if entry.get("type") in _SPECIAL else []
    words.append(str(entry["dst"]) if entry["dst"] != "default" or _network(entry).version == 4 else "default")
    hops = entry.get("nexthops")
    if hops:
        words += [f"nexthop {_hop(hop)} weight {hop.get('weight', 1)}" for hop in hops]
    else:
        words += [_hop(entry)] if _hop(entry) else []
    if entry.get("prefsrc"):
        words.append(f"src {entry['prefsrc']}")
    if entry.get("metric") and not (entry["metric"] == 1024 and entry.get("pref")):
        words.append(f"metric {entry['metric']}")
    for metric in entry.get("metrics") or ():
        words += [f"{key} {value}" for key, value in metric.items()]
    if "onlink" in entry.get("flags", ()):
        words.append("onlink")
    return " ".join(words)


def _hop(hop: Mapping[str, Any]) -> str:
    words = []
    if hop.get("gateway"):
        words.append(f"via {hop['gateway']}")
    elif hop.get("via"):
        words.append(f"via {hop['via']['family']} {hop['via']['host']}")
    if hop.get("dev") and hop.get("type") not in _SPECIAL:
        words.append(f"dev {hop['dev']}")
    return " ".join(words)


def rule_lines(entries: Iterable[Mapping[str, Any]], *, family: str) -> list[str]:
    """Policy rules a person made, in order of priority."""
    lines = []
    for entry in sorted(entries, key=lambda entry: int(entry["priority"])):
        if (
            (entry["priority"], entry.get("table")) in _FRESH_RULES
            and entry.get("src") == "all"
            and "fwmark" not in entry
        ):
            continue
        words = [f"rule {family} priority {entry['priority']}"]
        words += ["not"] if "not" in entry else []
        for key, word in (("src", "from"), ("dst", "to")):
            if entry.get(key):
                length = entry.get(f"{key}len")
                words.append(f"{word} {entry[key]}" + (f"/{length}" if length is not None else ""))
        for key in ("tos", "fwmark", "fwmask", "iif", "oif", "ipproto", "sport", "dport", "uid_range"):
            if key in entry:
                words.append(f"{key} {entry[key]}")
        words.append(str(entry["action"]) if "action" in entry else f"lookup {entry.get('table', 'main')}")
        lines.append(" ".join(words))
    return lines


def neighbor_lines(entries: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Interface to its fixed neighbors."""
    found: dict[str, list[tuple[Any, str]]] = {}
    for entry in entries:
        if "PERMANENT" in entry.get("state", ()) and "lladdr" in entry:
            line = f"neighbour {entry['dst']} lladdr {entry['lladdr']}"
            address = ip_address(entry["dst"])
            found.setdefault(entry["dev"], []).append(((address.version, int(address)), line))
    return {name: [line for _, line in sorted(lines)] for name, lines in found.items()}


def routes(entries: Iterable[Mapping[str, Any]], prefix: str) -> list[Route]:
    """Routes of the main table to exactly ``prefix``, best metric first."""
    wanted = ip_network(prefix, strict=False)
    found = [
        _route(str(wanted), entry)
        for entry in entries
        if (_network(entry) == wanted if wanted.prefixlen else entry["dst"] == "default")
    ]
    return sorted(found, key=lambda route: route.metric or 0)


def table(entries: Iterable[Mapping[str, Any]]) -> list[Route]:
    """All unicast routes of the main table, those of the kernel too."""
    unicast = (entry for entry in entries if entry.get("type") not in {"multicast", "anycast"})
    return [_route(str(_network(entry)), entry) for entry in unicast]


def _route(prefix: str, entry: Mapping[str, Any]) -> Route:
    hops = entry.get("nexthops") or [entry]
    special = entry.get("type") in _SPECIAL
    return Route(
        prefix=prefix,
        protocol=_PROTOCOLS.get(entry.get("protocol"), str(entry.get("protocol"))),
        next_hops=tuple(hop["gateway"] for hop in hops if "gateway" in hop),
        interfaces=() if special else tuple(hop["dev"] for hop in hops if "dev" in hop),
        metric=int(entry.get("metric", 0)),
        extra={"type": entry["type"]} if special else {},
    )
