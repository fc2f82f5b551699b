"""OSPF's exec commands: about the process, its areas, virtual links and border routers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.ospf import database, shows
from pytest_netbench.platforms.cisco_ios.areas.ospf.database import withdrawn
from pytest_netbench.platforms.cisco_ios.areas.ospf.live import NO_ROUTER, Running, area_name, running
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import dotted, processes
from pytest_netbench.platforms.cisco_ios.areas.ospf.shows import proof, proof_of_area
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.shows.durations import clock


def _virtual_links(at: Exec, match: Match) -> str:
    """``show ip ospf virtual-links``."""
    lines: list[str] = []
    for one in running(at, match):
        for number, entry in enumerate(one.process.section.all("area virtual-link")):
            near = next(
                (n for n in one.neighbors if n.router_id == entry["router"] and n.interface.startswith("OSPF_VL")),
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
            chosen = entry if entry.has("authentication") else proof_of_area(one, dotted("0"))
            lines += proof(chosen, [entry["id"]] if "id" in entry.match.args else [])
    return "\n".join([*lines, ""]) if lines else ""


def _transit(one: Running, area: str) -> str:
    return next((member.one.name for member in one.members if member.area == area), "")


def _show_process(at: Exec, match: Match) -> str:
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


def _border_routers(at: Exec, match: Match) -> str:
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


_OSPF = "ip ospf [ {process:1-65535} ]"


def _clear(at: Exec, match: Match) -> None:
    """Clear a process: it chooses its router ID again and rebuilds all adjacencies."""
    wanted = match.get("process")
    for process in processes(at.device.context()):
        if wanted in {None, process.number}:
            vrf = f" vrf {process.vrf}" if process.vrf else ""
            at.device.live.get("chosen", {}).pop(f"ospf {process.number}", None)
            at.ask("ospfd", f"clear ip ospf{vrf} process")
    at.device.touch()
    at.device.commit()


SHOWS = (
    show(_OSPF, _show_process, "OSPF information"),
    show(
        f"{_OSPF} neighbor [ ( {{interface:interface}} | {{router:ipv4}} ) ] [ detail ]",
        shows.neighbors,
        "Neighbor list",
    ),
    show(f"{_OSPF} interface brief", shows.brief),
    show(f"{_OSPF} interface [ {{interface:interface}} ]", shows.interface, "Interface information"),
    show(f"{_OSPF} virtual-links", _virtual_links, "Virtual link information"),
    show(f"{_OSPF} border-routers", _border_routers, "Border and boundary router information"),
    show(
        (
            f"{_OSPF} database [ ( {' | '.join(database.KINDS)} ) [ {{id:ipv4}} ] [ ( self-originate | adv-router"
            " {router:ipv4} ) ] ]"
        ),
        database.show,
        "Database summary",
    ),
    action("clear ip ospf [ {process:1-65535} ] process", _clear, "Reset OSPF process"),
)
