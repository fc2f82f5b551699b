"""``show`` and ``clear`` commands of EIGRP."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address, ip_network
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.shows.durations import clock

SERVICE = "eigrp"


def _state(at: Exec) -> Mapping[str, Any] | None:
    return runner.state(at.node, SERVICE) if SERVICE in at.device.applied.services else None


def _asn(at: Exec) -> int:
    return int(at.device.applied.services[SERVICE]["asn"])


def _short(name: str) -> str:
    return interfaces.parse(name).short if name else ""


def _neighbors(at: Exec, match: Match) -> str:
    state = _state(at)
    if state is None:
        return ""
    detail = match.has("detail")
    lines = [f"EIGRP-IPv4 Neighbors for AS({_asn(at)})"]
    rows = [n for n in state["neighbors"] if match.get("interface") in {None, n["interface"]}]
    if rows:
        lines += [
            "H   Address                 Interface              Hold Uptime   SRTT   RTO  Q  Seq",
            "                                                   (sec)         (ms)       Cnt Num",
        ]
    for number, near in enumerate(rows):
        lines.append(
            f"{number:<3} {near['address']:<23} {_short(near['interface']):<22} {near['hold']:>4}"
            f" {clock(near['uptime'])}    1   100  {near['queue']}  {near['sequence']}"
        )
        if detail:
            lines.append("   Version 23.0/2.0, Retrans: 0, Retries: 0, Prefixes: 0")
            lines.append("   Topology-ids from peer - 0 ")
    return "\n".join([*lines, ""])


def _interfaces(at: Exec, match: Match) -> str:
    state = _state(at)
    if state is None:
        return ""
    lines = [
        f"EIGRP-IPv4 Interfaces for AS({_asn(at)})",
        "                              Xmit Queue   PeerQ        Mean   Pacing Time   Multicast    Pending",
        "Interface              Peers  Un/Reliable  Un/Reliable  SRTT   Un/Reliable   Flow Timer   Routes",
    ]
    lines += [
        f"{_short(one['interface']):<22} {one['peers']:>5}      0/0        0/0           1       0/0           50      "
        "     0"
        for one in state["interfaces"]
        if match.get("interface") in {None, one["interface"]}
    ]
    return "\n".join([*lines, ""])


def _topology(at: Exec, match: Match) -> str:
    state = _state(at)
    if state is None:
        return ""
    router_id = at.device.applied.services[SERVICE]["router_id"]
    head = f"EIGRP-IPv4 Topology Table for AS({_asn(at)})/ID({router_id})"
    if "address" in match.args:
        return _one(state, match, head)
    lines = [
        head,
        "Codes: P - Passive, A - Active, U - Update, Q - Query, R - Reply,",
        "       r - reply Status, s - sia Status ",
        "",
    ]
    for network in state["topology"]:
        paths = [p for p in network["paths"] if match.has("all-links") or p["feasible"]]
        chosen = sum(p["successor"] for p in network["paths"])
        lines.append(
            f"{'A' if network['active'] else 'P'} {network['prefix']}, {chosen} successors, FD is {network['feasible']}"
        )
        for path in paths:
            if path["via"]:
                lines.append(f"        via {path['via']} ({path['distance']}/{path['reported']}), {path['interface']}")
            else:
                lines.append(f"        via Connected, {path['interface']}")
    return "\n".join([*lines, ""])


def _one(state: Mapping[str, Any], match: Match, head: str) -> str:
    wanted = IPv4Address(match["address"])
    network = next((n for n in state["topology"] if wanted in ip_network(n["prefix"])), None)
    if network is None:
        return "%Entry for " + str(wanted) + " not in topology table\n"
    chosen = sum(p["successor"] for p in network["paths"])
    lines = [
        f"{head.replace('Topology Table', 'Topology Entry')} for {network['prefix']}",
        (
            f"  State is {'Active' if network['active'] else 'Passive'}, Query origin flag is 1, {chosen} Successor(s),"
            f" FD is {network['feasible']}"
        ),
        "  Descriptor Blocks:",
    ]
    for path in network["paths"]:
        via = path["via"] or UNSPECIFIED  # how IOS says connected
        lines.append(f"  {via} ({path['interface']}), from {path['via'] or 'Connected'}, Send flag is 0x0")
        lines.append(f"      Composite metric is ({path['distance']}/{path['reported']}), route is Internal")
    return "\n".join([*lines, ""])


def _clear(at: Exec, _match: Match) -> None:
    if SERVICE in at.device.applied.services:
        runner.command(at.node, SERVICE, "clear neighbors")


_EIGRP = "ip eigrp"
SHOWS = (
    show(f"{_EIGRP} neighbors [ detail ] [ {{interface:interface}} ]", _neighbors, "Show EIGRP neighbors"),
    show(f"{_EIGRP} interfaces [ {{interface:interface}} ]", _interfaces, "Show EIGRP interfaces"),
    show(f"{_EIGRP} topology [ all-links ]", _topology, "Show the EIGRP topology table"),
    show(f"{_EIGRP} topology {{address:ipv4}} [ {{mask:mask}} ]", _topology),
    action("clear ip eigrp neighbors", _clear, "Clear EIGRP neighbors"),
)
