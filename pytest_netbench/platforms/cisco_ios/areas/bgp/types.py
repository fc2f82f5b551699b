"""Argument types of BGP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address

from pytest_netbench.platforms.cisco_ios.areas.policy import communities
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType, matching, one


def _address(text: str) -> str | None:
    if "%" in text:
        return None
    found = ip_address(text)
    return str(found).upper() if found.version == 6 else str(found)


def _group(text: str) -> str | None:
    """Read a peer group name: any word that cannot be an address."""
    if ":" in text or re.fullmatch(r"[\d.]+", text) or text.lower() in {"?", "|"}:
        return None
    return text


def _peer(text: str) -> str | None:
    return _group(text) or _address(text)


def _cluster(text: str) -> str | None:
    return str(int(text)) if text.isdigit() and 0 < int(text) < 2**32 else _address(text) if ":" not in text else None


TYPES: Mapping[str, ArgType] = {
    "peer": one("A.B.C.D|X:X:X:X::X|WORD", _peer, "Neighbor address or tag"),
    "address": one("A.B.C.D|X:X:X:X::X", _address, "Neighbor address"),
    "groupname": one("WORD", _group, "Neighbor tag"),
    "commword": one("<1-4294967295>|aa:nn|WORD", communities.read, "community number"),
    "way": matching("in|out", "in|out"),
    "clusterid": one("<1-4294967295>|A.B.C.D", _cluster, "Route-Reflector Cluster-id"),
    "passwordkind": matching("<0-7>", "[07]"),
}
