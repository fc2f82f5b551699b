"""Policy-based routing: route maps that override the routing by destination."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.areas.pbr.compile import LOCAL, compile_pbr
from pytest_netbench.platforms.cisco_ios.areas.pbr.shows import show_policy
from pytest_netbench.platforms.cisco_ios.grammar.command import Area
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, show

AREA = Area(
    name="policy routing",
    commands=(
        setting("ip policy route-map {map:name}", "Policy route map", mode=MODE),
        setting(f"{LOCAL} {{map:name}}", "Enable policy routing of the router's own packets"),
        show("ip policy", show_policy, "Show policy of routing on interfaces"),
    ),
    compile=compile_pbr,
    scope=(
        ("ip policy route-map, ip local policy route-map: match ip address, match length", "yes"),
        (
            (
                "set ip next-hop [recursive | verify-availability], set interface, set ip default next-hop, set ip"
                " precedence, set ip dscp"
            ),
            "yes",
        ),
        (
            "set interface LoopbackN, next hops on the network of a loopback (NAT on a stick)",
            "packets follow their destination; NAT, lists and policies of the loopback are not applied",
        ),
    ),
)
