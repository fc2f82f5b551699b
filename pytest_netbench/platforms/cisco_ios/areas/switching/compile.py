"""Compile the switching configuration of a device."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas.switching import security
from pytest_netbench.platforms.cisco_ios.areas.switching.state import (
    Subinterface,
    SwitchPort,
    SwitchState,
    TreeSettings,
)
from pytest_netbench.platforms.cisco_ios.areas.switching.trees import per_vlan, without_tree
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import allowed
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Section

_SHORT_COST = {"Ethernet": 100, "FastEthernet": 19, "TenGigabitEthernet": 2}
_LONG_COST = {"Ethernet": 2_000_000, "FastEthernet": 200_000, "TenGigabitEthernet": 2_000}
_CAUSES = ("bpduguard", "psecure-violation")
_USUAL_INTERVAL = 300
_CDP_EVERY_S = 60


def compile_switching(context: Context) -> None:
    """Add the switching state, with the links of SVIs and subinterfaces."""
    state = state_of(context)
    links = context.state.links
    for name in (*state.svis, *(sub.name for sub in state.subinterfaces)):
        links[name] = replace(links[name], kind="loopback")
    for one in context.interfaces:
        if one.kernel in links and links[one.kernel].kind == "external":
            del links[one.kernel]  # a subinterface without a VLAN, or of a kind that is not supported
    for port in state.ports:
        if port.name in links:
            links[port.name] = replace(links[port.name], addresses=())
    state.add_to(context.state)
    _default_gateway(context)


def _default_gateway(context: Context) -> None:
    """Add the default gateway of a switch, unless it has a default route."""
    entry = context.config.get("ip default-gateway")
    if entry is None or (context.facts.role != "switch" and not context.config.says_no("ip routing")):
        return
    if not context.config.has("ip route", prefix=UNSPECIFIED, mask=UNSPECIFIED):
        context.state.frr.add("staticd", f"ip route 0.0.0.0/0 {entry['address']}")


def state_of(context: Context) -> SwitchState:
    """Return the switching state that the config requires."""
    config = context.config
    vlans = vlan_names(config)
    ports = tuple(_ports(context))
    live = {vlan: name for vlan, name in vlans.items() if not is_suspended(config, vlan)}
    return SwitchState(
        address=address_of(context.facts.name),
        vlans=live,
        ports=ports,
        svis={one.kernel: int(one.parsed.number) for one in context.interfaces if one.parsed.kind == "Vlan"},
        steady=frozenset(one.kernel for one in context.interfaces if one.section.says_no("autostate")),
        subinterfaces=tuple(_subinterfaces(context)),
        trees=_trees(config, live) if ports else {},
        ageing=_ageing(config, live),
        statics=tuple(
            (interfaces.kernel_name(entry["interface"]), int(entry["vlan"]), security.colons(entry["mac"]))
            for entry in config.all("mac address-table static")
        ),
        recovery=_recovery(config),
        snooping=security.snooping(config),
        inspection=security.inspection(config),
        bindings=security.bindings(config),
        cdp=_cdp(context) if ports else None,
    )


def _cdp(context: Context) -> dict[str, Any] | None:
    config = context.config
    if config.says_no("cdp run"):
        return None
    host, domain = config.get("hostname"), config.get("ip domain name")
    name = str(host["name"]) if host is not None else context.facts.name
    every = _number(config, "cdp timer", "seconds", _CDP_EVERY_S)
    return {"device": f"{name}.{domain['domain']}" if domain is not None else name, "every": every}


def address_of(node: str) -> str:
    """Return the MAC address of a bridge, computed from its name, so that the same lab always has the same root."""
    digest = zlib.crc32(node.encode()) & 0xFFFFFF
    return ":".join(f"{part:02x}" for part in (0xAA, 0xBB, 0xCC, *digest.to_bytes(3, "big")))


def vlan_names(config: Section) -> dict[int, str]:
    """Return the existing VLANs with their names, including suspended ones."""
    found = {1: "default"}
    for entry in config.all("vlan"):
        vlan = int(entry["vlans"])
        name = entry.body.get("name")
        found[vlan] = str(name["name"]) if name is not None else found.get(vlan, f"VLAN{vlan:04d}")
    return dict(sorted(found.items()))


def is_suspended(config: Section, vlan: int) -> bool:
    """Whether a VLAN exists but is suspended."""
    entry = config.get("vlan", vlans=str(vlan))
    if entry is None:
        return False
    state = entry.body.get("state")
    return entry.body.has("vlan shutdown") or (state is not None and state.has("suspend"))


def is_switchport(context: Context, one: Interface) -> bool:
    """Whether an interface switches frames."""
    return context.facts.role == "switch" and not one.parsed.is_virtual and not one.section.says_no("switchport")


def is_trunk(section: Section) -> bool:
    """Whether a switchport is a trunk by configuration."""
    mode = section.get("switchport mode")
    return mode is not None and mode.has("trunk")


def dynamic_mode(section: Section) -> str:
    """Return ``auto`` or ``desirable`` for a switchport that negotiates, else ""."""
    mode = section.get("switchport mode")
    if mode is None:
        return "auto"
    return next((word for word in ("auto", "desirable") if mode.has(word)), "")


def _ports(context: Context) -> Iterator[SwitchPort]:
    physical = [one for one in context.interfaces if not one.parsed.is_virtual]
    for number, one in enumerate(physical, start=1):
        if is_switchport(context, one):
            yield _port(context.config, one, number)


def _port(config: Section, one: Interface, number: int) -> SwitchPort:
    section, trunk = one.section, is_trunk(one.section)
    as_access, as_trunk = (_is_edge(config, section, trunk=tagged) for tagged in (False, True))
    edge = as_trunk if trunk else as_access
    voice = section.get("switchport voice vlan")
    return SwitchPort(
        name=one.kernel,
        number=number,
        up=one.enabled,
        trunk=trunk,
        vlan=_number(section, "switchport access vlan", "vlan", 1),
        voice=int(voice["vlan"]) if voice is not None else None,
        native=_number(section, "switchport trunk native vlan", "vlan", 1),
        allowed=allowed(section),
        cost=_cost(config, one),
        costs=_values(section, "stp cost", "stp vlan cost"),
        priorities=_values(section, "stp port-priority", "stp vlan port-priority"),
        dynamic=dynamic_mode(section),
        nonegotiate=section.has("switchport nonegotiate"),
        edge=as_access,
        trunk_edge=as_trunk,
        bpduguard=_decided(section, "stp bpduguard", usual=edge and config.has("stp bpduguard default")),
        silent=_decided(section, "stp bpdufilter", usual=edge and config.has("stp bpdufilter default")),
        guard=_guard(config, section),
        security=security.port(section, trunk=trunk),
        trusted=security.trusted(section),
        protected=section.has("switchport protected"),
        cdp="" if section.says_no("cdp enable") else one.name,
    )


def _is_edge(config: Section, section: Section, *, trunk: bool) -> bool:
    entry = section.get("stp portfast")
    if entry is None:
        return config.has("stp portfast default") and not trunk
    if entry.has("disable") or entry.has("network"):
        return False
    return not trunk or entry.has("trunk")


def _decided(section: Section, name: str, *, usual: bool) -> bool:
    entry = section.get(name)
    return usual if entry is None else entry.has("enable")


def _guard(config: Section, section: Section) -> str:
    entry = section.get("stp guard")
    if entry is None:
        return "loop" if config.has("stp loopguard default") else ""
    return next((word for word in ("root", "loop") if entry.has(word)), "")


def _cost(config: Section, one: Interface) -> int:
    method = config.get("stp pathcost")
    if method is not None and method.has("long"):
        return _LONG_COST.get(one.parsed.kind, 20_000)
    return _SHORT_COST.get(one.parsed.kind, 4)


def _values(section: Section, all_name: str, vlan_name: str) -> Mapping[int, int]:
    entry = section.get(all_name)
    return ({0: int(entry["value"])} if entry is not None else {}) | per_vlan(section, vlan_name)


def _number(section: Section, name: str, argument: str, usual: int) -> int:
    entry = section.get(name)
    return usual if entry is None else int(entry[argument])


def _subinterfaces(context: Context) -> Iterator[Subinterface]:
    for one in context.interfaces:
        entry = one.section.get("encapsulation dot1Q")
        parent = context.interface(str(one.parsed.parent)) if one.parsed.sub is not None else None
        if entry is not None and parent is not None and not is_switchport(context, parent):
            tag = 0 if entry.has("native") else int(entry["vlan"])
            yield Subinterface(name=one.kernel, parent=interfaces.kernel_name(parent.name), tag=tag)


def _trees(config: Section, vlans: Mapping[int, str]) -> dict[int, TreeSettings]:
    mode = config.get("spanning-tree mode")
    rapid = mode is not None and mode.has("rapid-pvst")
    values = {name: per_vlan(config, f"stp {name}") for name in ("priority", "hello", "forward", "age")}
    off = without_tree(config)
    return {
        vlan: TreeSettings(
            mode="rapid-pvst" if rapid else "pvst",
            priority=values["priority"].get(vlan, 32768),
            hello=values["hello"].get(vlan, 2),
            forward_delay=values["forward"].get(vlan, 15),
            max_age=values["age"].get(vlan, 20),
        )
        for vlan in vlans
        if vlan not in off
    }


def _ageing(config: Section, vlans: Mapping[int, str]) -> dict[int, int]:
    found: dict[int, int] = {}
    for entry in sorted(config.all("mac address-table aging-time"), key=lambda entry: "vlan" in entry.match.args):
        seconds = int(entry["seconds"]) or 10**9
        found |= {int(entry["vlan"]): seconds} if "vlan" in entry.match.args else dict.fromkeys(vlans, seconds)
    return found


def _recovery(config: Section) -> dict[str, int]:
    interval = _number(config, "errdisable recovery interval", "seconds", _USUAL_INTERVAL)
    asked = {str(entry["cause"]) for entry in config.all("errdisable recovery cause")}
    return {cause: interval for cause in _CAUSES if cause in asked or "all" in asked}
