"""The grammar of spanning tree. Lines about several VLANs are stored as one line per value."""

from __future__ import annotations

from collections.abc import Callable

from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import format_vlans, parse_vlans

_ROOT = {"primary": 24576, "secondary": 28672}
_STEP = 4096


def per_vlan(section: Section, name: str) -> dict[int, int]:
    """Return the value of the command ``name`` for each VLAN."""
    return {vlan: int(entry["value"]) for entry in section.all(name) for vlan in parse_vlans(entry["vlans"])}


def without_tree(config: Section) -> frozenset[int]:
    """Return the VLANs without a spanning tree."""
    found: set[int] = set()
    for entry in config:
        if entry.name == "spanning-tree vlan" and entry.negated:
            found |= parse_vlans(entry["vlans"])
    return frozenset(found)


def _grouped(word: str, name: str, usual: int | None) -> Callable[[Edit, Match], str | None]:
    def edit(edit: Edit, match: Match) -> str | None:
        values = per_vlan(edit.section, name)
        for vlan in parse_vlans(match["vlans"]):
            if match.negated or match.reset or match["value"] == usual:
                values.pop(vlan, None)
            else:
                values[vlan] = match["value"]
        _write(edit, word, name, values)
        return None

    return edit


def _write(edit: Edit, word: str, name: str, values: dict[int, int]) -> None:
    edit.section.remove(*edit.section.all(name))
    groups: dict[int, set[int]] = {}
    for vlan, value in sorted(values.items()):
        groups.setdefault(value, set()).add(vlan)
    for value, vlans in groups.items():
        edit.put(f"spanning-tree vlan {format_vlans(vlans)} {word} {value}")


def _check_priority(_edit: Edit, match: Match) -> str | None:
    if match["value"] % _STEP == 0:
        return None
    allowed = [f"{value:<5}" for value in range(0, 65536, _STEP)]
    rows = ["  " + " ".join(allowed[at : at + 8]).rstrip() for at in (0, 8)]
    return "\n".join(["% Bridge Priority must be in increments of 4096.", "% Allowed values are:", *rows])


def _root(edit: Edit, match: Match) -> str | None:
    values = per_vlan(edit.section, "stp priority")
    for vlan in parse_vlans(match["vlans"]):
        if match.negated or match.reset:
            values.pop(vlan, None)
        else:
            values[vlan] = _ROOT["primary" if match.has("primary") else "secondary"]
    _write(edit, "priority", "stp priority", values)
    return None


def _switch_off(edit: Edit, match: Match) -> str | None:
    off = set(without_tree(edit.section))
    vlans = parse_vlans(match["vlans"])
    off = off | vlans if match.negated else off - vlans
    edit.section.remove(*(entry for entry in edit.section if entry.name == "spanning-tree vlan" and entry.negated))
    if off:
        edit.put(f"no spanning-tree vlan {format_vlans(off)}")
    return None


def _vlan_command(word: str, low: int, high: int, usual: int | None, *, name: str) -> Command:
    return setting(
        f"spanning-tree vlan {{vlans!:vlans}} {word} {{value:{low}-{high}}}",
        name=name,
        check=_check_priority if word == "priority" else None,
        edit=_grouped(word, name, usual),
    )


_GLOBAL = table(
    setting(
        "spanning-tree mode ( pvst | rapid-pvst )", "Spanning tree operating mode", default="spanning-tree mode pvst"
    ),
    setting("spanning-tree extend system-id", default="spanning-tree extend system-id"),
    setting("spanning-tree vlan {vlans!:vlans}", "VLAN Switch Spanning Tree", keeps_no=True, edit=_switch_off),
    _vlan_command("priority", 0, 61440, 32768, name="stp priority"),
    _vlan_command("hello-time", 1, 10, 2, name="stp hello"),
    _vlan_command("forward-time", 4, 30, 15, name="stp forward"),
    _vlan_command("max-age", 6, 40, 20, name="stp age"),
    setting("spanning-tree vlan {vlans:vlans} root ( primary | secondary ) [ diameter {diameter:2-7} ]", edit=_root),
    setting("spanning-tree portfast [ edge ] default", name="stp portfast default"),
    setting("spanning-tree portfast [ edge ] bpduguard default", name="stp bpduguard default"),
    setting("spanning-tree portfast [ edge ] bpdufilter default", name="stp bpdufilter default"),
    setting("spanning-tree loopguard default", name="stp loopguard default"),
    setting(
        "spanning-tree pathcost method ( short | long )",
        name="stp pathcost",
        default="spanning-tree pathcost method short",
    ),
    setting("spanning-tree logging", marked="states are not logged"),
    setting("spanning-tree etherchannel guard misconfig", on=True),
    setting("spanning-tree uplinkfast", marked="use rapid-pvst"),
    setting("spanning-tree backbonefast", marked="use rapid-pvst"),
    roles=SWITCH,
)

_INTERFACE = table(
    setting(
        "spanning-tree portfast [ disable | trunk | network | edge [ trunk ] ]",
        "Enable an interface to move directly to forwarding",
        name="stp portfast",
    ),
    setting(
        "spanning-tree bpduguard ( enable | disable )", "Don't accept BPDUs on this interface", name="stp bpduguard"
    ),
    setting(
        "spanning-tree bpdufilter ( enable | disable )",
        "Don't send or receive BPDUs on this interface",
        name="stp bpdufilter",
    ),
    setting(
        "spanning-tree guard ( root | loop | none )", "Change an interface's spanning tree guard mode", name="stp guard"
    ),
    setting(
        "spanning-tree cost {value:1-200000000}", "Change an interface's spanning tree port path cost", name="stp cost"
    ),
    setting(
        "spanning-tree port-priority {value:0-240}", name="stp port-priority", default="spanning-tree port-priority 128"
    ),
    setting("spanning-tree link-type ( point-to-point | shared )", marked="every link is point-to-point"),
    _vlan_command("cost", 1, 200000000, None, name="stp vlan cost"),
    _vlan_command("port-priority", 0, 240, 128, name="stp vlan port-priority"),
    mode=MODE,
    roles=SWITCH,
)

COMMANDS = (
    *_GLOBAL,
    *_INTERFACE,
)
