"""``show arp`` and ``clear arp-cache``."""

from __future__ import annotations

from ipaddress import ip_address

from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.areas.interfaces.shows import clear_counters
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.shows.neighbors import neighbors
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac, ports


def _arp(at: Exec, match: Match) -> str:
    vrf = match.get("vrf", "")
    mine = [state for state in ports(at) if state.interface.parsed.kind != "Null" and state.interface.vrf == vrf]
    by_kernel = {state.interface.kernel: state for state in mine}
    lines = ["Protocol  Address          Age (min)  Hardware Addr   Type   Interface"]
    rows: list[tuple[int, str, str, str, str]] = []
    for state in by_kernel.values():
        if state.protocol == "up" and state.interface.parsed.kind not in {"Loopback", "Tunnel", "Serial"}:
            rows += [
                (int(ip_address(a.split("/")[0])), a.split("/")[0], "-", state.mac, state.name)
                for a in state.interface.addresses
            ]
    for entry, minutes in neighbors(at):
        owner = by_kernel.get(entry["dev"])
        if owner is not None:
            rows.append(
                (int(ip_address(entry["dst"])), entry["dst"], f"{minutes}", cisco_mac(entry["lladdr"]), owner.name)
            )
    for _, address, age, mac, name in sorted(rows):
        if match.get("address", address) == address and match.get("interface", name) == name:
            lines.append(f"Internet  {address:<15}  {age:>9}   {mac}  ARPA   {name}")
    return "\n".join(lines) + "\n"


def _clear_arp(at: Exec, _match: Match) -> None:
    for vrf in in_vrf.names(at.node):
        at.run_in_vrf(vrf, ["ip", "neigh", "flush", "all"])


SHOWS = (
    show("arp [ vrf {vrf:word} ] [ {address:ipv4} | {interface:interface} ]", _arp, "ARP table"),
    show("ip arp [ vrf {vrf:word} ] [ {address:ipv4} | {interface:interface} ]", _arp, "IP ARP table"),
    action("clear counters [ {interface:interface} ]", clear_counters, "Clear counters on one or all interfaces"),
    action("clear arp-cache", _clear_arp, "Clear the entire ARP cache"),
)
