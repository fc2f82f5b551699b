"""The exec commands of the area ``vrf``: show and clear."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.vrf.grammar import definitions
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show

_NOT_SET = "<not set>"


# -- show --------------------------------------------------------------------------------------------------------------


def _interfaces(at: Exec, name: str) -> list[str]:
    return [interfaces.parse(one.name).short for one in at.device.context().interfaces if one.vrf == name]


def _distinguisher(entry: Entry) -> str:
    rd = entry.body.get("rd")
    return str(rd["rd"]) if rd is not None else _NOT_SET


def _protocols(entry: Entry) -> str:
    if entry.name == "ip vrf":
        return "ipv4"
    found = [word for word in ("ipv4", "ipv6") if any(one.has(word) for one in entry.body.all("address-family"))]
    return ",".join(found)


def _chosen(at: Exec, match: Match) -> list[Entry]:
    return [entry for entry in definitions(at.config) if match.get("vrf") in {None, entry["vrf"]}]


def _show(at: Exec, match: Match) -> str:
    """``show vrf`` and ``show ip vrf``."""
    with_protocols = not match.has("ip")
    entries = _chosen(at, match)
    if match.get("vrf") is not None and not entries:
        return f"% No VRF named {match['vrf']}\n"
    protocols = f"{'Protocols':<12}" if with_protocols else ""
    lines = [f"  {'Name':<33}{'Default RD':<22}{protocols}Interfaces"] if entries else []
    for entry in entries:
        ports = _interfaces(at, entry["vrf"])
        word = f"{_protocols(entry):<12}" if with_protocols else ""
        lines.append(f"  {entry['vrf']:<33}{_distinguisher(entry):<22}{word}{ports[0] if ports else ''}".rstrip())
        lines += [f"{'':<{69 if with_protocols else 57}}{port}" for port in ports[1:]]
    return "\n".join([*lines, ""])


def _detail(at: Exec, match: Match) -> str:
    """``show vrf detail`` and ``show ip vrf detail``."""
    lines: list[str] = []
    for number, entry in enumerate(definitions(at.config), start=1):
        if match.get("vrf") in {None, entry["vrf"]}:
            lines += _details(at, number, entry)
    return "\n".join([*lines, ""]) if lines else ""


def _details(at: Exec, number: int, entry: Entry) -> Iterator[str]:
    yield f"VRF {entry['vrf']} (VRF Id = {number}); default RD {_distinguisher(entry)}; default VPNID {_NOT_SET}"
    described = entry.body.get("description")
    if described is not None:
        yield f"  Description: {described['text']}"
    yield (
        "  Old CLI format, supports IPv4 only"
        if entry.name == "ip vrf"
        else "  New CLI format, supports multiple address-families"
    )
    yield "  Flags: 0xC" if entry.name == "ip vrf" else "  Flags: 0x180C"
    ports = _interfaces(at, entry["vrf"])
    if ports:
        yield "  Interfaces:"
        yield from (f"    {port}" for port in ports)
    else:
        yield "  No interfaces"
    for family in ("ipv4", "ipv6"):
        if family not in _protocols(entry):
            yield f"Address family {family} unicast not active"
            continue
        yield f"Address family {family} unicast (Table ID = {number:#x}):"
        yield "  Flags: 0x0"
        for way in ("Export", "Import"):
            targets = _targets(entry, family, way.lower())
            yield f"  {way} VPN route-target communities" if targets else f"  No {way} VPN route-target communities"
            yield from (f"    RT:{target}" for target in targets)
        yield "  No import route-map"
        yield "  No global export route-map"
        yield "  No export route-map"
        yield "  VRF label distribution protocol: not configured"
        yield "  VRF label allocation mode: per-prefix"


def _targets(entry: Entry, family: str, way: str) -> list[str]:
    sections = [entry.body, *(one.body for one in entry.body.all("address-family") if one.has(family))]
    lines = [line for section in sections for line in section.all("route-target")]
    return [str(line["rt"]) for line in lines if line.has(way) or line.has("both")]


def _by_interface(at: Exec, match: Match) -> str:
    """``show ip vrf interfaces``."""
    lines = [f"{'Interface':<22} {'IP-Address':<15} {'VRF':<38} Protocol"]
    carrier = {link["ifname"]: "LOWER_UP" in link.get("flags", ()) for link in at.ip_json("link", "show")}
    for one in at.device.context().interfaces:
        if one.vrf and match.get("vrf") in {None, one.vrf}:
            address = one.addresses[0].split("/")[0] if one.addresses else "unassigned"
            state = "up" if one.enabled and carrier.get(one.kernel) else "down"
            lines.append(f"{interfaces.parse(one.name).short:<22} {address:<15} {one.vrf:<38} {state}")
    return "\n".join([*lines, ""])


SHOWS = (
    show("vrf [ brief ] [ {vrf:vrfname} ]", _show, "VPN Routing/Forwarding instance information"),
    show("ip vrf [ brief ] [ {vrf:vrfname} ]", _show, "VPN Routing/Forwarding instance information"),
    show("vrf detail [ {vrf:vrfname} ]", _detail),
    show("ip vrf detail [ {vrf:vrfname} ]", _detail),
    show("ip vrf interfaces [ {vrf:vrfname} ]", _by_interface),
)
