"""Compile the lines of the area ``eigrp``."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_DELAY_TENS = {
    "Ethernet": 100,
    "FastEthernet": 10,
    "GigabitEthernet": 1,
    "TenGigabitEthernet": 1,
    "Serial": 2000,
    "Loopback": 500,
    "Tunnel": 5000,
    "Vlan": 1,
}


def members(context: Context, section: Section) -> list[Interface]:
    """Return the interfaces whose address a network statement matches."""
    return [
        one
        for one in context.interfaces
        for address in igp.addresses(context, one)[:1]
        if not one.vrf and any(_means(entry, address.split("/")[0]) for entry in section.all("network"))
    ]


def _means(entry: Entry, address: str) -> bool:
    if "wildcard" in entry.match.args:
        return igp.wildcard_matches(address, entry["network"], entry["wildcard"])
    return IPv4Address(address) in igp.classful(entry["network"])


def delay_tens(one: Interface) -> int:
    """Return the delay of an interface in tens of microseconds, as IOS computes with it."""
    entry = one.section.get("delay")
    return int(entry["tens"]) if entry else _DELAY_TENS.get(one.parsed.kind, 1)


def compile_eigrp(context: Context) -> None:
    """Add the EIGRP services that the config requires."""
    for process in context.config.all("router eigrp"):
        section = process.body
        own = section.get("eigrp router-id")
        router_id = igp.router_id(context, f"eigrp {process['process']}", str(own["id"]) if own else None)
        variance, paths = section.get("variance"), section.get("maximum-paths")
        context.state.services["eigrp"] = {
            "asn": process["process"],
            "router_id": router_id or "",
            "variance": variance["factor"] if variance else 1,
            "paths": paths["paths"] if paths else 4,
            "interfaces": [_interface(one, process) for one in members(context, section)],
        }


def _interface(one: Interface, process: Entry) -> dict[str, Any]:
    def seconds(name: str, usual: int) -> int:
        found = next((e for e in one.section.all(f"ip {name} eigrp") if e["process"] == process["process"]), None)
        return int(found["seconds"]) if found else usual

    return {
        "name": one.kernel,
        "label": one.name,
        "passive": one.parsed.kind == "Loopback" or igp.is_passive(process.body, one.name),
        "bandwidth": one.bandwidth_kbit,
        "delay": delay_tens(one),
        "hello": seconds("hello-interval", 5),
        "hold": seconds("hold-time", 15),
    }
