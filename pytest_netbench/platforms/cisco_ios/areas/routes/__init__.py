"""The routing tables and the routing protocols: ``show ip route``, ``show ip protocols``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.routes import cef, four, protocols, six
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match

_FOUR = "show ip route [ vrf {vrf:word} ]"
_SIX = "show ipv6 route [ vrf {vrf:word} ]"


def _clear(_at: Exec, _match: Match) -> None:
    """Do nothing: the table always equals the state of the protocols."""


AREA = Area(
    name="routes",
    commands=(
        Command(
            pattern=f"{_FOUR} [ ( {' | '.join(four.PROTOCOLS)} ) ]",
            mode="exec",
            user=True,
            run=four.show,
            help="IP routing table",
        ),
        Command(
            pattern=f"{_FOUR} ( ospf {{process:1-65535}} | eigrp {{process:1-65535}} | bgp {{asn:asn}} )",
            mode="exec",
            user=True,
            run=four.show,
        ),
        Command(
            pattern=f"{_FOUR} {{address:ipv4}} [ {{mask:mask}} [ longer-prefixes ] ]",
            mode="exec",
            user=True,
            run=four.show,
        ),
        Command(pattern=f"{_FOUR} summary", mode="exec", user=True, run=four.summary, help="Summary of all routes"),
        Command(
            pattern=f"{_SIX} [ ( {' | '.join(six.PROTOCOLS)} ) ]",
            mode="exec",
            user=True,
            run=six.show,
            help="IPv6 routing table",
        ),
        Command(pattern=f"{_SIX} ( {{prefix:ipv6prefix}} | {{address:ipv6}} )", mode="exec", user=True, run=six.show),
        Command(
            pattern="show ip cef [ vrf {vrf:word} ] [ {address:ipv4} [ {mask:mask} ] ]",
            mode="exec",
            user=True,
            run=cef.show,
            help="Cisco Express Forwarding",
        ),
        Command(
            pattern="show ip protocols",
            mode="exec",
            user=True,
            run=protocols.show,
            help="IP routing protocol process parameters and statistics",
        ),
        Command(
            pattern="show ipv6 protocols", mode="exec", user=True, run=protocols.show_six, help="IPv6 routing protocols"
        ),
        Command(
            pattern="clear ip route ( * | {address:ipv4} [ {mask:mask} ] )",
            mode="exec",
            changes=True,
            run=_clear,
            help="Delete route table entries",
        ),
        Command(
            pattern="clear ipv6 route ( * | {prefix:ipv6prefix} )",
            mode="exec",
            changes=True,
            run=_clear,
            help="Clear IPv6 route table entries",
        ),
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
