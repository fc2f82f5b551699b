"""The routing tables as IOS shows them: FRR's selected routes with IOS's codes, and local routes, which FRR lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Interface, mask_length
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.shows.ports import PortState, ports

CODES = {
    "connected": "C",
    "local": "L",
    "static": "S",
    "kernel": "S",
    "rip": "R",
    "ripng": "R",
    "bgp": "B",
    "eigrp": "D",
    "ospf": "O",
    "ospf6": "O",
    "isis": "i",
}
EIGRP_DISTANCE = 90
_ISIS_ROW = re.compile(r"^\s*(\S+/\d+)\s+\d+\s")


@dataclass(frozen=True)
class Hop:
    """One path of a route: an address, an interface in full, or both.

    ``named``: the interface is in the config.
    """

    address: str = ""
    interface: str = ""
    named: bool = False


@dataclass(frozen=True)
class Row:
    """One route. ``kind`` follows the code (``IA``, ``E2``, ``L1``); ``uptime`` is in IOS's format."""

    network: IPv4Network | IPv6Network
    protocol: str
    distance: int = 0
    metric: int = 0
    hops: tuple[Hop, ...] = ()
    uptime: str = ""
    kind: str = ""
    tag: int = 0
    blackhole: bool = False
    forward_metric: int = 0

    @property
    def code(self) -> str:
        """The letter in the first column."""
        return CODES[self.protocol]

    @property
    def is_default(self) -> bool:
        """Whether it is the default route."""
        return self.network.prefixlen == 0

    @property
    def direct(self) -> bool:
        """Whether it leaves by an interface without a next hop."""
        return all(not hop.address for hop in self.hops)


class Table:
    """The routes of a device, of one VRF ("" is the global one) and one family."""

    def __init__(self, at: Exec, *, vrf: str = "", six: bool = False) -> None:
        self._at, self.vrf, self._six = at, vrf, six

    @cached_property
    def rows(self) -> list[Row]:
        """All routes, in the order of tables."""
        rows = [row for entry in self._entries() if (row := self._row(entry)) is not None]
        own = {local.network: local for row in rows if row.protocol == "connected" for local in self._locals(row)}
        # FRR's OSPF also has a route to a loopback's own address
        rows = [*(row for row in rows if row.network not in own), *own.values()]
        return sorted(
            dict.fromkeys(rows), key=lambda row: (int(row.network.network_address), row.network.prefixlen, row.code)
        )

    def _entries(self) -> Iterator[Mapping[str, Any]]:
        vrf = f" vrf {self.vrf}" if self.vrf else ""
        answer = self._at.ask_json("zebra", f"show {'ipv6' if self._six else 'ip'} route{vrf} json")
        for entries in answer.values():
            if isinstance(entries, list):
                yield from (entry for entry in entries if entry.get("selected") and entry.get("protocol") in CODES)

    def _row(self, entry: Mapping[str, Any]) -> Row | None:
        network = ip_network(entry["prefix"])
        if network.version == 6 and network.is_link_local:
            return None
        protocol = "eigrp" if is_eigrp(entry) else str(entry["protocol"])
        if protocol == "kernel" and network.prefixlen:
            return None
        hops = tuple(
            self._hop(entry, hop) for hop in entry.get("nexthops", ()) if not hop.get("resolver") and hop.get("active")
        )
        row = Row(
            network=network,
            protocol=protocol,
            distance=int(entry.get("distance", 0)),
            metric=metric_of(entry),
            hops=hops,
            uptime=str(entry.get("uptime", "")),
            tag=int(entry.get("tag", 0)),
            blackhole=any(hop.get("blackhole") or hop.get("unreachable") for hop in entry.get("nexthops", ())),
        )
        return self._classified(row)

    def _hop(self, entry: Mapping[str, Any], hop: Mapping[str, Any]) -> Hop:
        kernel = str(hop.get("interfaceName", ""))
        name = interfaces.from_kernel(kernel) or ("" if kernel else "Null0")
        address = str(hop.get("ip", ""))
        named = entry["protocol"] == "static" and (entry["prefix"], address, name) in self._named
        return Hop(address, name, named or not address)

    @cached_property
    def _named(self) -> set[tuple[str, str, str]]:
        """Return static routes that are configured with an address and an interface."""
        found = set()
        for entry in self._at.config.all("ipv6 route" if self._six else "ip route"):
            if entry.get("via") and entry.get("out"):
                length = "" if self._six else f"/{mask_length(entry['mask'])}"
                prefix = str(ip_interface(f"{entry['prefix']}{length}").network)
                found.add((prefix, str(entry["via"]).lower(), str(entry["out"])))
        return found

    # -- route types of OSPF and IS-IS, which zebra lacks -------------------------------------

    def _classified(self, row: Row) -> Row:
        if row.protocol in {"ospf", "ospf6"}:
            kind, forward = self._ospf_kinds.get(str(row.network), ("", 0))
            return replace(row, kind=kind, forward_metric=forward)
        if row.protocol == "isis":
            return replace(row, kind="L1" if str(row.network) in self._level_one else "L2")
        return row

    @cached_property
    def _ospf_kinds(self) -> dict[str, tuple[str, int]]:
        if self._six:
            answer = self._at.ask_json("ospf6d", "show ipv6 ospf6 route json")
            routes = answer.get("routes", answer) if isinstance(answer, dict) else {}
            return {prefix: (_six_kind(entry), 0) for prefix, entry in routes.items()}
        vrf = f" vrf {self.vrf}" if self.vrf else ""
        answer = self._at.ask_json("ospfd", f"show ip ospf{vrf} route json")
        routes = answer.get(self.vrf, answer) if self.vrf else answer
        found = {}
        for prefix, entry in routes.items():
            if not isinstance(entry, Mapping) or "/" not in prefix:
                continue
            words = str(entry.get("routeType", "")).split()
            kind = words[1] if len(words) > 1 else ""
            if kind.startswith("E") and str(ip_network(prefix).network_address) in self._seven:
                kind = kind.replace("E", "N")
            forward = int(entry.get("cost", 0)) if kind[:1] in {"E", "N"} else 0
            found[prefix] = (kind, forward)
        return found

    @cached_property
    def _seven(self) -> frozenset[str]:
        """Return networks that only NSSA LSAs of other routers advertise."""
        if not any(section.has("area nssa") for _, section in self._at.config.sections("router ospf")):
            return frozenset()
        vrf = f" vrf {self.vrf}" if self.vrf else ""
        seven = _link_state_ids(self._at.ask("ospfd", f"show ip ospf{vrf} database nssa-external"))
        five = _link_state_ids(self._at.ask("ospfd", f"show ip ospf{vrf} database external"))
        own = {entry for entry in five if entry[1] == _router_id(self._at.ask("ospfd", f"show ip ospf{vrf}"))}
        return frozenset({network for network, _ in seven} - {network for network, _ in set(five) - own})

    @cached_property
    def _level_one(self) -> frozenset[str]:
        text = self._at.ask("isisd", "show isis route level-1")
        return frozenset(found[1] for line in text.splitlines() if (found := _ISIS_ROW.match(line)))

    # -- local routes ------------------------------------------------------------------------------------------------

    def _locals(self, row: Row) -> Iterator[Row]:
        for hop in row.hops:
            one = self._by_name.get(hop.interface)
            for text in self._own_addresses(one) if one is not None else ():
                own = ip_interface(text)
                if own.network == row.network and own.network.prefixlen < own.max_prefixlen:
                    yield Row(network=ip_network(f"{own.ip}/{own.max_prefixlen}"), protocol="local", hops=(hop,))

    @cached_property
    def _by_name(self) -> dict[str, Interface]:
        return {one.name: one for one in self._at.device.context().interfaces}

    def _own_addresses(self, one: Interface) -> tuple[str, ...]:
        if not self._six:
            return one.addresses
        state = next((state for state in self._ports if state.name == one.name), None)
        found = [entry for entry in state.addresses if entry.get("family") == "inet6"] if state is not None else []
        return tuple(f"{entry['local']}/{entry['prefixlen']}" for entry in found)

    @cached_property
    def _ports(self) -> list[PortState]:
        return ports(self._at)


def is_eigrp(entry: Mapping[str, Any]) -> bool:
    """Whether the service ``eigrp`` added this kernel route."""
    return entry.get("protocol") == "kernel" and entry.get("distance") == EIGRP_DISTANCE


def metric_of(entry: Mapping[str, Any]) -> int:
    """Return the metric as IOS counts it. FRR's RIP metric is one hop higher."""
    metric = int(entry.get("metric", 0))
    return max(0, metric - 1) if entry.get("protocol") == "rip" and ":" not in str(entry.get("prefix", "")) else metric


def _six_kind(entry: Any) -> str:
    details = entry[0] if isinstance(entry, list) and entry else entry
    path = str(details.get("pathType", details.get("type", ""))) if isinstance(details, Mapping) else ""
    return {"IE": "I", "E1": "E1", "E2": "E2"}.get(path, "")


def _link_state_ids(text: str) -> set[tuple[str, str]]:
    """Return the (network, advertising router) pairs of a detailed database listing."""
    ids = re.findall(r"Link State ID: (\S+)", text)
    routers = re.findall(r"Advertising Router: (\S+)", text)
    return set(zip(ids, routers, strict=True))


def _router_id(text: str) -> str:
    found = re.search(r"Router ID: (\S+)", text)
    return found[1] if found else ""
