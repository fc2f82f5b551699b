"""``show vlan``, ``show interfaces trunk|status|switchport``, ``show mac address-table``."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.areas.switching.compile import is_suspended, is_switchport, vlan_names
from pytest_netbench.platforms.cisco_ios.areas.switching.view import Port, View, wrapped
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.grammar.types import format_vlans
from pytest_netbench.platforms.cisco_ios.shows.ports import ports

_RESERVED = {1002: "fddi-default", 1003: "token-ring-default", 1004: "fddinet-default", 1005: "trnet-default"}
_TYPES = {1002: "fddi", 1003: "tr", 1004: "fdnet", 1005: "trnet"}
_PORTS_WIDTH = 31
_MEDIA = {"GigabitEthernet": "10/100/1000BaseTX", "FastEthernet": "10/100BaseTX", "TenGigabitEthernet": "10GBase-T"}


# ---- VLANs ----


def _vlan(at: Exec, match: Match) -> str:
    view = View(at)
    names = vlan_names(view.context.config) | _RESERVED
    if "vlan" in match.args:
        names = {vlan: name for vlan, name in names.items() if vlan == match["vlan"]}
        if not names:
            return f"VLAN id {match['vlan']} not found in current VLAN database\n"
    if "name" in match.args:
        names = {vlan: name for vlan, name in names.items() if name == match["name"]}
        if not names:
            return f"VLAN name {match['name']} not found in current VLAN database\n"
    lines = ["", "VLAN Name                             Status    Ports", f"---- {'-' * 32} {'-' * 9} {'-' * 31}"]
    for vlan, name in sorted(names.items()):
        lines += _vlan_lines(view, vlan, name)
    if not match.has("brief"):
        lines += ["", *_vlan_types(names)]
    return "\n".join(lines) + "\n"


def _vlan_lines(view: View, vlan: int, name: str) -> Iterator[str]:
    status = "act/unsup" if vlan in _RESERVED else "suspended" if is_suspended(view.context.config, vlan) else "active"
    members = [port.short for port in view.ports if _shown_in(port, vlan)]
    first, *more = wrapped(members, _PORTS_WIDTH)
    yield f"{vlan:<4} {name[:32]:<32} {status:<9} {first}".rstrip() + ("" if first else " ")
    yield from (f"{'':<48}{line}" for line in more)


def _shown_in(port: Port, vlan: int) -> bool:
    return not port.trunk and vlan in (port.config.vlan, port.config.voice)


def _vlan_types(names: dict[int, str]) -> Iterator[str]:
    yield "VLAN Type  SAID       MTU   Parent RingNo BridgeNo Stp  BrdgMode Trans1 Trans2"
    yield "---- ----- ---------- ----- ------ ------ -------- ---- -------- ------ ------"
    for vlan in sorted(names):
        yield (
            f"{vlan:<4} {_TYPES.get(vlan, 'enet'):<5} {100000 + vlan:<10} 1500  -      -      -        -    -        0 "
            "     0   "
        )
    yield ""
    yield "Remote SPAN VLANs"
    yield "-" * 78
    yield ""
    yield ""
    yield "Primary Secondary Type              Ports"
    yield "------- --------- ----------------- ------------------------------------------"


# ---- trunks ----


def _trunk(at: Exec, match: Match) -> str:
    view = View(at)
    wanted = match.get("interface")
    trunks = [port for port in view.ports if port.trunk and port.up and wanted in (None, port.interface.name)]
    if not trunks:
        return ""
    active = frozenset(view.state.vlans)
    tables = (
        ("Vlans allowed on trunk", [_allowed(port) for port in trunks]),
        ("Vlans allowed and active in management domain", [_allowed(port) & active for port in trunks]),
        ("Vlans in spanning tree forwarding state and not pruned", [_forwarded(port, active) for port in trunks]),
    )
    lines = ["", "Port        Mode             Encapsulation  Status        Native vlan"]
    lines += [
        f"{port.short:<11} {port.config.dynamic or 'on':<16} {'n-802.1q' if port.config.dynamic else '802.1q':<14}"
        f" {'trunking':<13} {port.config.native}"
        for port in trunks
    ]
    for title, vlans in tables:
        lines += ["", f"Port        {title}"]
        lines += [f"{p.short:<11} {format_vlans(own) or 'none'}" for p, own in zip(trunks, vlans, strict=True)]
    return "\n".join(lines) + "\n"


def _allowed(port: Port) -> frozenset[int]:
    return frozenset(range(1, 4095)) if port.config.allowed is None else port.config.allowed


def _forwarded(port: Port, active: frozenset[int]) -> frozenset[int]:
    return frozenset(vlan for vlan in _allowed(port) & active if port.forwards(vlan))


# ---- switchports ----


def _switchport(at: Exec, match: Match) -> str:
    view = View(at)
    wanted = match.get("interface")
    switched = {port.interface.name: port for port in view.ports}
    names = vlan_names(view.context.config)
    blocks = []
    for one in view.context.interfaces:
        if one.parsed.is_virtual or wanted not in (None, one.name):
            continue
        port = switched.get(one.name)
        if port is not None:
            blocks.append("\n".join(_switchport_lines(port, names)))
        else:
            blocks.append(f"Name: {one.parsed.short}\nSwitchport: Disabled\n")
    if wanted and not blocks:
        return f"Interface {wanted} is not a switchable port\n"
    return "\n".join(blocks) + "\n"


def _switchport_lines(port: Port, names: dict[int, str]) -> Iterator[str]:
    section, config = port.interface.section, port.config
    mode = section.get("switchport mode")
    access, trunk = mode is not None and mode.has("access"), port.trunk
    administrative = "trunk" if config.trunk else f"dynamic {config.dynamic}" if config.dynamic else "static access"
    encapsulation = section.get("switchport trunk encapsulation")
    yield f"Name: {port.short}"
    yield "Switchport: Enabled"
    yield f"Administrative Mode: {administrative}"
    yield f"Operational Mode: {'down' if not port.up else 'trunk' if trunk else 'static access'}"
    yield (
        "Administrative Trunking Encapsulation:"
        f" {'dot1q' if encapsulation is not None and encapsulation.has('dot1q') else 'negotiate'}"
    )
    if port.up:
        yield f"Operational Trunking Encapsulation: {'dot1q' if trunk else 'native'}"
    yield f"Negotiation of Trunking: {'Off' if access or section.has('switchport nonegotiate') else 'On'}"
    yield f"Access Mode VLAN: {config.vlan} ({names.get(config.vlan, 'Inactive')})"
    yield f"Trunking Native Mode VLAN: {config.native} ({names.get(config.native, 'Inactive')})"
    yield "Administrative Native VLAN tagging: enabled"
    voice = f"{config.voice} ({names.get(config.voice, 'Inactive')})" if config.voice is not None else "none"
    yield f"Voice VLAN: {voice}"
    yield "Administrative private-vlan host-association: none "
    yield "Administrative private-vlan mapping: none "
    for what in (
        "native VLAN: none",
        "Native VLAN tagging: enabled",
        "encapsulation: dot1q",
        "normal VLANs: none",
        "associations: none",
        "mappings: none",
    ):
        yield f"Administrative private-vlan trunk {what}"
    yield "Operational private-vlan: none"
    yield f"Trunking VLANs Enabled: {'ALL' if config.allowed is None else format_vlans(config.allowed) or 'NONE'}"
    yield "Pruning VLANs Enabled: 2-1001"
    yield "Capture Mode Disabled"
    yield "Capture VLANs Allowed: ALL"
    yield ""
    yield f"Protected: {'true' if section.has('switchport protected') else 'false'}"
    yield "Unknown unicast blocked: disabled"
    yield "Unknown multicast blocked: disabled"
    yield "Appliance trust: none"


def _status(at: Exec, match: Match) -> str:
    view = View(at)
    switched = {port.interface.name: port for port in view.ports}
    wanted = match.get("interface")
    states = [s for s in ports(at) if not s.interface.parsed.is_virtual and wanted in (None, s.name)]
    if match.has("err-disabled"):
        lines = ["", "Port      Name               Status       Reason               Err-disabled Vlans"]
        lines += [
            f"{port.short:<9} {_label(port.interface):<18} {'err-disabled':<12} {port.disabled}"
            for port in view.ports
            if port.disabled
        ]
        return "\n".join(lines) + "\n" if len(lines) > 2 else ""
    lines = ["", "Port      Name               Status       Vlan       Duplex  Speed Type"]
    for state in states:
        port = switched.get(state.name)
        one = state.interface
        up = port.up if port is not None else state.protocol == "up"
        disabled = port is not None and bool(port.disabled)
        status = "disabled" if not one.enabled else "err-disabled" if disabled else "connected" if up else "notconnect"
        vlan = (
            "routed"
            if not is_switchport(view.context, one) or port is None
            else "trunk"
            if port.trunk and up
            else str(port.config.vlan)
        )
        speed = f"a-{one.bandwidth_kbit // 1000}" if up else "auto"
        lines.append(
            f"{one.parsed.short:<9} {_label(one):<18} {status:<12} {vlan:<10} {'a-full' if up else 'auto':>6}"
            f" {speed:>6} {_MEDIA.get(one.parsed.kind, '10/100/1000BaseTX')}"
        )
    return "\n".join(lines) + "\n"


def _label(one: Interface) -> str:
    entry = one.section.get("description")
    return str(entry["text"])[:18].strip() if entry is not None else ""


COMMANDS = (
    show("vlan [ brief ]", _vlan, "VTP VLAN status", roles=SWITCH),
    show("vlan id {vlan:1-4094}", _vlan, roles=SWITCH),
    show("vlan name {name:word}", _vlan, roles=SWITCH),
    show("interfaces [ {interface:interface} ] trunk", _trunk, roles=SWITCH),
    show("interfaces [ {interface:interface} ] switchport", _switchport, roles=SWITCH),
    show("interfaces [ {interface:interface} ] status [ err-disabled ]", _status, roles=SWITCH),
)
