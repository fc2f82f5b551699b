"""The routing tables: what they hold, and the protocols that fill them."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.routes import four
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command

AREA = Area(
    name="routes",
    commands=(
        Command(
            pattern=f"show ip route [ vrf {{vrf:word}} ] [ ( {' | '.join(four.PROTOCOLS)} ) ]",
            mode="exec",
            user=True,
            run=four.show,
            help="IP routing table",
        ),
        Command(
            pattern="show ip route [ vrf {vrf:word} ] ( ospf {process:1-65535} | eigrp {process:1-65535} | bgp {asn:asn} )",
            mode="exec",
            user=True,
            run=four.show,
        ),
        Command(
            pattern="show ip route [ vrf {vrf:word} ] {address:ipv4} [ {mask:mask} [ longer-prefixes ] ]",
            mode="exec",
            user=True,
            run=four.show,
        ),
        Command(pattern="show ip route [ vrf {vrf:word} ] summary", mode="exec", user=True, run=four.summary),
    ),
    help={"route": "IP routing table"},
)
