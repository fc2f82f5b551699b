"""``show mac address-table``."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.switching.view import View, short_name
from pytest_netbench.platforms.cisco_ios.areas.switching.vlans import SWITCH
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac


def _addresses(at: Exec, match: Match) -> str:
    view = View(at)
    wanted = match.get("interface")
    kernel = interfaces.kernel_name(wanted) if wanted else None
    chosen = [
        entry
        for entry in view.addresses()
        if kernel in (None, entry["port"])
        and match.get("vlan") in (None, entry["vlan"])
        and match.get("mac") in (None, cisco_mac(entry["mac"]))
        and not (match.has("dynamic") and entry["static"])
        and not (match.has("static") and not entry["static"])
    ]
    lines = ["          Mac Address Table", "-------------------------------------------", ""]
    lines += ["Vlan    Mac Address       Type        Ports", "----    -----------       --------    -----"]
    for entry in sorted(chosen, key=lambda entry: (entry["vlan"], entry["mac"])):
        kind = "STATIC" if entry["static"] else "DYNAMIC"
        lines.append(f"{entry['vlan']:>4}    {cisco_mac(entry['mac'])}    {kind:<11} {short_name(entry['port'])}")
    lines.append(f"Total Mac Addresses for this criterion: {len(chosen)}")
    return "\n".join(lines) + "\n"


def _address_count(at: Exec, _match: Match) -> str:
    view = View(at)
    table = view.addresses()
    lines = []
    for vlan in view.state.vlans:
        own = [entry for entry in table if entry["vlan"] == vlan]
        static = sum(entry["static"] for entry in own)
        lines += ["", f"Mac Entries for Vlan {vlan}:", "---------------------------"]
        lines += [f"Dynamic Address Count  : {len(own) - static}", f"Static  Address Count  : {static}"]
        lines += [f"Total Mac Addresses    : {len(own)}"]
    return "\n".join([*lines, "", f"Total Mac Address Space Available: {16384 - len(table)}", ""])


def _ageing(at: Exec, _match: Match) -> str:
    state = View(at).state
    lines = ["Global Aging Time:  300", "Vlan    Aging Time", "----    ----------"]
    return "\n".join([*lines, *(f"{vlan:>4}     {seconds}" for vlan, seconds in sorted(state.ageing.items())), ""])


def _clear(at: Exec, match: Match) -> None:
    view, wanted = View(at), match.get("interface")
    port = interfaces.kernel_name(wanted) if wanted else None
    if port is None or port in {one.config.name for one in view.ports}:  # no other interface learns addresses
        view.command("clear addresses" + (f" {port}" if port else ""))


COMMANDS = (
    show(
        (
            "mac address-table < dynamic | static | vlan {vlan:1-4094} | interface {interface:interface} | address"
            " {mac:mac} >"
        ),
        _addresses,
        "MAC forwarding table",
        roles=SWITCH,
    ),
    show("mac address-table count", _address_count, roles=SWITCH),
    show("mac address-table aging-time", _ageing, roles=SWITCH),
    action("clear mac address-table dynamic [ interface {interface:interface} ]", _clear, roles=SWITCH),
)
