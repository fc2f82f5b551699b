"""The grammar of the area ``vrf``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_OLD, _NEW, _FAMILY = "vrf", "vrf-definition", "vrf-af"


_KINDS = ("ip vrf", "vrf definition")


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
    for entry in [e for e in edit.config if e.name in {"ip route", "router ospf"} and e.get("vrf") == name]:
        edit.config.remove(entry)
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
    for entry in gone:
        body.remove(entry)
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
