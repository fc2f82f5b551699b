"""Routes as EOS and Junos print them in JSON, for one prefix."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any, Final

from pytest_netbench.platforms.driver import Route

_EOS_TYPES: Final = {
    "ebgp": "bgp",
    "ibgp": "bgp",
    "bgpaggregate": "bgp",
    "isislevel1": "isis",
    "isislevel2": "isis",
    "rip": "rip",
}
"""By the type of a route in small letters; others begin with the name of their protocol, or are it."""
_JUNOS_PROTOCOLS: Final = {"direct": "connected", "ospf3": "ospf6", "is-is": "isis", "aggregate": "static"}
_JUNOS_NOWHERE: Final = ("discard", "reject")


def eos_request(prefix: str) -> str:
    """Return the command that shows the route to ``prefix`` on EOS."""
    network = ip_network(prefix, strict=False)
    return f"show {'ip' if network.version == 4 else 'ipv6'} route {network} | json"


def eos_parse(text: str, prefix: str) -> list[Route]:
    """Return the routes to exactly ``prefix`` in what ``eos_request(prefix)`` printed; empty if there is none."""
    network = ip_network(prefix, strict=False)
    found = _loaded(text)
    tables = [found, *found.get("vrfs", {}).values()]
    entries = (item for table in tables for item in table.get("routes", {}).items())
    return [_eos_route(prefix, entry) for written, entry in entries if ip_network(written) == network]


def _eos_route(prefix: str, entry: Mapping[str, Any]) -> Route:
    kind = str(entry.get("routeType", "")).lower()
    protocol = _EOS_TYPES.get(kind) or ("ospf" if kind.startswith("ospf") else kind)
    if protocol == "ospf" and ":" in prefix:
        protocol = "ospf6"
    vias = entry.get("vias", [])
    drops = entry.get("routeAction") == "drop"
    return Route(
        prefix=prefix,
        protocol=protocol,
        next_hops=tuple(via["nexthopAddr"] for via in vias if via.get("nexthopAddr")),
        interfaces=() if drops else tuple(dict.fromkeys(via["interface"] for via in vias if via.get("interface"))),
        metric=int(entry.get("metric", 0)),
        distance=int(entry.get("preference", 0)),
        extra={"blackhole": True} if drops else {},
    )


def junos_request(prefix: str) -> str:
    """Return the command that shows the route to exactly ``prefix`` on Junos."""
    return f"show route {ip_network(prefix, strict=False)} exact active-path | display json"


def junos_parse(text: str, prefix: str) -> list[Route]:
    """Return the routes to exactly ``prefix`` in what ``junos_request(prefix)`` printed; empty if there is none."""
    network = ip_network(prefix, strict=False)
    found: list[Route] = []
    for table in _every(_loaded(text), "route-information", "route-table"):
        if _word(table, "table-name") not in {"inet.0", "inet6.0"}:
            continue
        for row in table.get("rt", []):
            if ip_network(_word(row, "rt-destination"), strict=False) == network:
                found += [_junos_route(prefix, entry) for entry in row.get("rt-entry", []) if _is_active(entry)]
    return found


def _junos_route(prefix: str, entry: Mapping[str, Any]) -> Route:
    protocol = _word(entry, "protocol-name").lower()
    drops = _word(entry, "nh-type").lower() in _JUNOS_NOWHERE
    hops = entry.get("nh", [])
    vias = [_word(hop, "via") or _word(hop, "nh-local-interface") for hop in hops]
    return Route(
        prefix=prefix,
        protocol=_JUNOS_PROTOCOLS.get(protocol, protocol),
        next_hops=tuple(to for hop in hops if (to := _word(hop, "to"))),
        interfaces=() if drops else tuple(dict.fromkeys(via for via in vias if via)),
        metric=int(_word(entry, "metric") or _word(entry, "med") or 0),
        distance=int(_word(entry, "preference") or 0),
        extra={"blackhole": True} if drops else {},
    )


def _is_active(entry: Mapping[str, Any]) -> bool:
    return _word(entry, "active-tag") == "*"


def _loaded(text: str) -> dict[str, Any]:
    """Return the object in what a command printed; empty if it is none, as after an error."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _every(found: Mapping[str, Any], outer: str, inner: str) -> Iterator[Mapping[str, Any]]:
    return (one for block in found.get(outer, []) for one in block.get(inner, []))


def _word(block: Mapping[str, Any], name: str) -> str:
    """Return a value as Junos writes it in JSON: a list of one object, whose ``data`` it is."""
    values = block.get(name) or [{}]
    return str(values[0].get("data") or "")
