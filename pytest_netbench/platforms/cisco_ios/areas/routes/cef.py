"""``show ip cef``: what the kernel forwards by, in the form of IOS's forwarding table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, ip_network
from typing import NamedTuple

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import mask_length
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.shows.ports import ports

_SPECIAL = (
    ("0.0.0.0/8", "drop"),
    ("0.0.0.0/32", "receive"),
    ("127.0.0.0/8", "drop"),
    ("224.0.0.0/4", "drop"),
    ("224.0.0.0/24", "receive"),
    ("240.0.0.0/4", "drop"),
    ("255.255.255.255/32", "receive"),
)


class Way(NamedTuple):
    """A next hop, or ``attached``, ``receive``, ``drop`` or ``no route``; and the interface, if there is one."""

    hop: str
    interface: str = ""

    @property
    def words(self) -> str:
        """The way as the details of a prefix say it."""
        if self.hop == "attached":
            return f"attached to {self.interface}"
        if self.hop == "receive":
            return f"receive for {self.interface}" if self.interface else "receive"
        return self.hop if not self.interface else f"nexthop {self.hop} {self.interface}"


Entries = dict[IPv4Network, list[Way]]


def show(at: Exec, match: Match) -> str:
    """Show the whole table, or the entry that an address or a prefix is forwarded by."""
    vrf = str(match.get("vrf") or "")
    if vrf and vrf not in at.device.applied.vrfs:
        return f"% VRF {vrf} does not exist\n"
    entries = _entries(at, vrf)
    if "address" not in match.args:
        return "\n".join([_row("Prefix", "Next Hop", "Interface"), *_table(entries), ""])
    address = IPv4Address(str(match["address"]))
    if "mask" in match.args:
        chosen = ip_network(f"{address}/{mask_length(match['mask'])}", strict=False)
        if chosen not in entries:
            return "%Prefix not found\n"
    else:
        chosen = max((one for one in entries if address in one), key=lambda one: one.prefixlen)
    assert isinstance(chosen, IPv4Network)
    return "\n".join([str(chosen), *(f"  {way.words}" for way in entries[chosen]), ""])


def _row(prefix: str, hop: str, interface: str) -> str:
    return f"{prefix:<20} {hop:<20} {interface}".rstrip()


def _table(entries: Entries) -> Iterator[str]:
    for network in sorted(entries):
        for number, way in enumerate(entries[network]):
            yield _row("" if number else str(network), way.hop, way.interface)


def _entries(at: Exec, vrf: str) -> Entries:
    found: Entries = {IPv4Network(text): [Way(hop)] for text, hop in _SPECIAL}
    found |= {network: [Way("attached", name)] for network, name in _adjacent(at, vrf)}
    for route in _routes(at, vrf):
        found[ip_network(_whole(str(route["dst"])))] = _ways(route)  # type: ignore[index]
    found.setdefault(IPv4Network("0.0.0.0/0"), [Way("no route")])
    for state in ports(at):
        if state.protocol != "up" or state.interface.vrf != vrf:
            continue
        for text in state.interface.addresses:
            own = IPv4Interface(text)
            ends = {own.ip} if own.network.prefixlen > 30 else {own.ip, own.network[0], own.network[-1]}
            found |= {IPv4Network(end): [Way("receive", state.name)] for end in ends}
    return found


def _whole(text: str) -> str:
    return "0.0.0.0/0" if text == "default" else text


def _routes(at: Exec, vrf: str) -> Sequence[dict[str, object]]:
    done = at.run_in_vrf(vrf, ["ip", "-j", "-4", "route", "show", "table", "main"])
    found: list[dict[str, object]] = json.loads(done.stdout or "[]")
    return found


def _ways(route: dict[str, object]) -> list[Way]:
    if route.get("type") in {"blackhole", "unreachable", "prohibit"}:
        return [Way("attached", "Null0")]
    hops = route.get("nexthops")
    several = hops if isinstance(hops, list) else [route]
    return [Way(str(hop.get("gateway") or "attached"), _name(str(hop.get("dev", "")))) for hop in several]


def _name(kernel: str) -> str:
    return interfaces.from_kernel(kernel) or kernel


def _adjacent(at: Exec, vrf: str) -> Iterator[tuple[IPv4Network, str]]:
    """Neighbors whose hardware address is known."""
    done = at.run_in_vrf(vrf, ["ip", "-j", "-4", "neigh", "show"])
    for entry in json.loads(done.stdout or "[]"):
        name = interfaces.from_kernel(entry["dev"])
        if name is not None and "lladdr" in entry:
            yield IPv4Network(entry["dst"]), name
