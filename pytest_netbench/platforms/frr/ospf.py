"""Session ends of OSPF, from what ospfd answers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from types import MappingProxyType
from typing import Any

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.ends import End, Sight, equal

_DATABASE = ("Router", "Network", "Summary", "Asbr", "Nssa")
# states of an interface in which 2-Way is not enough: elected, or not yet decided
_ELECTED = {"DR", "Backup", "Waiting", "Down", "Loopback"}
_EXCHANGING = {"ExStart", "Exchange", "Loading"}
_LONGEST_EXCHANGE_MS = 12_000
_HOST_BITS = 32

Owned = Mapping[str, tuple[IPv4Interface | IPv6Interface, ...]]
"""Addresses by interface."""


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


def _parts(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What is said of the addresses of an interface."""
    nested = entry.get("interfaceIp")
    yield from nested.values() if isinstance(nested, Mapping) else (entry,)


def late(answer: Mapping[str, Any], up: Iterable[str]) -> list[str]:
    """Interfaces that zebra knows to be up and that ospfd does not yet know to carry packets."""
    entries = answer.get("interfaces") or {}
    return sorted(name for name in up if name in entries and not _runs(entries[name]))


def _runs(entry: Mapping[str, Any]) -> bool:
    return "RUNNING" in str(entry.get("ifFlags", "RUNNING")) and not (
        entry.get("ospfEnabled") and not entry.get("ifUp")
    )


def waiting(
    node: str,
    interfaces: Mapping[str, Any],
    neighbors: Mapping[str, Any],
    details: Mapping[str, Any] = MappingProxyType({}),
    *,
    vrf: str = "",
) -> list[str]:
    """Phrases for what OSPF of a router waits for besides the sessions that are expected.

    Args:
        node: The router.
        interfaces: From ``show ip ospf interface json``.
        neighbors: From ``show ip ospf neighbor json``.
        details: From ``show ip ospf neighbor detail json``.
        vrf: Their VRF.
    """
    where = f"{node} vrf {vrf}" if vrf else node
    return [
        *(f"{where}: OSPF waits on {name} before a designated router is elected" for name in undecided(interfaces)),
        *(f"{where}: OSPF exchanges its database with {address}" for address in negotiating(neighbors)),
        *(f"{where}: OSPF elects a designated router on {name}" for name in electing(interfaces, details)),
    ]


def undecided(answer: Mapping[str, Any]) -> list[str]:
    """Interfaces that still wait for other routers before a designated router is elected (RFC 2328, 9.1).

    On a passive interface with the mask of a host, such as a loopback of IOS, there can be none.
    """
    entries = (answer.get("interfaces") or {}).items()
    return sorted(
        {
            name
            for name, entry in entries
            for one in _parts(entry)
            if one.get("state") == "Waiting" and not (one.get("timerPassiveIface") and _is_host(one))
        }
    )


def _is_host(entry: Mapping[str, Any]) -> bool:
    return entry.get("ipAddressPrefixlen") == _HOST_BITS


def negotiating(answer: Mapping[str, Any]) -> list[str]:
    """Neighbors with which a router has just begun to exchange its database.

    Neighbors whose settings do not fit may stay there for ever, so that they count for a few retransmissions only.
    """
    return sorted(
        {
            str(entry.get("ifaceAddress") or entry.get("address"))
            for entries in (answer.get("neighbors") or {}).values()
            for entry in entries
            if str(entry.get("nbrState") or entry.get("state")).partition("/")[0] in _EXCHANGING
            and int(entry.get("upTimeInMsec", _LONGEST_EXCHANGE_MS)) < _LONGEST_EXCHANGE_MS
        }
    )


def electing(interfaces: Mapping[str, Any], details: Mapping[str, Any]) -> list[str]:
    """LANs whose routers do not yet name the same designated router and backup.

    Where not all routers hear each other they may never agree, so that this counts for two dead intervals only.
    """
    own = {
        name: one
        for name, entry in (interfaces.get("interfaces") or {}).items()
        for one in _parts({**entry})
        if (entry | {**one}).get("networkType") == "BROADCAST" and one.get("drAddress")
    }
    found = set()
    for entries in (details.get("neighbors") or {}).values():
        for entry in entries:
            name = str(entry.get("ifaceName", "")).partition(":")[0]
            theirs = tuple(
                str(entry.get(key, UNSPECIFIED)) for key in ("routerDesignatedId", "routerDesignatedBackupId")
            )
            if name not in own or theirs[0] == UNSPECIFIED:
                continue
            ours = tuple(str(own[name].get(key, UNSPECIFIED)) for key in ("drAddress", "bdrAddress"))
            longest_ms = 2_000 * int(own[name].get("timerDeadSecs", 0))
            if theirs != ours and int(entry.get("lastPrgrsvChangeMsec", longest_ms)) < longest_ms:
                found.add(name)
    return sorted(found)


def neighbors(answer: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """(interface, neighbor's address) to state, e.g. ``"Full/DR"``, from ``show ip ospf neighbor json``."""
    found: dict[tuple[str, str], str] = {}
    for entries in (answer.get("neighbors") or {}).values():
        for entry in entries:
            interface = str(entry.get("ifaceName", "")).partition(":")[0]
            address = str(entry.get("ifaceAddress") or entry.get("address"))
            state = str(entry.get("nbrState") or entry.get("state"))
            # A neighbor that changed its router id stands twice until its old self is dead.
            if not found.get((interface, address), "").startswith("Full"):
                found[interface, address] = state
    return found


def ends(
    sides: Iterable[OspfInterface],
    states: Mapping[tuple[str, str], str],
    config: OspfConfig | None = None,
    *,
    vrf: str = "",
) -> list[End]:
    """Session ends of the interfaces of one router.

    Args:
        sides: From ``interfaces``.
        states: From ``neighbors``.
        config: What else must fit; ``None``: not known yet.
        vrf: Their VRF.
    """
    seen: dict[str, dict[str, Sight]] = {}
    for (interface, address), state in states.items():
        word = state.split("/")[0]
        seen.setdefault(interface, {})[address] = Sight(word, is_up=word == "Full", is_partial=word == "2-Way")
    return [
        _end(side, seen.get(side.name, {}), config, vrf)
        for side in sides
        if not side.passive and side.network_type != "NBMA" and (side.unnumbered or side.address.network.prefixlen < 32)
    ]


def _end(side: OspfInterface, seen: Mapping[str, Sight], config: OspfConfig | None, vrf: str) -> End:
    address = str(side.address.ip)
    words = equal(
        area=side.area,
        hello=str(side.hello_ms),
        dead=str(side.dead_s),
        network=side.network_type,
        numbered=str(not side.unnumbered),
        **({} if config is None else _closer_words(side, config)),
    )
    return End(
        protocol="ospf",
        node=side.node,
        vrf=vrf,
        interface=side.name,
        # a cable decides who faces an unnumbered interface
        addresses={} if side.unnumbered else {side.name: (side.address,)},
        address=address,
        name=address,
        identity=side.router_id,
        offers=words,
        accepts=words,
        is_minor=side.network_type == "BROADCAST" and side.state not in _ELECTED,
        seen=seen,
        database=f"area {side.area}",
    )


def _closer_words(side: OspfInterface, config: OspfConfig) -> dict[str, str]:
    words = {"kind": config.area_kinds.get(side.area, ""), "secret": "\n".join(_secret(config, side))}
    return words if side.name in config.mtu_ignored else {**words, "mtu": str(side.mtu)}


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


def parse_config(text: str, vrf: str = "") -> OspfConfig:
    """What the running config of ospfd tells of a VRF beyond the interface table."""
    kinds: dict[str, str] = {}
    area_auth: dict[str, str] = {}
    auth: dict[str, list[str]] = {}
    ignored: set[str] = set()
    interface = process = ""
    for raw in text.splitlines():
        words = raw.split()
        if not words:
            continue
        if not raw.startswith(" "):
            interface = words[1] if words[0] == "interface" and len(words) > 1 else ""
            process = words[-1] if words[-2:-1] == ["vrf"] else ""
        elif interface and words[:2] == ["ip", "ospf"]:
            if words[2].startswith(("authentication", "message-digest-key")):
                auth.setdefault(interface, []).append(" ".join(words))
            elif words[2] == "mtu-ignore":
                ignored.add(interface)
        elif words[0] == "area" and len(words) > 2 and process == vrf:
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


def is_computing(answer: Mapping[str, Any]) -> bool:
    """Whether routes are about to be computed, from ``show ip ospf json``."""
    return "spfTimerDueInMsecs" in answer


def database(answer: Mapping[str, Any], area: str) -> tuple[Any, ...] | None:
    """What is equal where link-state databases of an area are equal, from ``show ip ospf json``."""
    details = (answer.get("areas") or {}).get(area)
    if details is None:
        return None
    return tuple(details.get(f"lsa{kind}{what}") for kind in _DATABASE for what in ("Number", "Checksum"))
