"""The grammar of VLANs, switchports and ranges of interfaces."""

from __future__ import annotations

from dataclasses import replace

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.areas.switching.ranges import open_range
from pytest_netbench.platforms.cisco_ios.areas.switching.state import RESERVED
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import format_vlans, parse_vlans

VLAN_MODE = "vlan"
SWITCH = ("switch",)
ALL_VLANS = frozenset(range(1, 4095))
_NO_VTP = "VLANs are not announced to other switches"


def _vlan(edit: Edit, match: Match) -> str | None:
    wanted = sorted(parse_vlans(match["vlans"]))
    if any(vlan in RESERVED for vlan in wanted):
        return (
            "% Default VLAN 1002-1005 may not be changed."
            if not match.negated
            else "%Default VLAN 1002 may not be deleted."
        )
    if match.negated or match.reset:
        if 1 in wanted:
            return "%Default VLAN 1 may not be deleted."
        edit.config.remove(*(entry for entry in edit.config.all("vlan") if int(entry["vlans"]) in wanted))
        return None
    for vlan in wanted:
        known = edit.config.get("vlan", vlans=str(vlan))
        edit.opened.append(known if known is not None else edit.put(f"vlan {vlan}", edit.config))
    return None


def _access(edit: Edit, match: Match) -> str | None:
    """Store an access VLAN; a VLAN that does not exist is created."""
    words = edit.keep(match)
    vlan = match.get("vlan")
    if words is None and not match.negated and not match.reset and not edit.booting:
        _have(edit, int(vlan))
    return words


def _have(edit: Edit, vlan: int) -> None:
    if vlan != 1 and vlan not in RESERVED and edit.config.get("vlan", vlans=str(vlan)) is None:
        edit.put(f"vlan {vlan}", edit.config)


def _name(edit: Edit, match: Match) -> str | None:
    parent = edit.section.parent
    if parent is not None and parent["vlans"] == "1" and not match.negated:
        return "%Default VLAN 1 may not have its name changed."
    return edit.keep(match)


def allowed(section: Section) -> frozenset[int] | None:
    """Return the VLANs that a trunk is configured to carry; ``None`` is all."""
    entry = section.get("switchport trunk allowed vlan")
    if entry is None:
        return None
    return frozenset() if entry.has("none") else parse_vlans(entry["vlans"])


def _allow(edit: Edit, match: Match) -> str | None:
    before = allowed(edit.section)
    vlans = parse_vlans(match.get("vlans", ""))
    current = ALL_VLANS if before is None else before
    if match.negated or match.reset or match.has("all"):
        wanted = ALL_VLANS
    elif match.has("add"):
        wanted = current | vlans
    elif match.has("remove"):
        wanted = current - vlans
    elif match.has("except"):
        wanted = ALL_VLANS - vlans
    else:
        wanted = vlans
    edit.section.remove(*edit.section.all("switchport trunk allowed vlan"))
    if wanted != ALL_VLANS:
        edit.put(f"switchport trunk allowed vlan {format_vlans(wanted) if wanted else 'none'}")
    return None


def _encapsulation(edit: Edit, match: Match) -> str | None:
    """Store ``encapsulation dot1Q`` of a subinterface; no two subinterfaces of a port may have the same VLAN."""
    parent = edit.section.parent
    name = interfaces.parse(parent["name"]) if parent is not None else None
    if name is None or name.sub is None:
        return INVALID
    if match.negated or match.reset:
        return edit.keep(match)
    for other, body in edit.config.sections("interface"):
        entry = body.get("encapsulation dot1Q")
        if other is parent or entry is None or entry["vlan"] != match["vlan"]:
            continue
        if interfaces.parse(other["name"]).parent == name.parent:
            return (
                "%Configuration of multiple subinterfaces of the same main\n"
                f"interface with the same VID ({match['vlan']}) is not permitted.\n"
                f"This VID is already configured on {other['name']}."
            )
    return edit.keep(match)


def _host(edit: Edit, match: Match) -> str | None:
    """Run the macro ``switchport host``: an access port with portfast."""
    if match.negated or match.reset:
        return INVALID
    for line in ("switchport mode access", "spanning-tree portfast"):
        edit.keep(edit.read(line, like=match))
    return None


def _needs_svi(edit: Edit, _match: Match) -> str | None:
    parent = edit.section.parent
    return None if parent is not None and interfaces.parse(parent["name"]).kind == "Vlan" else INVALID


def _autostate(edit: Edit, match: Match) -> str | None:
    return _needs_svi(edit, match) or edit.keep(match)


def _needs_switchport(edit: Edit, _match: Match) -> str | None:
    parent = edit.section.parent
    if (
        parent is not None
        and interfaces.parse(parent["name"]).is_virtual
        and interfaces.parse(parent["name"]).kind != "Port-channel"
    ):
        return INVALID
    return None


_SWITCHPORT = table(
    setting("switchport host", edit=_host),
    setting("autostate", "Enable auto-state determination for VLAN", on=True, check=_needs_svi, edit=_autostate),
    setting("switchport", "Set switching mode characteristics", on=True),
    setting(
        "switchport mode ( access | trunk | dynamic ( auto | desirable ) )",
        "Set trunking mode of the interface",
        default="switchport mode dynamic auto",
    ),
    setting(
        "switchport access vlan {vlan:1-4094}",
        "Set VLAN when interface is in access mode",
        default="switchport access vlan 1",
        edit=_access,
    ),
    setting("switchport voice vlan {vlan:1-4094}", edit=_access),
    setting(
        "switchport trunk encapsulation ( dot1q | negotiate | isl )", default="switchport trunk encapsulation negotiate"
    ),
    setting("switchport trunk native vlan {vlan:1-4094}", default="switchport trunk native vlan 1"),
    setting(
        (
            "switchport trunk allowed vlan ^ ( all | none | add {vlans:vlans} | remove {vlans:vlans} | except"
            " {vlans:vlans} | {vlans:vlans} )"
        ),
        edit=_allow,
    ),
    setting("switchport trunk pruning vlan ^ ( none | {vlans:vlans} )", marked=_NO_VTP),
    ("switchport nonegotiate", "Device will not engage in negotiation protocol on this interface"),
    ("switchport protected", "Configure an interface to be a protected port"),
    setting("switchport block ( unicast | multicast )", marked="unknown addresses are flooded"),
    setting(
        "storm-control ( broadcast | multicast | unicast ) level {level:word} [ {low:word} ]",
        marked="storms are not limited",
    ),
    setting("storm-control action ( shutdown | trap )", marked="storms are not limited"),
    setting("udld port [ aggressive ]", marked="links of the lab do not fail in one direction only"),
)

COMMANDS = table(
    setting("interface range {ranges:ifrange}", "interface range command", opens=MODE, edit=open_range),
    setting("vlan {vlans!:vlans}", "Vlan commands", opens=VLAN_MODE, edit=_vlan, roles=SWITCH),
    setting(
        "vlan internal allocation policy ( ascending | descending )",
        default="vlan internal allocation policy ascending",
        roles=SWITCH,
    ),
    setting("vlan dot1q tag native", marked="the native VLAN stays untagged", roles=SWITCH),
    setting("vtp mode ( server | client | transparent | off )", marked=_NO_VTP, roles=SWITCH),
    setting("vtp domain {domain:word}", marked=_NO_VTP, roles=SWITCH),
    setting("vtp version {version:1-3}", marked=_NO_VTP, roles=SWITCH),
    setting("vtp password {password:word}", marked=_NO_VTP, roles=SWITCH),
    setting("mac address-table aging-time {seconds:0-1000000} [ vlan {vlan!:1-4094} ]", roles=SWITCH),
    setting(
        "mac address-table static {mac!:mac} vlan {vlan!:1-4094} interface {interface:interface}",
        name="mac address-table static",
        roles=SWITCH,
    ),
    ("ip default-gateway {address:ipv4}", "Specify default gateway (if not routing IP)"),
    setting("name {name:word}", "Ascii name of the VLAN", edit=_name, mode=VLAN_MODE),
    setting("state ( active | suspend )", "Operational state of the VLAN", default="state active", mode=VLAN_MODE),
    setting("shutdown", "Shutdown VLAN switching", name="vlan shutdown", mode=VLAN_MODE),
    setting("remote-span", marked="frames are not mirrored", mode=VLAN_MODE),
    setting("errdisable recovery cause {cause:word}", roles=SWITCH),
    setting(
        "errdisable recovery interval {seconds:30-86400}", default="errdisable recovery interval 300", roles=SWITCH
    ),
    setting("errdisable detect cause {cause:word}", marked="supported errors are always detected", roles=SWITCH),
    setting("encapsulation dot1Q {vlan:1-4094} [ native ]", "IEEE 802.1Q Virtual LAN", edit=_encapsulation, mode=MODE),
    *(replace(command, mode=MODE, roles=SWITCH, check=command.check or _needs_switchport) for command in _SWITCHPORT),
)
