"""``show`` commands of OSPF: processes, interfaces, neighbors, virtual links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.ospf.live import NO_ROUTER, Neighbor, Running, area_name, running
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import Member, dotted
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.shows.durations import clock
from pytest_netbench.platforms.cisco_ios.shows.ports import ports

_STATES = {
    "Backup": "BDR",
    "DROther": "DROTHER",
    "Point-To-Point": "POINT_TO_POINT",
    "Waiting": "WAITING",
    "Down": "DOWN",
    "DR": "DR",
}

_SHORT = {
    "DROTHER": "DROTH",
    "POINT_TO_POINT": "P2P",
    "POINT_TO_MULTIPOINT": "P2MP",
    "WAITING": "WAIT",
    "LOOPBACK": "LOOP",
}

_TYPES = {
    "broadcast": "BROADCAST",
    "non-broadcast": "NON_BROADCAST",
    "point-to-point": "POINT_TO_POINT",
    "point-to-multipoint": "POINT_TO_MULTIPOINT",
    "loopback": "LOOPBACK",
}


def neighbors(at: Exec, match: Match) -> str:
    """``show ip ospf neighbor``."""
    lines: list[str] = []
    for one in running(at, match):
        chosen = [n for n in _ordered(at, one) if _is_chosen(n, match)]
        if match.has("detail") or "router" in match.args:
            lines += [line for neighbor in chosen for line in _detail(one, neighbor)]
            continue
        if chosen:
            lines.append("")
            lines.append("Neighbor ID     Pri   State           Dead Time   Address         Interface")
        for n in chosen:
            state = f"{n.state}/{n.role}"
            lines.append(
                f"{n.router_id:<15} {n.priority:>3}   {state:<16}{clock(n.dead_s):<12}{n.address:<16}{n.interface}"
            )
    return "\n".join([*lines, ""]) if lines else ""


def _ordered(at: Exec, one: Running) -> list[Neighbor]:
    order = {entry.name: number for number, entry in enumerate(at.device.context().interfaces)}
    return sorted(one.neighbors, key=lambda n: (-order.get(n.interface, -1), n.router_id))


def _is_chosen(neighbor: Neighbor, match: Match) -> bool:
    wanted = match.get("interface")
    return (wanted is None or neighbor.interface == wanted) and match.get("router") in {None, neighbor.router_id}


def _detail(one: Running, n: Neighbor) -> Iterator[str]:
    yield f" Neighbor {n.router_id}, interface address {n.address}"
    yield f"    In the area {n.area} via interface {n.interface}"
    yield f"    Neighbor priority is {n.priority}, State is {n.state}, {n.changes} state changes"
    yield f"    DR is {n.dr or NO_ROUTER} BDR is {n.bdr or NO_ROUTER}"
    yield f"    Options is 0x{0x12 if _is_normal(one, n.area) else 0x10:x}"
    yield f"    Dead timer due in {clock(n.dead_s)}"
    yield f"    Neighbor is up for {clock(n.up_s)}"
    yield "    Index 1/1, retransmission queue length 0, number of retransmission 0"
    yield "    First 0x0(0)/0x0(0) Next 0x0(0)/0x0(0)"
    yield "    Last retransmission scan length is 0, maximum is 0"
    yield "    Last retransmission scan time is 0 msec, maximum is 0 msec"


def _is_normal(one: Running, area: str) -> bool:
    special = one.process.section.all("area stub", "area nssa")
    return dotted(area) not in {dotted(entry["area"]) for entry in special}


def brief(at: Exec, match: Match) -> str:
    """``show ip ospf interface brief``."""
    lines = ["Interface    PID   Area            IP Address/Mask    Cost  State Nbrs F/C"]
    for one in running(at, match):
        for member in reversed(one.members):
            state = _state(member, one.interfaces.get(member.one.name, {}))
            near = one.of(member.one.name)
            full = sum(n.is_full for n in near)
            address = next(iter(member.one.addresses), "0.0.0.0/0")
            lines.append(
                f"{member.one.parsed.short:<12} {one.process.number:<5} {area_name(member.area):<15} {address:<18}"
                f" {member.cost:<5} {_SHORT.get(state, state):<5} {full}/{len(near)}"
            )
    return "\n".join([*lines, ""])


def _state(member: Member, entry: Mapping[str, Any]) -> str:
    if not entry or not entry.get("ifUp", True) or not entry.get("ospfEnabled", True):
        return "DOWN"
    if member.network_type == "loopback":
        return "LOOPBACK"
    if member.network_type == "point-to-multipoint":
        return "POINT_TO_MULTIPOINT"
    return _STATES.get(str(entry.get("state", "")), str(entry.get("state", "DOWN")).upper())


def interface(at: Exec, match: Match) -> str:
    """``show ip ospf interface``."""
    states = {state.name: state for state in ports(at)}
    lines: list[str] = []
    wanted = match.get("interface")
    for one in running(at, match):
        for member in reversed(one.members):
            if wanted in {None, member.one.name}:
                port = states[member.one.name]
                lines.append(f"{member.one.name} is {port.status}, line protocol is {port.protocol} ")
                lines += _interface_lines(one, member)
    if not lines and wanted is not None:
        return f"%OSPF: OSPF not enabled on {wanted}\n"
    return "\n".join([*lines, ""]) if lines else ""


def _interface_lines(one: Running, member: Member) -> Iterator[str]:
    entry = one.interfaces.get(member.one.name, {})
    state = _state(member, entry)
    how = "Network Statement" if member.by_network else "Interface Enable"
    yield (
        f"  Internet Address {next(iter(member.one.addresses), '0.0.0.0/0')}, Area {area_name(member.area)}, Attached"
        f" via {how}"
    )
    yield (
        f"  Process ID {one.process.number}, Router ID {one.router_id}, Network Type {_TYPES[member.network_type]},"
        f" Cost: {member.cost}"
    )
    yield "  Topology-MTID    Cost    Disabled    Shutdown      Topology Name"
    yield f"        0           {member.cost:<9} no          no            Base"
    if member.network_type == "loopback":
        yield "  Loopback interface is treated as a stub Host"
        return
    delay = member.one.section.get("ip ospf transmit-delay")
    seconds = delay["seconds"] if delay else 1
    if member.network_type in {"broadcast", "non-broadcast"}:
        yield f"  Transmit Delay is {seconds} sec, State {state}, Priority {entry.get('priority', 1)}"
        yield from _designated(one, member, entry)
    else:
        yield f"  Transmit Delay is {seconds} sec, State {state}"
    retransmit = entry.get("timerRetransmitSecs", entry.get("timerRetransmit", 5))
    yield (
        f"  Timer intervals configured, Hello {member.hello_s}, Dead {member.dead_s}, Wait {member.dead_s}, Retransmit"
        f" {retransmit}"
    )
    yield f"    oob-resync timeout {max(40, member.dead_s)}"
    if member.passive:
        yield "    No Hellos (Passive interface) "
    else:
        yield f"    Hello due in {clock(float(entry.get('timerHelloInMsecs', 0)) / 1000)}"
    yield "  Supports Link-local Signaling (LLS)"
    yield "  Cisco NSF helper support enabled"
    yield "  IETF NSF helper support enabled"
    yield "  Index 1/1, flood queue length 0"
    yield "  Next 0x0(0)/0x0(0)"
    yield "  Last flood scan length is 0, maximum is 0"
    yield "  Last flood scan time is 0 msec, maximum is 0 msec"
    near = one.of(member.one.name)
    full = [n for n in near if n.is_full]
    yield f"  Neighbor Count is {len(near)}, Adjacent neighbor count is {len(full)} "
    for n in full:
        role = {"DR": "  (Designated Router)", "BDR": "  (Backup Designated Router)"}.get(n.role, "")
        yield f"    Adjacent with neighbor {n.router_id}{role}"
    yield "  Suppress hello for 0 neighbor(s)"
    yield from _authentication(one, member)


def _designated(one: Running, member: Member, entry: Mapping[str, Any]) -> Iterator[str]:
    roles = {n.role: (n.router_id, n.address) for n in one.of(member.one.name)}
    own = (one.router_id, str(entry.get("ipAddress", NO_ROUTER)))  # of an unnumbered interface: the lender's
    state = _state(member, entry)
    for role, words in (("DR", "Designated Router"), ("BDR", "Backup Designated router")):
        found = own if state == role else roles.get(role)
        if found is None:
            yield f"  No {words.lower()} on this network"
        else:
            yield f"  {words} (ID) {found[0]}, Interface address {found[1]}"


def _authentication(one: Running, member: Member) -> Iterator[str]:
    own = member.one.section.get("ip ospf authentication")
    keys = [entry["id"] for entry in member.one.section.all("ip ospf message-digest-key")]
    if own is not None and "chain" in own.match.args:
        chained = keychain.secrets(one.process.entry.section, own["chain"])
        yield "  Cryptographic authentication enabled"
        yield from (
            f"    Sending SA: Key {number}, Algorithm MD5 - key chain {own['chain']}" for number, _ in chained[-1:]
        )
        return
    yield from proof(own or proof_of_area(one, member.area), keys)


def proof_of_area(one: Running, area: str) -> Entry | None:
    """Return the line about the authentication of an area."""
    return next((e for e in one.process.section.all("area authentication") if dotted(e["area"]) == area), None)


def proof(chosen: Entry | None, keys: Sequence[Any]) -> Iterator[str]:
    """Return the lines about authentication."""
    if chosen is None or chosen.has("null"):
        return
    if not chosen.has("message-digest"):
        yield "  Simple password authentication enabled"
        return
    yield "  Cryptographic authentication enabled"
    yield f"    Youngest key id is {keys[-1]}" if keys else "      No key configured, using default key id 0"
