"""The routing tables and the routing protocols: ``show ip route``, ``show ip protocols``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.routes import cef, protocols, show_ip_route, show_ipv6_route
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

_FOUR = "ip route [ vrf {vrf:word} ]"
_SIX = "ipv6 route [ vrf {vrf:word} ]"


def _clear(_at: Exec, _match: Match) -> None:
    """Do nothing: the table always equals the state of the protocols."""


AREA = Area(
    name="routes",
    commands=(
        show(f"{_FOUR} [ ( {' | '.join(show_ip_route.PROTOCOLS)} ) ]", show_ip_route.show, "IP routing table"),
        show(f"{_FOUR} ( ospf {{process:1-65535}} | eigrp {{process:1-65535}} | bgp {{asn:asn}} )", show_ip_route.show),
        show(f"{_FOUR} {{address:ipv4}} [ {{mask:mask}} [ longer-prefixes ] ]", show_ip_route.show),
        show(f"{_FOUR} summary", show_ip_route.summary, "Summary of all routes"),
        show(f"{_SIX} [ ( {' | '.join(show_ipv6_route.PROTOCOLS)} ) ]", show_ipv6_route.show, "IPv6 routing table"),
        show(f"{_SIX} ( {{prefix:ipv6prefix}} | {{address:ipv6}} )", show_ipv6_route.show),
        show("ip cef [ vrf {vrf:word} ] [ {address:ipv4} [ {mask:mask} ] ]", cef.show, "Cisco Express Forwarding"),
        show("ip protocols", protocols.show, "IP routing protocol process parameters and statistics"),
        show("ipv6 protocols", protocols.show_six, "IPv6 routing protocols"),
        action("clear ip route ( * | {address:ipv4} [ {mask:mask} ] )", _clear, "Delete route table entries"),
        action("clear ipv6 route ( * | {prefix:ipv6prefix} )", _clear, "Clear IPv6 route table entries"),
    ),
    help={"route": "Routing table", "protocols": "Routing protocols"},
    scope=(
        (
            "show ip route, ipv6 route, ip protocols, ipv6 protocols, also of a VRF",
            "yes; with a mask, the line of the table",
        ),
        ("show ip cef, also of a VRF or a prefix", "yes: what the kernel forwards by; no details"),
    ),
)
