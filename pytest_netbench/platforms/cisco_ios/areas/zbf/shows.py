"""``show zone security``, ``show zone-pair security``, ``show policy-map type inspect zone-pair``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.apply.conntrack import Connection, connections
from pytest_netbench.platforms.cisco_ios.areas.zbf.compile import Class, Pair, members, pairs
from pytest_netbench.platforms.cisco_ios.areas.zbf.grammar import CLASS_MAP, PAIR, ZONE
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show

Counts = Mapping[tuple[str, str], tuple[int, int]]
_STATES = {
    "ESTABLISHED": "SIS_OPEN/TCP_ESTAB",
    "SYN_SENT": "SIS_OPENING/TCP_SYNSENT",
    "SYN_RECV": "SIS_OPENING/TCP_SYNRCVD",
}


def _zones(at: Exec, match: Match) -> str:
    found = members(at.device.context())
    lines: list[str] = []
    wanted = match.get("zone")
    if wanted in {None, "self"}:
        lines += ["zone self", "  Description: System defined zone", ""]
    for entry, body in at.config.sections(ZONE):
        if wanted not in {None, entry["zone"]}:
            continue
        told = body.get("description")
        lines += [f"zone {entry['zone']}", *([f"  Description: {told['text']}"] if told else [])]
        names = [interfaces.from_kernel(name) or name for name in found.get(entry["zone"], ())]
        lines += ["  Member Interfaces:", *(f"    {name}" for name in names), ""] if names else [""]
    return "\n".join(lines)


def _pairs(at: Exec, _match: Match) -> str:
    lines: list[str] = []
    for entry, body in at.config.sections(PAIR):
        policy = body.get("service-policy type inspect")
        lines += [
            f"Zone-pair name {entry['pair']}",
            f"    Source-Zone {entry['source']}  Destination-Zone {entry['destination']} ",
            f"    service-policy {policy['policy'] if policy else 'not configured'}",
        ]
    return "\n".join(lines)


def _policies(at: Exec, match: Match) -> str:
    chosen = [pair for pair in pairs(at.config) if pair.policy and match.get("pair") in {None, pair.name}]
    counts = nft.counters(at.node) if chosen else {}
    sessions = connections(at.node) if chosen else []
    return "\n".join(
        line for pair in chosen for line in told(at.config, pair, counts, sessions, listed=match.has("sessions"))
    )


def told(
    config: Section, pair: Pair, counts: Counts, sessions: Sequence[Connection], *, listed: bool = False
) -> Iterator[str]:
    """Return the output for one pair."""
    yield from (
        "",
        f"policy exists on zp {pair.name}",
        f"  Zone-pair: {pair.name}",
        "",
        f"  Service-policy inspect : {pair.policy}",
        "",
    )
    for one in pair.classes:
        entry = config.get(CLASS_MAP, name=one.name)
        kind = "match-all" if entry is not None and entry.has("match-all") else "match-any"
        yield f"    Class-map: {one.name or 'class-default'} ({kind})"
        lines = [line.text for line in entry.body if line.name.startswith("match")] if entry else ["match any"]
        yield from (f"      Match: {line.removeprefix('match ')}" for line in lines)
        yield from (
            "",
            *_action(one, counts, [s for s in sessions if s.mark & 0x7FFF0000 == one.mark], listed=listed),
            "",
        )


def _action(one: Class, counts: Counts, sessions: Sequence[Connection], *, listed: bool) -> Iterator[str]:
    packets, size = counts.get(("inet", one.counter), (0, 0))
    if one.action != "inspect":
        yield f"      {one.action.capitalize()}{' log' if one.log else ''}"
        yield f"        {packets} packets, {size} bytes"
        return
    began, _ = counts.get(("inet", one.began), (0, 0))
    half = sum(session.state in {"SYN_SENT", "SYN_RECV"} for session in sessions)
    ending = sum(session.state in {"FIN_WAIT", "CLOSE_WAIT", "LAST_ACK", "TIME_WAIT", "CLOSE"} for session in sessions)
    yield "      Inspect"
    if listed and sessions:
        yield f"        Number of Established Sessions = {len(sessions) - half - ending}"
        yield "        Established Sessions"
        yield from (
            line for session in sessions if session.state not in {"TIME_WAIT", "CLOSE"} for line in _session(session)
        )
    yield "        Packet inspection statistics [process switch:fast switch]"
    yield f"          packets: [0:{packets}]"
    yield ""
    yield f"        Session creations since subsystem startup or last reset {began}"
    yield (
        "        Current session counts (estab/half-open/terminating)"
        f" [{len(sessions) - half - ending}:{half}:{ending}]"
    )


def _session(one: Connection) -> Iterator[str]:
    ends = "=>".join(
        f"({address}:{port})"
        for address, port in (
            (one.original.source, one.original.source_port),
            (one.original.target, one.original.target_port),
        )
    )
    yield f"         Session {hash(one) & 0xFFFFFFFF:08X} {ends} {one.name} {_STATES.get(one.state, 'SIS_OPEN')}"
    if one.packets:
        yield f"          Packets {one.packets}, bytes {one.bytes}"


COMMANDS = (
    show("zone security [ {zone:name} ]", _zones, "Show zone information"),
    show("zone-pair security", _pairs, "Show zone-pair information"),
    show("policy-map type inspect zone-pair [ {pair:name} ] [ sessions ]", _policies, "Zone-pair"),
)
