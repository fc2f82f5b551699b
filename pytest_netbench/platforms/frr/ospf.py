"""Which OSPF adjacencies a lab must have, judged from both ends, and which of them are not there yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from itertools import combinations
from types import MappingProxyType
from typing import Any

_DATABASE = ("Router", "Network", "Summary", "Asbr", "Nssa")
_ELECTED = {"DR", "Backup"}

Owned = Mapping[str, tuple[IPv4Interface | IPv6Interface, ...]]
"""Addresses by interface."""
Cables = frozenset[frozenset[tuple[str, str]]]
"""Pairs of interfaces on one link, each as (node, kernel name)."""


@dataclass(frozen=True, kw_only=True)
class OspfInterface:
    """One OSPF interface of one router, from ``show ip ospf interface json``. Timers are in milliseconds and seconds.

    An unnumbered interface borrows the address of another one, with a mask of 32 bits.
    """

    node: str
    name: str
    address: IPv4Interface
    area: str
    router_id: str
    network_type: str
    hello_ms: int
    dead_s: int
    mtu: int
    state: str
    passive: bool
    unnumbered: bool = False

    @property
    def where(self) -> tuple[str, str]:
        """(node, interface)."""
        return self.node, self.name


@dataclass(frozen=True, kw_only=True)
class Adjacency:
    """An adjacency that both ends' configs ask for."""

    one: OspfInterface
    other: OspfInterface


@dataclass(frozen=True, kw_only=True)
class OspfConfig:
    """What only the config text tells: stub kind per area, authentication per interface, MTU checks switched off."""

    area_kinds: Mapping[str, str] = field(default_factory=dict)
    authentication: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    area_authentication: Mapping[str, str] = field(default_factory=dict)
    mtu_ignored: frozenset[str] = frozenset()


def interfaces(node: str, answer: Mapping[str, Any], owned: Owned = MappingProxyType({})) -> list[OspfInterface]:
    """OSPF interfaces that are up, from ``show ip ospf interface json`` (FRR 8.4 and the nested form of 10).

    Args:
        node: The router.
        answer: The daemon's answer.
        owned: Addresses by interface. The answer does not tell that of an unnumbered interface.
    """
    found = []
    for name, entry in (answer.get("interfaces") or {}).items():
        for address, details in _addresses(entry, owned.get(name, ())):
            if details.get("networkType") in {None, "LOOPBACK"}:
                continue
            found.append(
                OspfInterface(
                    node=node,
                    name=name,
                    address=IPv4Interface(f"{address}/{details.get('ipAddressPrefixlen', 32)}"),
                    area=str(details.get("area", "")).split(" ")[0],
                    router_id=str(details.get("routerId", "")),
                    network_type=str(details["networkType"]),
                    hello_ms=int(details.get("timerMsecs", 0)),
                    dead_s=int(details.get("timerDeadSecs", 0)),
                    mtu=int(entry.get("mtuBytes", details.get("mtuBytes", 0))),
                    state=str(details.get("state", "")),
                    passive=bool(details.get("timerPassiveIface", False)),
                    unnumbered=bool(details.get("ifUnnumbered", False)),
                )
            )
    return found


def _addresses(
    entry: Mapping[str, Any], owned: Iterable[IPv4Interface | IPv6Interface]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    nested = entry.get("interfaceIp")
    if isinstance(nested, Mapping):
        yield from ((address, {**entry, **details}) for address, details in nested.items())
    elif "ipAddress" in entry:
        yield str(entry["ipAddress"]), entry
    elif entry.get("ifUnnumbered"):
        yield from ((str(address.ip), entry) for address in owned if address.version == 4)


def late(answer: Mapping[str, Any], up: Iterable[str]) -> list[str]:
    """Interfaces that zebra knows to be up and that ospfd does not yet know to carry packets."""
    entries = answer.get("interfaces") or {}
    return sorted(name for name in up if name in entries and not _runs(entries[name]))


def _runs(entry: Mapping[str, Any]) -> bool:
    return "RUNNING" in str(entry.get("ifFlags", "RUNNING")) and not (
        entry.get("ospfEnabled") and not entry.get("ifUp")
    )


def neighbours(answer: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """(interface, neighbour's address) to state, e.g. ``"Full/DR"``, from ``show ip ospf neighbor json``."""
    found: dict[tuple[str, str], str] = {}
    for entries in (answer.get("neighbors") or {}).values():
        for entry in entries:
            interface = str(entry.get("ifaceName", "")).partition(":")[0]
            address = str(entry.get("ifaceAddress") or entry.get("address"))
            state = str(entry.get("nbrState") or entry.get("state"))
            # A neighbour that changed its router id stands twice until its old self is dead.
            if not found.get((interface, address), "").startswith("Full"):
                found[interface, address] = state
    return found


def expected(sides: Iterable[OspfInterface], cables: Cables = frozenset()) -> list[Adjacency]:
    """Pairs of interfaces that both ends' parameters allow to become adjacent.

    Args:
        sides: All OSPF interfaces of the lab.
        cables: Interfaces of one link. Only these tell which unnumbered interfaces face each other.
    """
    groups: dict[tuple[Any, ...], list[OspfInterface]] = {}
    for side in sides:
        network = None if side.unnumbered else side.address.network
        if not side.passive and side.network_type != "NBMA" and (network is None or network.prefixlen < 32):
            key = (network, side.area, side.hello_ms, side.dead_s, side.network_type)
            groups.setdefault(key, []).append(side)
    return [
        Adjacency(one=one, other=other)
        for (network, *_), group in groups.items()
        for one, other in combinations(group, 2)
        if one.node != other.node
        and one.router_id != other.router_id
        and (network is not None or frozenset((one.where, other.where)) in cables)
    ]


def missing(
    adjacencies: Iterable[Adjacency],
    states: Mapping[str, Mapping[tuple[str, str], str]],
    configs: Mapping[str, OspfConfig] | None = None,
) -> Iterator[tuple[Adjacency, str]]:
    """Expected adjacencies that are not there, each with a phrase.

    Args:
        adjacencies: From ``expected``.
        states: Per node what ``neighbours`` found.
        configs: Per node its config; pairs that it shows to be mismatched are left out.
    """
    for pair in adjacencies:
        if configs and not _compatible(pair, configs):
            continue
        for here, there in ((pair.one, pair.other), (pair.other, pair.one)):
            state = states.get(here.node, {}).get((here.name, str(there.address.ip)), "Down")
            wanted = _wanted(here, there)
            if state.split("/")[0] not in wanted:
                yield (
                    pair,
                    (
                        f"{here.node}: OSPF neighbor {there.address.ip} on {here.name} is {state.split('/')[0]},"
                        f" expected {wanted[-1]}"
                    ),
                )


def _wanted(here: OspfInterface, there: OspfInterface) -> tuple[str, ...]:
    if here.network_type == "BROADCAST" and not {here.state, there.state} & (
        _ELECTED | {"Waiting", "Down", "Loopback"}
    ):
        return ("Full", "2-Way")
    return ("Full",)


def _compatible(pair: Adjacency, configs: Mapping[str, OspfConfig]) -> bool:
    one, other = configs.get(pair.one.node), configs.get(pair.other.node)
    if one is None or other is None:
        return True
    mtu_matters = not (
        pair.one.name in one.mtu_ignored or pair.other.name in other.mtu_ignored or pair.one.mtu == pair.other.mtu
    )
    area = pair.one.area
    return (
        not mtu_matters
        and one.area_kinds.get(area, "") == other.area_kinds.get(area, "")
        and _secret(one, pair.one) == _secret(other, pair.other)
    )


def _secret(config: OspfConfig, side: OspfInterface) -> tuple[str, ...]:
    lines = config.authentication.get(side.name, ())
    own = next(
        (line.removeprefix("ip ospf authentication").strip() or "simple" for line in lines if _is_kind(line)), None
    )
    kind = config.area_authentication.get(side.area, "null") if own is None else own
    keyword = {"message-digest": "ip ospf message-digest-key", "simple": "ip ospf authentication-key"}.get(kind)
    keys = tuple(sorted(line for line in lines if keyword and line.startswith(keyword)))
    return (kind, *keys)


def _is_kind(line: str) -> bool:
    return line.split()[:3] == ["ip", "ospf", "authentication"]


def parse_config(text: str) -> OspfConfig:
    """What the running config of ospfd tells beyond the interface table."""
    kinds: dict[str, str] = {}
    area_auth: dict[str, str] = {}
    auth: dict[str, list[str]] = {}
    ignored: set[str] = set()
    interface = ""
    for raw in text.splitlines():
        words = raw.split()
        if not words:
            continue
        if not raw.startswith(" "):
            interface = words[1] if words[0] == "interface" and len(words) > 1 else ""
        elif interface and words[:2] == ["ip", "ospf"]:
            if words[2].startswith(("authentication", "message-digest-key")):
                auth.setdefault(interface, []).append(" ".join(words))
            elif words[2] == "mtu-ignore":
                ignored.add(interface)
        elif words[0] == "area" and len(words) > 2:
            area = _dotted(words[1])
            if words[2] in {"stub", "nssa"}:
                kinds[area] = words[2]
            elif words[2] == "authentication":
                area_auth[area] = words[3] if len(words) > 3 else "simple"
    return OspfConfig(
        area_kinds=kinds,
        authentication={name: tuple(lines) for name, lines in auth.items()},
        area_authentication=area_auth,
        mtu_ignored=frozenset(ignored),
    )


def _dotted(area: str) -> str:
    return str(ip_interface(int(area)).ip) if area.isdigit() else area


def unsynchronised(adjacencies: Iterable[Adjacency], processes: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Phrases for neighbours whose link-state databases of their common area differ, and for routes not yet computed.

    Args:
        adjacencies: Those that are up.
        processes: Per node the answer to ``show ip ospf json``.
    """
    for node, answer in processes.items():
        if "spfTimerDueInMsecs" in answer:
            yield f"{node}: OSPF is about to compute its routes"
    for pair in adjacencies:
        one, other = (_database(processes.get(side.node, {}), side.area) for side in (pair.one, pair.other))
        if one is not None and other is not None and one != other:
            yield f"{pair.one.node}: OSPF database of area {pair.one.area} differs from that of {pair.other.node}"


def _database(answer: Mapping[str, Any], area: str) -> tuple[Any, ...] | None:
    details = (answer.get("areas") or {}).get(area)
    if details is None:
        return None
    return tuple(details.get(f"lsa{kind}{what}") for kind in _DATABASE for what in ("Number", "Checksum"))
