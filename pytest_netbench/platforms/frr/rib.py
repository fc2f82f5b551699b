"""FRR's routing table: one prefix as ``Route`` objects, all of it as a fingerprint. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from ipaddress import ip_network
from typing import Any

from pytest_netbench.platforms.driver import Route

_LINK_LOCAL = re.compile(r"^C\S* [ *>]*fe80::/64 .*\n?", re.MULTILINE)
_ENTRY = re.compile(r"\n(?=\S)")
_HOP = re.compile(r"\b(?:via|is directly connected)\b.*")
_UPTIME = re.compile(r",? (\d\d:\d\d:\d\d|\d+d\d\dh\d\dm|\d+w\d+d\d\dh)$", re.MULTILINE)


def request(prefix: str) -> str:
    """The command that asks for ``prefix``.

    Raises:
        ValueError: Not a prefix.
    """
    network = ip_network(prefix, strict=False)
    return f"show {'ip' if network.version == 4 else 'ipv6'} route {network} json"


def lookup(address: str) -> str:
    """The command that asks which route ``address`` takes."""
    return f"show {'ipv6' if ':' in address else 'ip'} route {address} json"


def routes(answer: str, prefix: str) -> list[Route]:
    """Installed routes to exactly ``prefix``, from the JSON of one prefix."""
    network = str(ip_network(prefix, strict=False))
    if not answer.lstrip().startswith("{"):
        return []
    return _installed(network, json.loads(answer).get(network, ()))


WHOLE_TABLE = ("show ip route json", "show ipv6 route json")
"""The commands that ask for all routes."""


def table(answers: Iterable[str]) -> list[Route]:
    """All installed routes, from the JSON of whole tables."""
    return [
        route
        for answer in answers
        if answer.lstrip().startswith("{")
        for prefix, entries in json.loads(answer).items()
        for route in _installed(prefix, entries)
    ]


def _installed(network: str, entries: Iterable[Mapping[str, Any]]) -> list[Route]:
    found = []
    for entry in entries:
        if not (entry.get("selected") and entry.get("installed")):
            continue
        hops = [hop for hop in entry.get("nexthops", ()) if hop.get("fib")]
        found.append(
            Route(
                prefix=network,
                protocol=entry["protocol"],
                next_hops=tuple(hop["ip"] for hop in hops if "ip" in hop),
                interfaces=tuple(hop["interfaceName"] for hop in hops if "interfaceName" in hop),
                metric=entry.get("metric"),
                distance=entry.get("distance"),
                extra={"blackhole": True} if any(hop.get("blackhole") for hop in hops) else {},
            )
        )
    return found


def is_reachable(answer: str) -> bool:
    """Whether the JSON of a lookup by address shows a selected route other than the default route."""
    if not answer.lstrip().startswith("{"):
        return False
    return any(
        entry.get("selected")
        for prefix, entries in json.loads(answer).items()
        if not prefix.endswith("/0") and isinstance(entries, list)
        for entry in entries
    )


def fingerprint(tables: Iterable[str]) -> str:
    """A digest of routing tables as FRR prints them: equal for equal routes.

    Left out are uptimes, link-local networks, and the order of routes and next hops, which depends on which came last.
    """
    digest = blake2b(digest_size=12)
    for table in tables:
        lines = _LINK_LOCAL.sub("", _UPTIME.sub("", table.replace("\r", "")))
        digest.update("\n".join(sorted(map(_ordered, _ENTRY.split(lines)))).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _ordered(entry: str) -> str:
    """An entry of a table with its next hops in order."""
    hops = sorted(_HOP.findall(entry))
    return "\n".join([_HOP.split(entry, maxsplit=1)[0].strip(), *hops])
