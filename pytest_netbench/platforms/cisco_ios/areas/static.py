"""Static routes."""

from __future__ import annotations

from ipaddress import IPv4Network

from pytest_netbench.platforms.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match


def _check(_edit: Edit, match: Match) -> str | None:
    try:
        IPv4Network(f"{match['prefix']}/{match['mask']}")
    except ValueError:
        return "%Inconsistent address and mask"
    return None


def _compile(context: Context) -> None:
    for entry in context.config.all("ip route"):
        if entry.get("vrf") is None and entry.get("track") is None:
            context.plan.frr.add("staticd", frr_line(entry))


def frr_line(entry: Entry) -> str:
    """FRR's words for a static route: it wants the next hop before the interface."""
    network = IPv4Network(f"{entry['prefix']}/{entry['mask']}")
    out = entry.get("out")
    hop = [entry["via"]] if "via" in entry.match.args else []
    if out is not None:
        hop.append("Null0" if out == "Null0" else interfaces.kernel_name(out))
    options = [f"tag {entry['tag']}"] if "tag" in entry.match.args else []
    options += [str(entry["distance"])] if "distance" in entry.match.args else []
    return " ".join(["ip route", str(network), *hop, *options])


AREA = Area(
    name="static",
    commands=(
        Command(
            pattern="ip route [ vrf {vrf!:word} ] {prefix!:ipv4} {mask!:mask} ^ ( {out!:interface} [ {via!:ipv4} ] | {via!:ipv4} ) "
            "[ {distance:1-255} ] < name {label:word} | tag {tag:1-4294967295} | permanent | track {track:1-1000} >",
            check=_check,
            help="Establish static routes",
        ),
    ),
    compile=_compile,
    help={"route": "Establish static routes"},
)
