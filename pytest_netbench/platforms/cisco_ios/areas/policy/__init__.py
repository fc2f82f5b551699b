"""Routing policy: prefix lists, AS path lists, community lists, route maps."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.dialects.markings import PRECEDENCES
from pytest_netbench.platforms.cisco_ios.areas.acl.types import named
from pytest_netbench.platforms.cisco_ios.areas.policy import communities, lists, routemaps, shows
from pytest_netbench.platforms.cisco_ios.areas.policy.compile import compile_policy
from pytest_netbench.platforms.cisco_ios.grammar.command import Area
from pytest_netbench.platforms.cisco_ios.grammar.types import matching, one

AREA = Area(
    name="policy",
    modes=routemaps.MODES,
    types={
        "commword": one("<1-4294967295>|aa:nn|WORD", communities.read, "community number"),
        "listname": matching("WORD", r"(?!sequence-number$)\S+", "Name of a prefix list"),
        "signed": matching("<+/-metric>", r"[+-]?\d{1,10}", "Metric value or, with + or -, what is added"),
        "protocol": matching("WORD", "bgp|connected|eigrp|isis|ospf|rip|static"),
        "ipprecedence": named(PRECEDENCES, 7),
        "ipdscp": named(DSCP, 63),
    },
    commands=(*lists.COMMANDS, *routemaps.COMMANDS, *shows.COMMANDS),
    compile=compile_policy,
    help={
        "match": "Match values from routing table",
        "set": "Set values in destination routing protocol",
        "continue": "Continue on a different entry within the route-map",
        "route-map": "Create route-map or enter route-map command mode",
        "prefix-list": "Build a prefix list",
    },
    scope=(
        ("ip prefix-list, ipv6 prefix-list, ip as-path access-list, ip community-list", "yes"),
        ("route-map: match, set, continue for routes", "yes; no match route-type, no extended communities"),
    ),
)
