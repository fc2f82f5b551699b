"""Compile the lines of the area ``static``."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Interface

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry


def compile_static(context: Context) -> None:
    """Add the static routes of the config."""
    for entry in context.config.all("ip route"):
        if entry.get("vrf") is None and entry.get("track") is None:
            context.state.frr.add("staticd", frr_line(entry))
            if entry.has("permanent"):
                context.unsupported(entry, "the route is removed when its interface goes down")
    for entry in context.config.all("ipv6 route"):
        if entry.get("vrf") is None:
            context.state.frr.add("staticd", frr_line_six(entry))


def frr_line_six(entry: Entry) -> str:
    """Return a static route of IPv6 in FRR's words."""
    return " ".join(["ipv6 route", str(IPv6Interface(entry["prefix"]).network), *_hop(entry), *_options(entry)])


def frr_line(entry: Entry) -> str:
    """Return a static route in FRR's words, which has the next hop before the interface."""
    network = IPv4Network(f"{entry['prefix']}/{entry['mask']}")
    return " ".join(["ip route", str(network), *_hop(entry), *_options(entry)])


def _hop(entry: Entry) -> list[str]:
    out = entry.get("out")
    hop = [str(entry["via"]).lower()] if "via" in entry.match.args else []
    if out is not None:
        hop.append("Null0" if out == "Null0" else interfaces.kernel_name(out))
    return hop


def _options(entry: Entry) -> list[str]:
    options = [f"tag {entry['tag']}"] if "tag" in entry.match.args else []
    return options + ([str(entry["distance"])] if "distance" in entry.match.args else [])
