"""What goes wrong in FRR lines: words that are confused, options that are forgotten, lines too many. Data."""

from __future__ import annotations

from typing import Final

from pytest_netbench.dialects.mutations import BGP_SUMMARY, Addition, Mutations, Rewrite

_FORGOTTEN: Final = (
    r" no-summary$",
    r" le \d+$",
    r" ge \d+\b",
    r" metric \d+",
    r" metric-type \d$",
    r" route-map \S+$",
)

MUTATIONS: Final = Mutations(
    swaps=(
        ("in", "out"),
        ("permit", "deny"),
        ("stub", "nssa"),
        ("static", "connected", "kernel"),
        ("local-preference", "metric", "weight"),
        ("next-hop-self", "route-reflector-client"),
        ("no-export", "no-advertise"),
        ("point-to-point", "broadcast"),
        ("bgp", "connected"),
    ),
    rewrites=(
        *(Rewrite(operator="option", pattern=pattern, to="") for pattern in _FORGOTTEN),
        Rewrite(operator="option", pattern=r"^(area \S+ (?:stub|nssa))$", to=r"\1 no-summary"),
        Rewrite(operator="option", pattern=r"^(area \S+ range \S+)$", to=r"\1 not-advertise"),
        Rewrite(operator="option", pattern=r"^(default-information originate)$", to=r"\1 always"),
        Rewrite(operator="number", pattern=r" metric-type 1$", to=" metric-type 2"),
        Rewrite(operator="number", pattern=r"(\d+:\d+)$", to=r"\g<1>1"),
    ),
    additions=(
        Addition(operator="extra permit", pattern=r"^(ip prefix-list \S+) seq \d+ ", after=(r"\1 seq 900 permit any",)),
        Addition(
            operator="extra permit", pattern=r"^(route-map \S+) (?:permit|deny) \d+$", before=(r"\1 permit 65000",)
        ),
        Addition(operator="extra session", pattern=r"^router bgp \d+$", after=("neighbor 192.0.2.99 remote-as 65099",)),
        Addition(operator="extra network", pattern=r"^router ospf$", after=("network 0.0.0.0/0 area 0",)),
        Addition(operator="extra redistribution", pattern=r"^router ospf$", after=("redistribute connected",)),
    ),
    superfluous=(("ip prefix-list UNUSED seq 5 permit any",),),
    states=("show ip ospf neighbor", "show bgp summary", "show bfd peers"),
    uncounted=BGP_SUMMARY,
)
