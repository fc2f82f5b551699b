"""VRFs: names, interfaces, static routes. Each VRF is a network namespace inside the node (``apply/vrf.py``)."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.static import frr_line
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, show, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_OLD, _NEW, _FAMILY = "vrf", "vrf-definition", "vrf-af"
_KINDS = ("ip vrf", "vrf definition")
_NOT_SET = "<not set>"
_LEAK = "routes are not exchanged between VRFs"


def definitions(config: Section) -> list[Entry]:
    """Return the lines that define VRFs, by name."""
    return sorted(config.all(*_KINDS), key=lambda entry: str(entry["vrf"]))


# -- grammar -----------------------------------------------------------------------------------------------------------


def _define(edit: Edit, match: Match) -> str | None:
    """Define a VRF in one of the two styles; removing it removes the other lines about it."""
    name = match["vrf"]
    known = next((entry for entry in definitions(edit.config) if entry["vrf"] == name), None)
    if not match.negated and not match.reset:
        if known is not None and known.name != match.name:
            return f"% VRF {name} already defined using '{known.name}' command"
        return edit.keep(match)
    if known is None:
        return f"% No VRF named {name}"
    emptied = [body for _, body in edit.config.sections("interface") if _vrf(body) == name]
    for body in emptied:
        _empty(edit, body)
        body.entries = [entry for entry in body if entry.name not in {"ip vrf forwarding", "vrf forwarding"}]
    edit.config.remove(*(e for e in edit.config if e.name in {"ip route", "router ospf"} and e.get("vrf") == name))
    for _, body in edit.config.sections("router bgp"):
        body.entries = [entry for entry in body if entry.name != "address-family" or entry.get("vrf") != name]
    edit.config.remove(known)
    if emptied:
        edit.remarks.append(f"% IPv4 addresses from all interfaces in VRF {name} have been removed")
    return None


def _vrf(body: Section) -> str | None:
    entry = body.get("ip vrf forwarding") or body.get("vrf forwarding")
    return str(entry["vrf"]) if entry is not None else None


def _forward(edit: Edit, match: Match) -> str | None:
    """Move an interface into a VRF or back; its addresses are removed."""
    body = edit.section
    if not match.negated and not match.reset:
        if not any(entry["vrf"] == match["vrf"] for entry in definitions(edit.config)):
            return f"% VRF {match['vrf']} does not exist or is not configured"
        if _vrf(body) == match["vrf"]:
            return None
    elif _vrf(body) is None:
        return None
    name = match.get("vrf") or _vrf(body)
    doing = "disabling" if match.negated or match.reset else "enabling"
    where = body.parent["name"] if body.parent is not None else ""
    if _empty(edit, body):
        edit.remarks.append(f"% Interface {where} IPv4 disabled and address(es) removed due to {doing} VRF {name}")
    body.entries = [entry for entry in body if entry.name not in {"ip vrf forwarding", "vrf forwarding"}]
    if not match.negated and not match.reset:
        edit.put(match.text)
    return None


def _empty(edit: Edit, body: Section) -> bool:
    """Remove the addresses of an interface; return whether it had any."""
    gone = [entry for entry in body if entry.name in {"ip address", "ipv6 address"} and not entry.negated]
    body.remove(*gone)
    if not body.says_no("ip address"):
        edit.put("no ip address", body)
    return bool(gone)


COMMANDS = table(
    setting("ip vrf {vrf!:vrfname}", "Configure an IP VPN Routing/Forwarding instance", opens=_OLD, edit=_define),
    setting("vrf definition {vrf!:vrfname}", "VRF definition", opens=_NEW, edit=_define),
    setting("rd {rd:rd}", "Specify Route Distinguisher", mode=(_OLD, _NEW)),
    setting("description {text:line}", "VRF specific description", mode=(_OLD, _NEW)),
    setting(
        "route-target ( export | import | both ) {rt!:rd}",
        "Specify Target VPN Extended Communities",
        marked=_LEAK,
        mode=(_OLD, _NEW, _FAMILY),
    ),
    setting("address-family ( ipv4 | ipv6 )", "Enter Address Family command mode", opens=_FAMILY, mode=_NEW),
    setting("ip vrf forwarding {vrf:vrfname}", "Configure forwarding table", edit=_forward, mode=INTERFACE),
    setting("vrf forwarding {vrf:vrfname}", "Configure forwarding table", edit=_forward, mode=INTERFACE),
)

MODES = (
    Mode(name=_OLD, prompt="config-vrf", help="ip vrf"),
    Mode(name=_NEW, prompt="config-vrf", help="vrf definition"),
    Mode(name=_FAMILY, prompt="config-vrf-af", help="vrf definition, address-family"),
)

TYPES = {
    "vrfname": matching(
        "WORD",
        r"(?!(?:brief|detail|interfaces|forwarding)$)[A-Za-z0-9_.-]{1,32}",
        "VPN Routing/Forwarding instance name",
    ),
    "rd": matching("ASN:nn or IP-address:nn", r"(\d{1,10}|\d{1,3}(\.\d{1,3}){3}):\d{1,10}"),
}


# -- compilation -------------------------------------------------------------------------------------------------------


def compile_vrf(context: Context) -> None:
    """Add the area's part of the desired state."""
    context.state.vrfs = names = tuple(str(entry["vrf"]) for entry in definitions(context.config))
    for entry in context.config.all("ip route"):
        if entry.get("vrf") in names and entry.get("track") is None:  # the area sla adds tracked routes
            context.state.frr.add("staticd", f"{frr_line(entry)} vrf {entry['vrf']}")


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
        yield from ("  No import route-map", "  No global export route-map", "  No export route-map")
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

AREA = Area(
    name="vrf",
    modes=MODES,
    types=TYPES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_vrf,
    help={"vrf": "VPN Routing/Forwarding parameters"},
    scope=(
        ("ip vrf, vrf definition, forwarding on interfaces, static routes, OSPF and BGP in a VRF", "yes"),
        ("route-target", "accepted, without effect: VRFs are isolated"),
    ),
)
