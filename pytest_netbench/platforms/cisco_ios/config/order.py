"""In which order a running config prints its lines: by the words they begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

_GLOBAL = (
    "version", "service", "no service", "platform", "hostname", "boot-start-marker", "boot", "boot-end-marker", "vrf definition", "ip vrf", "security", "logging buffered",
    "logging console", "logging monitor", "no logging console", "no logging monitor", "enable secret", "enable password", "aaa new-model", "no aaa", "aaa group", "aaa authentication", "aaa authorization", "aaa accounting", "aaa", "clock", "process", "errdisable", "udld", "vtp", "ip subnet-zero", "ip cef", "no ip cef",
    "ip source-route", "no ip source-route", "ip arp inspection", "ip dhcp excluded-address", "ip dhcp pool", "no ip dhcp", "ip dhcp", "no ip domain", "ip domain lookup", "ip domain-lookup", "ip domain",
    "ip name-server", "ip host", "ip inspect", "ipv6 unicast-routing", "ipv6 cef", "no ipv6 cef", "ipv6 dhcp", "multilink", "key chain", "crypto", "object-group", "username", "redundancy",
    "spanning-tree", "no spanning-tree", "lldp", "no lldp", "no cdp", "cdp", "vlan", "track", "ip tcp", "ip ssh", "parameter-map", "class-map", "policy-map", "zone security", "zone-pair", "interface", "router eigrp", "router isis", "router ospf",
    "router ospfv3", "router rip", "router bgp", "ip local", "ip classless", "no ip classless", "ip default-gateway", "ip forward-protocol", "ip http", "no ip http", "ip bgp-community", "ip as-path", "ip community-list", "ip extcommunity-list",
    "ip nat", "ip route", "no ip routing", "ip tacacs", "ip radius", "ip access-list standard", "ip access-list extended", "ip access-list", "ip prefix-list",
    "ip sla", "logging", "no logging", "ipv6 route", "ipv6 router eigrp", "ipv6 router ospf", "ipv6 router rip", "ipv6 prefix-list", "route-map", "access-list", "snmp-server", "tacacs-server", "radius-server", "tacacs server", "radius server",
    "ipv6 access-list", "control-plane", "banner", "alias", "line con", "line aux", "line vty", "line", "scheduler", "ntp", "time-range", "event", "end",
)  # fmt: skip
_INTERFACE = (
    "description", "bandwidth", "no switchport", "switchport", "vrf forwarding", "ip vrf forwarding", "encapsulation", "mac-address", "ip address", "no ip address", "ip unnumbered",
    "ip access-group", "ip verify", "no ip redirects", "no ip unreachables", "no ip proxy-arp", "ip helper-address", "ip mtu", "ip nat", "ip policy", "zone-member", "ip tcp", "ip ospf",
    "delay", "shutdown", "duplex", "speed", "ipv6", "ospfv3", "standby", "vrrp", "spanning-tree", "service-policy",
)  # fmt: skip
_ROUTER = (
    "bgp router-id", "bgp cluster-id", "bgp log-neighbor-changes", "bgp confederation", "bgp", "no bgp", "network", "aggregate-address", "timers",
    "redistribute", "neighbor", "maximum-paths", "default-information", "default-metric", "distribute-list", "distance", "address-family",
)  # fmt: skip
_SLA = ("icmp-echo", "request-data-size", "tos", "owner", "tag", "threshold", "timeout", "frequency")
_IGP = (
    "router-id", "net", "is-type", "metric-style", "version", "no compatible", "max-metric", "auto-cost", "timers", "area", "summary-address", "redistribute", "passive-interface default", "passive-interface", "no passive-interface",
    "network", "default-metric", "maximum-paths", "neighbor", "default-information", "distribute-list", "distance", "no auto-summary", "eigrp", "shutdown",
)  # fmt: skip
_POLICE = ("conform-action", "exceed-action", "violate-action")
_ROUTE_MAP = ("description", "match", "continue", "set")
_BY_MODE: Mapping[str, Sequence[str]] = {
    "config": _GLOBAL,
    "route-map": _ROUTE_MAP,
    "police": _POLICE,
    "if": _INTERFACE,
    "subif": _INTERFACE,
    "router-bgp": _ROUTER,
    "router-ospf": _IGP,
    "router-ospfv3": (*_IGP, "address-family"),
    "router-ospfv3-af": _IGP,
    "ipv6-router-ospf": _IGP,
    "router-eigrp": _IGP,
    "router-rip": _IGP,
    "router-ripng": _IGP,
    "router-isis": _IGP,
    "ip-sla": _SLA,
}


def rank(mode: str, text: str) -> int:
    """Place of a line among the groups of its mode; lines of one group stand in the order of their own sort or of typing."""
    order = _BY_MODE.get(mode)
    return 0 if order is None else _rank(tuple(order), text)


def _rank(order: tuple[str, ...], text: str) -> int:
    words = text.split()
    for length in range(min(len(words), 3), 0, -1):
        place = _places(order).get(" ".join(words[:length]))
        if place is not None:
            return place
    return _default(order)


@cache
def _places(order: tuple[str, ...]) -> dict[str, int]:
    return {phrase: at for at, phrase in enumerate(order)}


def _default(order: tuple[str, ...]) -> int:
    """Where a line stands that the order does not know: global ones before the interfaces, others in the middle."""
    return _places(order).get("interface", len(order) // 2) - 1
