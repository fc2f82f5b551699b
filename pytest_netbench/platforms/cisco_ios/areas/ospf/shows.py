"""``show`` commands of OSPF: processes, interfaces, neighbours, virtual links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.ospf.database import withdrawn
from pytest_netbench.platforms.cisco_ios.areas.ospf.live import NO_ROUTER, Neighbour, Running, area_name, running
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import Member, dotted
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
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


def neighbours(at: Exec, match: Match) -> str:
    """``show ip ospf neighbor``."""
    lines: list[str] = []
    for one in running(at, match):
        chosen = [n for n in _ordered(at, one) if _is_chosen(n, match)]
        if match.has("detail") or "router" in match.args:
            lines += [line for neighbour in chosen for line in _detail(one, neighbour)]
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


def _ordered(at: Exec, one: Running) -> list[Neighbour]:
    order = {entry.name: number for number, entry in enumerate(at.device.context().interfaces)}
    return sorted(one.neighbours, key=lambda n: (-order.get(n.interface, -1), n.router_id))


def _is_chosen(neighbour: Neighbour, match: Match) -> bool:
    wanted = match.get("interface")
    return (wanted is None or neighbour.interface == wanted) and match.get("router") in {None, neighbour.router_id}


def _detail(one: Running, n: Neighbour) -> Iterator[str]:
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
    yield from _proof(own or _proof_of_area(one, member.area), keys)


def _proof_of_area(one: Running, area: str) -> Entry | None:
    return next((e for e in one.process.section.all("area authentication") if dotted(e["area"]) == area), None)


def _proof(chosen: Entry | None, keys: Sequence[Any]) -> Iterator[str]:
    if chosen is None or chosen.has("null"):
        return
    if not chosen.has("message-digest"):
        yield "  Simple password authentication enabled"
        return
    yield "  Cryptographic authentication enabled"
    yield f"    Youngest key id is {keys[-1]}" if keys else "      No key configured, using default key id 0"


def virtual_links(at: Exec, match: Match) -> str:
    """``show ip ospf virtual-links``."""
    lines: list[str] = []
    for one in running(at, match):
        for number, entry in enumerate(one.process.section.all("area virtual-link")):
            near = next(
                (n for n in one.neighbours if n.router_id == entry["router"] and n.interface.startswith("OSPF_VL")),
                None,
            )
            name = near.interface if near else f"OSPF_VL{number}"
            lines += [
                f"Virtual Link {name} to router {entry['router']} is {'up' if near else 'down'}",
                "  Run as demand circuit",
                "  DoNotAge LSA allowed.",
                f"  Transit area {entry['area']}"
                + (f", via interface {_transit(one, dotted(entry['area']))}" if near else ""),
                f"  Transmit Delay is {entry.get('delay', 1)} sec, State {'POINT_TO_POINT' if near else 'DOWN'},",
                (
                    f"  Timer intervals configured, Hello {entry.get('hello', 10)}, Dead {entry.get('dead', 40)}, Wait"
                    f" {entry.get('dead', 40)}, Retransmit {entry.get('retransmit', 5)}"
                ),
            ]
            if near is not None:
                lines.append(f"    Adjacency State {near.state}")
            chosen = entry if entry.has("authentication") else _proof_of_area(one, dotted("0"))
            lines += _proof(chosen, [entry["id"]] if "id" in entry.match.args else [])
    return "\n".join([*lines, ""]) if lines else ""


def _transit(one: Running, area: str) -> str:
    return next((member.one.name for member in one.members if member.area == area), "")


def process(at: Exec, match: Match) -> str:
    """``show ip ospf``."""
    found = running(at, match)
    if not found and match.get("process") is not None:
        return f"%OSPF: No router process {match['process']}\n"
    return "".join("\n".join([*_process_lines(at, one), ""]) for one in found)


def _process_lines(at: Exec, one: Running) -> Iterator[str]:
    section, answer = one.process.section, one.answer
    vrf = f" vrf {one.process.vrf}" if one.process.vrf else ""
    gone = withdrawn(at.ask("ospfd", f"show ip ospf{vrf} database").splitlines())
    yield f' Routing Process "ospf {one.process.number}" with ID {one.router_id}'
    yield f" Start time: 00:00:00.000, Time elapsed: {clock(at.device.uptime_s)}"
    yield " Supports only single TOS(TOS0) routes"
    yield " Supports opaque LSA"
    yield " Supports Link-local Signaling (LLS)"
    yield " Supports area transit capability"
    yield " Supports NSSA (compatible with RFC 3101)"
    redistributed = section.all("redistribute")
    originates = section.has("default-information originate")
    areas = {member.area for member in one.members}
    if len(areas) > 1 and NO_ROUTER in areas:
        yield f" It is an area border{' and autonomous system boundary' if redistributed or originates else ''} router"
    elif redistributed or originates:
        yield " It is an autonomous system boundary router"
    if redistributed:
        yield " Redistributing External Routes from,"
        for entry in redistributed:
            words = entry.text.split()
            number = f" {words[2]}" if words[1] in {"eigrp", "bgp", "ospf"} else ""
            yield f"    {words[1]}{number}" + (", includes subnets in redistribution" if entry.has("subnets") else "")
    yield (
        f" Router is {'' if section.has('max-metric router-lsa') else 'not '}originating router-LSAs with maximum"
        " metric"
    )
    yield from _timer_lines(section)
    yield (
        f" Number of external LSA {answer.get('lsaExternalCounter', 0) - gone['']}. Checksum Sum"
        f" 0x{int(answer.get('lsaExternalChecksum', 0)):06X}"
    )
    yield (
        f" Number of opaque AS LSA {answer.get('lsaAsopaqueCounter', 0)}. Checksum Sum"
        f" 0x{int(answer.get('lsaAsOpaqueChecksum', 0)):06X}"
    )
    yield " Number of DCbitless external and opaque AS LSA 0"
    yield " Number of DoNotAge external and opaque AS LSA 0"
    stub = {dotted(e["area"]) for e in section.all("area stub")} & areas
    nssa = {dotted(e["area"]) for e in section.all("area nssa")} & areas
    yield (
        f" Number of areas in this router is {len(areas)}. {len(areas) - len(stub) - len(nssa)} normal {len(stub)} stub"
        f" {len(nssa)} nssa"
    )
    yield " Number of areas transit capable is " + str(len({e["area"] for e in section.all("area virtual-link")}))
    yield " External flood list length 0"
    yield " IETF NSF helper support enabled"
    yield " Cisco NSF helper support enabled"
    yield f" Reference bandwidth unit is {one.process.reference_mbps} mbps"
    for area in sorted(areas):
        yield from _area_lines(one, area, (answer.get("areas") or {}).get(area, {}), gone[area])


def _timer_lines(section: Section) -> Iterator[str]:
    spf, lsa, arrival = (
        section.get(name) for name in ("timers throttle spf", "timers throttle lsa", "timers lsa arrival")
    )
    start, hold, most = (spf["start"], spf["hold"], spf["max"]) if spf else (5000, 10000, 10000)
    yield f" Initial SPF schedule delay {start} msecs"
    yield f" Minimum hold time between two consecutive SPFs {hold} msecs"
    yield f" Maximum wait time between two consecutive SPFs {most} msecs"
    yield " Incremental-SPF disabled"
    if lsa is None:
        yield " Minimum LSA interval 5 secs"
    else:
        yield f" Initial LSA throttle delay {lsa['start']} msecs"
        yield f" Minimum hold time for LSA throttle {lsa['hold']} msecs"
        yield f" Maximum wait time for LSA throttle {lsa['max']} msecs"
    yield f" Minimum LSA arrival {next(iter(arrival.match.args.values())) if arrival else 1000} msecs"
    yield " LSA group pacing timer 240 secs"
    yield " Interface flood pacing timer 33 msecs"
    yield " Retransmission pacing timer 66 msecs"


def _area_lines(one: Running, area: str, entry: Mapping[str, Any], gone: int) -> Iterator[str]:
    section = one.process.section
    name = area_name(area)
    members = [member for member in one.members if member.area == area]
    loopbacks = sum(member.one.parsed.kind == "Loopback" for member in members)
    yield f"    Area {'BACKBONE(0)' if name == '0' else name}"
    extra = f" ({loopbacks} loopback)" if loopbacks else ""
    yield f"        Number of interfaces in this area is {len(members)}{extra}"
    for special in (e for e in section.all("area stub", "area nssa") if dotted(e["area"]) == area):
        kind = "a stub area" if special.name == "area stub" else "a NSSA area"
        yield f"        It is {kind}" + (", no summary LSA in this area" if special.has("no-summary") else "")
        cost = next((e["cost"] for e in section.all("area default-cost") if dotted(e["area"]) == area), 1)
        yield f"        Generates stub default route with cost {cost}"
    auth = next((e for e in section.all("area authentication") if dotted(e["area"]) == area), None)
    words = "no" if auth is None else "message digest" if auth.has("message-digest") else "simple password"
    yield f"        Area has {words} authentication"
    yield f"        SPF algorithm executed {entry.get('spfExecutedCounter', 0)} times"
    yield "        Area ranges are"
    for found in (e for e in section.all("area range") if dotted(e["area"]) == area):
        length = sum(int(part).bit_count() for part in found["mask"].split("."))
        yield f"           {found['prefix']}/{length} {'DoNotAdvertise' if found.has('not-advertise') else 'Advertise'}"
    sums = sum(int(value) for key, value in entry.items() if key.startswith("lsa") and key.endswith("Checksum"))
    yield f"        Number of LSA {entry.get('lsaNumber', 0) - gone}. Checksum Sum 0x{sums:06X}"
    yield "        Number of opaque link LSA 0. Checksum Sum 0x000000"
    yield "        Number of DCbitless LSA 0"
    yield "        Number of indication LSA 0"
    yield "        Number of DoNotAge LSA 0"
    yield "        Flood list length 0"


def border_routers(at: Exec, match: Match) -> str:
    """``show ip ospf border-routers``."""
    lines: list[str] = []
    for one in running(at, match):
        vrf = f" vrf {one.process.vrf}" if one.process.vrf else ""
        answer = at.ask_json("ospfd", f"show ip ospf{vrf} route json")
        lines += [
            "",
            f"            OSPF Router with ID ({one.router_id}) (Process ID {one.process.number})",
            "",
            "",
            "                Base Topology (MTID 0)",
            "",
            "Internal Router Routing Table",
            "Codes: i - Intra-area route, I - Inter-area route",
            "",
        ]
        for router, entry in answer.items():
            words = str(entry.get("routeType", "")).split() if isinstance(entry, Mapping) else []
            if not words or words[0] != "R":
                continue
            kind = str(entry.get("routerType", "")).upper()
            role = (
                "ABR/ASBR"
                if "ABR" in kind and "ASBR" in kind.replace("ABR", "", 1)
                else "ASBR"
                if "ASBR" in kind
                else "ABR"
            )
            for hop in entry.get("nexthops", ()):
                out = interfaces.from_kernel(str(hop.get("via", ""))) or str(hop.get("via", ""))
                lines.append(
                    f"{'I' if 'IA' in words else 'i'} {router} [{entry.get('cost', 0)}] via {hop.get('ip')}, {out},"
                    f" {role}, Area {area_name(str(entry.get('area', NO_ROUTER)))}, SPF 1"
                )
    return "\n".join([*lines, ""]) if lines else ""
