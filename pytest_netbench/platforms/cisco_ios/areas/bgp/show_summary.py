"""``show ip bgp summary`` and similar commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import instances
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed

_HEADING = "Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd"
NOT_ACTIVE = "% BGP not active\n"


def where(vrf: str) -> str:
    """Return FRR's words for the tables of a VRF."""
    return f"vrf {vrf} " if vrf else ""


def summary(at: Exec, match: Match) -> str:
    """``show ip bgp summary``: IPv4 of the global instance or of a VRF."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    return _family(at, "ipv4", str(match.get("vrf", "")))


def six_summary(at: Exec, _match: Match) -> str:
    """``show bgp ipv6 unicast summary``."""
    return _family(at, "ipv6", "") if at.config.has("router bgp") else NOT_ACTIVE


def all_summary(at: Exec, _match: Match) -> str:
    """``show bgp all summary``: every family that is in use."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    families = next(instances(at.config)).families
    parts = [f"For address family: {_LONG[name]}\n{_family(at, name, '')}" for name in families]
    inside = [_family(at, "ipv4", one.vrf) for one in instances(at.config) if one.vrf]
    if inside:
        # FRR prints one table for all VRFs: the heading is that of the first
        rows = [line for text in inside for line in text.split(_HEADING)[-1].splitlines() if line[:1].isdigit()]
        parts.append("\n".join(["For address family: VPNv4 Unicast", _heading(at, inside[0]), "", _HEADING, *rows, ""]))
    return "\n".join(parts)


def _heading(at: Exec, first: str) -> str:
    """Return the heading: the router of the global instance, with the counts of a VRF's table."""
    own = next(instances(at.config))
    lines = first.split(_HEADING, maxsplit=1)[0].splitlines()
    return "\n".join(
        [f"BGP router identifier {plain_router_id(at, '')}, local AS number {own.local_as}", *lines[1:]]
    ).rstrip()


_BYTES = {"ipv4": (144, 80), "ipv6": (168, 104)}
"""The memory that a network and a path take on a device."""
_LONG = {"ipv4": "IPv4 Unicast", "ipv6": "IPv6 Unicast"}


def _family(at: Exec, family: str, vrf: str) -> str:
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family} unicast summary json")
    answer = answer.get(f"{family}Unicast", answer)
    instance = next((one for one in instances(at.config) if one.vrf == vrf), None)
    if instance is None:
        return ""
    peers = {peer.address: peer for peer in instance.peers if family in peer.families}
    table = at.ask_json("bgpd", f"show bgp {where(vrf)}{family} unicast json")
    lines = list(_head(answer, table, instance.local_as, plain_router_id(at, vrf), sizes=_BYTES[family]))
    if peers:
        lines += ["", _HEADING]
    for address in sorted(peers, key=lambda text: int(ip_address(text))):
        lines += _row(address, peers[address].remote_as, answer.get("peers", {}).get(address) or {}, answer)
    return "\n".join([*lines, ""])


def plain_router_id(at: Exec, vrf: str) -> str:
    """Return the router ID of bgpd; ``0.0.0.0`` while there is none."""
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}ipv4 unicast summary json")
    answer = answer.get("ipv4Unicast", answer)
    return str(answer.get("routerId", UNSPECIFIED))


def _head(
    answer: Mapping[str, Any], table: Mapping[str, Any], local_as: int, router_id: str, *, sizes: tuple[int, int]
) -> Iterator[str]:
    yield f"BGP router identifier {answer.get('routerId', router_id)}, local AS number {local_as}"
    version = max(int(answer.get("tableVersion", 0)), 1)
    yield f"BGP table version is {version}, main routing table version {version}"
    entries = [paths for paths in table.get("routes", {}).values() if any(path.get("valid") for path in paths)]
    if entries:
        paths = sum(len(one) for one in entries)
        of_networks, of_paths = len(entries) * sizes[0], paths * sizes[1]
        yield f"{len(entries)} network entries using {of_networks} bytes of memory"
        yield f"{paths} path entries using {of_paths} bytes of memory"
        yield f"BGP using {of_networks + of_paths} total bytes of memory"


def _row(address: str, remote_as: int, peer: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    up = peer.get("state") == "Established"
    version = answer.get("tableVersion", 1) if up else 1
    since = elapsed(int(peer.get("peerUptimeMsec", 0)) // 1000) if peer.get("peerUptimeMsec") else "never"
    last = str(peer.get("pfxRcd", 0)) if up else state_of(peer)
    address = address.upper()
    rest = (
        f"{4:>1} {remote_as:>12} {peer.get('msgRcvd', 0):>7} {peer.get('msgSent', 0):>7} {version:>8}"
        f" {peer.get('inq', 0):>4} {peer.get('outq', 0):>4} {since:<8} {last:>8}"
    )
    return [f"{address:<15} {rest}"] if len(address) <= 15 else [address, f"{'':<15} {rest}"]


def state_of(peer: Mapping[str, Any]) -> str:
    """Return IOS's word for a session that is not established."""
    state = str(peer.get("state", "Idle"))
    if peer.get("peerState") == "Admin" or "Admin" in state:
        return "Idle (Admin)"
    if "PfxCt" in state or peer.get("peerState") == "PfxCt":
        return "Idle (PfxCt)"
    return "Active" if state == "Connect" else state.split(maxsplit=1)[0]
