"""``show ip bgp neighbors``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import Instance, Peer, Settings, instances
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_summary import NOT_ACTIVE, state_of, where
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed

_LONG = {"ipv4": "IPv4 Unicast", "ipv6": "IPv6 Unicast"}


def neighbors(at: Exec, match: Match) -> str:
    """Show all neighbors, or one."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    wanted = None if match.get("peer") is None else str(match["peer"]).lower()
    families = ("ipv4",) if match.has("ipv4") else ("ipv6",) if match.has("ipv6") else ("ipv4", "ipv6")
    vrf = match.get("vrf")
    lines: list[str] = []
    for instance in instances(at.config):
        if instance.vrf != (vrf or "") and not (match.has("vpnv4") and instance.vrf):
            continue
        if match.has("vpnv4") and not instance.vrf:
            continue
        lines += _instance(at, instance, wanted, families)
    if not lines and wanted is not None:
        return "% No such neighbor or address family\n"
    return "\n".join([*lines, ""]) if lines else ""


def _instance(at: Exec, instance: Instance, wanted: str | None, families: tuple[str, ...]) -> Iterator[str]:
    answer = at.ask_json("bgpd", f"show bgp {where(instance.vrf)}neighbors json")
    peers = [p for p in instance.peers if wanted in {None, p.address} and (wanted or set(families) & set(p.families))]
    for peer in sorted(peers, key=lambda one: int(ip_address(one.address))):
        yield from _session(instance, peer, answer.get(peer.address) or {})
        for family in families:
            if family in peer.families:
                yield from _family(peer, family, answer.get(peer.address) or {}, instance.vrf)
        yield from _transport(answer.get(peer.address) or {})
        yield ""


def _session(instance: Instance, peer: Peer, entry: Mapping[str, Any]) -> Iterator[str]:
    kind = "internal" if peer.remote_as == int(entry.get("localAs", instance.local_as)) else "external"
    vrf = f"  vrf {instance.vrf}," if instance.vrf else ""
    yield f"BGP neighbor is {peer.address.upper()},{vrf}  remote AS {peer.remote_as}, {kind} link"
    if peer.group:
        yield f" Member of peer-group {peer.group} for session parameters"
    description = peer.session.get(("neighbor description", ""))
    if description is not None:
        yield f" Description: {description['text']}"
    if ("neighbor shutdown", "") in peer.session:
        yield " Administratively shut down"
    yield f"  BGP version 4, remote router ID {entry.get('remoteRouterId', UNSPECIFIED)}"
    up = entry.get("bgpState") == "Established"
    since = f", up for {elapsed(int(entry.get('bgpTimerUpMsec', 0)) // 1000)}" if up else ""
    state = "Established" if up else state_of({"state": entry.get("bgpState", "Idle")})
    yield f"  BGP state = {state}{since}"
    if up:
        read, written = (int(entry.get(f"bgpTimerLast{word}", 0)) // 1000 for word in ("Read", "Write"))
        hold = int(entry.get("bgpTimerHoldTimeMsecs", 180_000)) // 1000
        keep = int(entry.get("bgpTimerKeepAliveIntervalMsecs", 60_000)) // 1000
        yield (
            f"  Last read {elapsed(read)}, last write {elapsed(written)}, hold time is {hold}, keepalive interval is"
            f" {keep} seconds"
        )
        yield "  Neighbor sessions:"
        yield "    1 active, is not multisession capable (disabled)"
        yield "  Neighbor capabilities:"
        yield "    Route refresh: advertised and received(new)"
        yield "    Four-octets ASN Capability: advertised and received"
        yield from (f"    Address family {_LONG[name]}: advertised and received" for name in peer.families)
    yield from _messages(entry.get("messageStats") or {})


def _messages(stats: Mapping[str, Any]) -> Iterator[str]:
    yield "  Message statistics:"
    yield f"    InQ depth is {stats.get('depthInq', 0)}"
    yield f"    OutQ depth is {stats.get('depthOutq', 0)}"
    yield "    "
    yield f"{'':<25}{'Sent':>10}{'Rcvd':>11}"
    for label, word in (
        ("Opens", "opens"),
        ("Notifications", "notifications"),
        ("Updates", "updates"),
        ("Keepalives", "keepalives"),
        ("Route Refresh", "routeRefresh"),
        ("Total", "total"),
    ):
        yield f"    {label + ':':<21}{stats.get(f'{word}Sent', 0):>10}{stats.get(f'{word}Recv', 0):>11}"
    yield "  Default minimum time between advertisement runs is 0 seconds"
    yield ""


def _family(peer: Peer, family: str, entry: Mapping[str, Any], vrf: str) -> Iterator[str]:
    info = (entry.get("addressFamilyInfo") or {}).get(f"{family}Unicast") or {}
    settings = peer.families[family]
    if vrf:
        yield " For address family: VPNv4 Unicast"
        yield f"  Translates address family {_LONG[family]} for VRF {vrf}"
    else:
        yield f" For address family: {_LONG[family]}"
    yield "  Session: " + peer.address.upper()
    yield f"  BGP table version 1, neighbor version 1/{0}"
    yield f"  Output queue size : {info.get('packetQueueLength', 0)}"
    yield f"  Index {info.get('updateGroupId', 0)}, Advertise bit 0"
    if peer.group:
        yield f"  {info.get('updateGroupId', 1)} update-group member, {peer.group} peer-group member"
    yield from _policy(settings)
    accepted, sent = info.get("acceptedPrefixCounter", 0), info.get("sentPrefixCounter", 0)
    yield f"{'':<33}{'Sent':>10}{'Rcvd':>11}"
    yield f"  {'Prefix activity:':<31}{'----':>10}{'----':>11}"
    yield f"    {'Prefixes Current:':<29}{sent:>10}{accepted:>11} (Consumes {accepted * 80} bytes)"
    yield f"    {'Prefixes Total:':<29}{sent:>10}{accepted:>11}"
    yield f"    {'Implicit Withdraw:':<29}{0:>10}{0:>11}"
    yield f"    {'Explicit Withdraw:':<29}{0:>10}{0:>11}"
    yield f"    {'Used as bestpath:':<29}{'n/a':>10}{accepted:>11}"
    yield f"    {'Used as multipath:':<29}{'n/a':>10}{0:>11}"
    yield ""
    yield f"{'':<33}{'Outbound':>10}{'Inbound':>11}"
    yield f"  {'Local Policy Denied Prefixes:':<31}{'--------':>10}{'-------':>11}"
    yield f"    {'Total:':<29}{0:>10}{0:>11}"
    yield "  Number of NLRIs in the update sent: max 0, min 0"
    yield ""


_SAID = (
    ("route-reflector-client", "Route-Reflector Client"),
    ("soft-reconfiguration", "Inbound soft reconfiguration allowed"),
    ("next-hop-self", "NEXT_HOP is always this router for eBGP paths"),
    ("send-community", "Community attribute sent to this neighbor"),
    ("default-originate", "Default information originate, default sent"),
)
_SIDES = (("in", "Incoming", "incoming"), ("out", "Outgoing", "outgoing"))
_FILTERS = (("prefix-list", "prefix filter"), ("filter-list", "path filter"), ("distribute-list", "network filter"))


def _policy(settings: Settings) -> Iterator[str]:
    yield from (f"  {said}" for word, said in _SAID if (f"neighbor {word}", "") in settings)
    limit, weight = (settings.get((f"neighbor {word}", "")) for word in ("maximum-prefix", "weight"))
    if limit is not None:
        yield f"  Maximum prefixes allowed {limit['limit']}{' (warning-only)' if limit.has('warning-only') else ''}"
        yield f"  Threshold for warning message {limit.get('threshold', 75)}%"
    if weight is not None:
        yield f"  Default weight {weight['weight']}"
    for word, label in _FILTERS:
        for way, side, _ in _SIDES:
            if (f"neighbor {word}", way) in settings:
                yield f"  {side} update {label} list is {settings[f'neighbor {word}', way]['list']}"
    for way, _, side in _SIDES:
        if ("neighbor route-map", way) in settings:
            yield f"  Route map for {side} advertisements is {settings['neighbor route-map', way]['map']}"


def _transport(entry: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"  Connections established {entry.get('connectionsEstablished', 0)}; dropped"
        f" {entry.get('connectionsDropped', 0)}"
    )
    dropped = entry.get("connectionsDropped", 0)
    yield (
        "  Last reset never"
        if not dropped
        else (
            f"  Last reset {elapsed(int(entry.get('lastResetTimerMsecs', 0)) // 1000)}, due to"
            f" {entry.get('lastResetDueTo', 'Peer closed the session')}"
        )
    )
    if entry.get("bgpState") != "Established":
        yield "  No active TCP connection"
        return
    yield "Connection state is ESTAB, I/O status: 1, unread input bytes: 0"
    yield f"Local host: {entry.get('hostLocal')}, Local port: {entry.get('portLocal')}"
    yield f"Foreign host: {entry.get('hostForeign')}, Foreign port: {entry.get('portForeign')}"
