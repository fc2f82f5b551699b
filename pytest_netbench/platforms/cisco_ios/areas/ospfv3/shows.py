"""``show`` commands of OSPF for IPv6."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.ospf.live import area_name
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import dotted
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import process as config
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.process import Member, Process, members
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.shows.ports import ports

_STATES = {
    "PointToPoint": "POINT_TO_POINT",
    "Point-To-Point": "POINT_TO_POINT",
    "DROther": "DROTHER",
    "Waiting": "WAITING",
    "Loopback": "LOOPBACK",
    "Down": "DOWN",
}
_NEAR = {"Twoway": "2WAY", "2-Way": "2WAY"}


def _processes(at: Exec, match: Match) -> list[Process]:
    return [one for one in config.processes(at.config) if match.get("process") in {None, one.number}]


def _router_id(at: Exec, process: Process) -> str:
    return config.router_id(at.device.live.get("chosen", {}), process) or ""


def _heading(at: Exec, process: Process, match: Match) -> str:
    """Return the heading above neighbors and database, in the form of the command."""
    if match.has("ospfv3"):
        return f"          OSPFv3 {process.number} address-family ipv6 (router-id {_router_id(at, process)})"
    return f"            OSPFv3 Router with ID ({_router_id(at, process)}) (Process ID {process.number})"


def _neighbors(at: Exec, match: Match) -> str:
    lines: list[str] = []
    for process in _processes(at, match):
        entries = at.ask_json("ospf6d", "show ipv6 ospf6 neighbor json").get("neighbors") or []
        details = at.ask_json("ospf6d", "show ipv6 ospf6 neighbor detail json") if match.has("detail") else {}
        if not entries:
            continue
        lines += ["", _heading(at, process, match), ""]
        if not match.has("detail"):
            lines.append("Neighbor ID     Pri   State           Dead Time   Interface ID    Interface")
        for entry in sorted(entries, key=lambda entry: str(entry.get("interfaceName")), reverse=True):
            kernel = str(entry.get("interfaceName", ""))
            name = interfaces.from_kernel(kernel) or kernel
            if match.get("interface") not in {None, name}:
                continue
            lines += _neighbor(at, entry, name, kernel, details)
    return "\n".join([*lines, ""]) if lines else ""


def _neighbor(at: Exec, entry: Mapping[str, Any], name: str, kernel: str, details: Mapping[str, Any]) -> Iterator[str]:
    state = _NEAR.get(str(entry.get("state")), str(entry.get("state", "")).upper())
    role = {"PointToPoint": "  -", "Point-To-Point": "  -", "DROther": "DROTHER"}.get(
        str(entry.get("ifState")), str(entry.get("ifState", ""))
    )
    priority = 0 if role == "  -" else entry.get("priority", 1)
    own = at.device.context().interface(name)
    index = next((link["ifindex"] for link in at.ip_json("link", "show", "dev", kernel)), 0) if own else 0
    if not details:
        shown = f"{state}/{role}"
        yield (
            f"{entry.get('neighborId', ''):<15} {priority:>3}  "
            f" {shown:<16}{entry.get('deadTime', ''):<12}{index:<16}{name}"
        )
        return
    more = details.get(f"{entry.get('neighborId')}%{kernel}", {})
    yield f" Neighbor {entry.get('neighborId')}"
    yield f"    In the area {area_name(str(more.get('area', dotted('0'))))} via interface {name} "
    yield (
        f"    Neighbor: interface-id {more.get('neighborInterfaceIndex', 0)}, link-local address"
        f" {str(more.get('linkLocalAddress', '')).upper()}"
    )
    yield f"    Neighbor priority is {priority}, State is {state}, 6 state changes"
    yield f"    DR is {more.get('neighborDRouter', '')} BDR is {more.get('neighborBdRouter', '')}"
    yield "    Options is 0x000013 in Hello (V6-Bit, E-Bit, R-Bit)"
    yield f"    Dead timer due in {entry.get('deadTime', '')}"
    yield f"    Neighbor is up for {entry.get('duration', '')}"


def _interface(at: Exec, match: Match) -> str:
    states = {state.name: state for state in ports(at)}
    answers = at.ask_json("ospf6d", "show ipv6 ospf6 interface json")
    near = at.ask_json("ospf6d", "show ipv6 ospf6 neighbor json").get("neighbors") or []
    lines: list[str] = []
    for process in _processes(at, match):
        mine = [m for m in members(at.device.context(), process) if match.get("interface") in {None, m.one.name}]
        if match.has("brief") and not lines:
            column = "AF         " if match.has("ospfv3") else "Intf ID    "
            lines.append(f"Interface    PID   Area            {column}Cost  State Nbrs F/C")
        for member in reversed(mine):
            entry = answers.get(member.one.kernel, {})
            mates = [n for n in near if n.get("interfaceName") == member.one.kernel]
            if match.has("brief"):
                lines.append(
                    _brief(member, "ipv6" if match.has("ospfv3") else entry.get("interfaceId", 0), entry, mates)
                )
                continue
            port = states[member.one.name]
            lines.append(f"{member.one.name} is {port.status}, line protocol is {port.protocol} ")
            lines += _details(at, member, entry, mates)
    if not lines and match.get("interface"):
        return f"%OSPFv3: OSPF not enabled on {match['interface']}\n"
    return "\n".join([*lines, ""]) if lines else ""


def _state(member: Member, entry: Mapping[str, Any]) -> str:
    if member.network_type == "loopback":
        return "LOOPBACK"
    state = str(entry.get("ospf6InterfaceState", "Down"))
    return _STATES.get(state, state.upper())


def _brief(member: Member, column: object, entry: Mapping[str, Any], mates: list[Mapping[str, Any]]) -> str:
    state = {"POINT_TO_POINT": "P2P", "LOOPBACK": "LOOP", "DROTHER": "DROTH", "WAITING": "WAIT"}.get(
        _state(member, entry), _state(member, entry)
    )
    full = sum(str(n.get("state")) == "Full" for n in mates)
    return (
        f"{member.one.parsed.short:<12} {member.process.number:<5} {area_name(member.area):<15} {column:<10}"
        f" {member.cost:<5} {state:<5} {full}/{len(mates)}"
    )


def _details(at: Exec, member: Member, entry: Mapping[str, Any], mates: list[Mapping[str, Any]]) -> Iterator[str]:
    link_local = next(
        (a["address"] for a in entry.get("internetAddress") or () if str(a["address"]).startswith("fe80")), "fe80::/64"
    )
    yield f"  Link Local Address {str(link_local).split('/')[0].upper()}, Interface ID {entry.get('interfaceId', 0)}"
    yield (
        f"  Area {area_name(member.area)}, Process ID {member.process.number}, Instance ID {member.instance}, Router ID"
        f" {_router_id(at, member.process)}"
    )
    kind = member.network_type.upper().replace("-", "_")
    yield f"  Network Type {kind}, Cost: {member.cost}"
    if kind == "LOOPBACK":
        yield "  Loopback interface is treated as a stub Host"
        return
    state = _state(member, entry)
    yield f"  Transmit Delay is {entry.get('transmitDelaySec', 1)} sec, State {state}" + (
        f", Priority {entry.get('priority', 1)}" if kind == "BROADCAST" else ""
    )
    if kind == "BROADCAST":
        for role, words in (("dr", "Designated Router"), ("bdr", "Backup Designated router")):
            router = str(entry.get(role, dotted("0")))
            yield f"  {words} (ID) {router}" if router != dotted("0") else f"  No {words.lower()} on this network"
    yield (
        f"  Timer intervals configured, Hello {member.hello_s}, Dead {member.dead_s}, Wait {member.dead_s}, Retransmit"
        f" {entry.get('timerIntervalsConfigRetransmit', 5)}"
    )
    yield "    No Hellos (Passive interface) " if member.passive else "    Hello due in 00:00:05"
    full = [n for n in mates if str(n.get("state")) == "Full"]
    yield f"  Neighbor Count is {len(mates)}, Adjacent neighbor count is {len(full)}"
    for one in full:
        role = {"DR": "  (Designated Router)", "BDR": "  (Backup Designated Router)"}.get(str(one.get("ifState")), "")
        yield f"    Adjacent with neighbor {one.get('neighborId')}{role}"
    yield "  Suppress hello for 0 neighbor(s)"


def _process(at: Exec, match: Match) -> str:
    lines: list[str] = []
    answer = at.ask_json("ospf6d", "show ipv6 ospf6 json")
    for process in _processes(at, match):
        mine = members(at.device.context(), process)
        areas = sorted({member.area for member in mine})
        if match.has("ospfv3"):
            lines += [f" OSPFv3 {process.number} address-family ipv6", f" Router ID {_router_id(at, process)}"]
        else:
            lines.append(f' Routing Process "ospfv3 {process.number}" with ID {_router_id(at, process)}')
        if len(areas) > 1 and dotted("0") in areas:
            lines.append(" It is an area border router")
        lines.append(f" Number of external LSA {answer.get('numberOfAsScopedLsa', 0)}. Checksum Sum 0x000000")
        special = process.special_areas
        kinds = [special[area].name.split()[1] if area in special else "normal" for area in areas]
        lines.append(
            f" Number of areas in this router is {len(areas)}. {kinds.count('normal')} normal {kinds.count('stub')}"
            f" stub {kinds.count('nssa')} nssa"
        )
        lines.append(f" Reference bandwidth unit is {process.reference_mbps} mbps")
        for area, kind in zip(areas, kinds, strict=True):
            name = area_name(area)
            details = (answer.get("areas") or {}).get(area, {})
            lines.append(f"    Area {'BACKBONE(0)' if name == '0' else name}")
            lines.append(f"        Number of interfaces in this area is {sum(m.area == area for m in mine)}")
            if kind != "normal":
                lines.append(f"        It is a {kind} area")
            lines.append(f"        Number of LSA {details.get('numberOfAreaScopedLsa', 0)}. Checksum Sum 0x000000")
    return "\n".join([*lines, ""]) if lines else ""


_TITLES = {
    "Rtr": "Router Link States",
    "Net": "Net Link States",
    "IAP": "Inter Area Prefix Link States",
    "IAR": "Inter Area Router Link States",
    "INP": "Intra Area Prefix Link States",
    "Typ7": "Type-7 AS External Link States",
    "ASE": "Type-5 AS External Link States",
}
_ROW = re.compile(r"^(\w+)\s+(\S+)\s+(\S+)\s+(\d+)\s+(\w+)\s+(\S+)")


def _database(at: Exec, match: Match) -> str:
    lines: list[str] = []
    for process in _processes(at, match):
        lines += ["", _heading(at, process, match)]
        area = ""
        title: tuple[str, str] | None = None
        seen: set[tuple[tuple[str, str] | None, str]] = set()
        for line in at.ask("ospf6d", "show ipv6 ospf6 database").splitlines():
            heading = re.search(r"\(Area (\S+?)\)", line)
            row = _ROW.match(line)
            if heading is not None:
                area = f" (Area {area_name(heading[1])})"
            elif row is not None and row[1] in _TITLES:
                where = "" if row[1] == "ASE" else area
                if (row[1], where) != title:
                    title = (row[1], where)
                    extra = "Prefix" if row[1] in {"IAP", "Typ7", "ASE"} else "Link ID"
                    lines += [
                        "",
                        f"                {_TITLES[row[1]]}{where}",
                        "",
                        f"ADV Router       Age         Seq#        {extra}",
                    ]
                value = (
                    row[6].upper()
                    if row[1] in {"IAP", "Typ7", "ASE"}
                    else str(int.from_bytes(bytes(int(x) for x in row[2].split(".")), "big"))
                )
                text = f" {row[3]:<15} {row[4]:<11} 0x{row[5].upper()}  {value}"
                if (title, text) not in seen:
                    seen.add((title, text))
                    lines.append(text)
    return "\n".join([*lines, ""]) if lines else ""


SHOWS = tuple(
    show(f"{words} {what}".rstrip(), run, meaning)
    for words in ("ipv6 ospf [ {process:1-65535} ]", "ospfv3 [ {process:1-65535} ] [ ipv6 ]")
    for what, run, meaning in (
        ("", _process, "OSPF information"),
        ("neighbor [ {interface:interface} ] [ detail ]", _neighbors, "Neighbor list"),
        ("interface [ {interface:interface} ] [ brief ]", _interface, "Interface information"),
        ("database", _database, "Database summary"),
    )
)
