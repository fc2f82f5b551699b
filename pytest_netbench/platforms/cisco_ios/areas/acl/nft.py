"""nftables expressions that access lists and object groups have in common."""

from __future__ import annotations

import re
from zlib import crc32

from pytest_netbench.platforms.cisco_ios.areas.acl import names
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ports


def slug(name: str) -> str:
    """Return a valid nftables name; different names give different results."""
    clean = re.sub(r"[^A-Za-z0-9]", "_", name)
    return clean if clean == name else f"{clean}_{crc32(name.encode()):08x}"


def group_set(name: str) -> str:
    """Return the name of the nftables set of a network object group."""
    return f"group_{slug(name)}"


def icmp(pair: names.Icmp, *, family: int = 4) -> str:
    """Return the expression for an ICMP type, and its code if the code is given."""
    word = "icmp" if family == 4 else "icmpv6"
    kind, code = pair
    return f"{word} type {kind}" + ("" if code is None else f" {word} code {code}")


def port_conditions(field: str, ports: Ports) -> list[str]:
    """Return alternative expressions for a port, e.g. of ``tcp dport``."""
    values = ports.values
    if ports.operator == "eq":
        return [f"{field} {{ {', '.join(str(port) for port in sorted(set(values)))} }}"]
    if ports.operator == "neq":
        return [f"{field} != {{ {', '.join(str(port) for port in sorted(set(values)))} }}"]
    low, high = {
        "lt": (0, values[0] - 1),
        "gt": (values[0] + 1, 65535),
        "range": (values[0], values[-1]),
    }[ports.operator]
    return [] if low > high else [f"{field} {low}-{high}" if low < high else f"{field} {low}"]
