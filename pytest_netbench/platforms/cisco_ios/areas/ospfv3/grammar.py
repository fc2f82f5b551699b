"""Commands of OSPF for IPv6, in the classic form and in the form with address families."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.ospf import lines
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import edits
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.edits import CLASSIC_MODE, FAMILY, PROCESS
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.process import CLASSIC_AREA, NEWER_AREA
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Mode

MODES = (
    Mode(name=CLASSIC_MODE, prompt="config-rtr", help="OSPF process for IPv6"),
    Mode(name=PROCESS, prompt="config-router", help="router ospfv3"),
    Mode(name=FAMILY, prompt="config-router-af", help="IPv6 in router ospfv3"),
)

_ANYWHERE = (CLASSIC_MODE, PROCESS, FAMILY)
_OF_ROUTES = (CLASSIC_MODE, FAMILY)
_SOURCES = ("connected", "static", "bgp {number!:asn}", "rip {name!:word}", "isis [ {tag:word} ]")
_SETTINGS = (
    *lines.process_lines(_ANYWHERE),
    Command(
        pattern="area {area!:area} stub [ no-summary ]",
        mode=_ANYWHERE,
        edit=edits.make_area,
        help="Specify a stub area",
    ),
    Command(
        pattern=f"area {{area!:area}} nssa < no-summary | default-information-originate < {lines.METRIC} > >",
        name="area nssa",
        mode=_ANYWHERE,
        edit=edits.make_area,
        help="Specify a NSSA area",
    ),
    Command(
        pattern="area {area!:area} normal",
        mode=(PROCESS, FAMILY),
        edit=edits.make_area,
        help="Specify a normal area type",
    ),
    Command(
        pattern=(
            "area {area!:area} range {prefix!:ipv6prefix} [ ( advertise | not-advertise ) ] [ cost {cost:0-16777215} ]"
        ),
        mode=_OF_ROUTES,
        help="Summarize routes matching address/mask (border routers only)",
    ),
    *igp.redistribute_commands(
        _OF_ROUTES,
        f"< {lines.METRIC} | tag {{tag2:0-4294967295}} | route-map {{map:word}} | include-connected >",
        sources=_SOURCES,
    ),
    Command(
        pattern="summary-prefix {prefix!:ipv6prefix} [ not-advertise ] [ tag {tag:0-4294967295} ]",
        mode=_OF_ROUTES,
        help="Configure IPv6 summary prefix",
    ),
    *lines.route_lines(_OF_ROUTES, most_distance=254),
)
_INTERFACE = (
    Command(
        pattern="ipv6 ospf {process:1-65535} area {area:area} [ instance {instance:0-255} ]",
        name=CLASSIC_AREA,
        mode=INTERFACE,
        edit=edits.join,
        help="Set the OSPF area ID",
    ),
    Command(
        pattern="ospfv3 {process:1-65535} ipv6 area {area:area} [ instance {instance:0-255} ]",
        name=NEWER_AREA,
        mode=INTERFACE,
        edit=edits.join,
        help="Set the OSPF area ID",
    ),
    Command(
        pattern="ospfv3 {process:1-65535} area {area:area} ipv6 [ instance {instance:0-255} ]",
        mode=INTERFACE,
        edit=edits.join_as_once,
    ),
    Command(
        pattern="ospfv3 {process:1-65535} ( ipv4 {rest:line} | area {area:area} ipv4 )",
        mode=INTERFACE,
        edit=edits.refuse_four,
    ),
    *(
        command
        for words, name in (
            ("ipv6 ospf", "ipv6 ospf"),
            ("ospfv3", "ospfv3"),
            ("ospfv3 {process!:1-65535}", "ospfv3"),
            ("ospfv3 {process!:1-65535} ipv6", "ospfv3"),
        )
        for command in lines.interface_lines(
            words, name=name, edit=edits.set_parameter, transmit_delay="{seconds:1-3600}"
        )
    ),
)

COMMANDS = (
    Command(
        pattern="ipv6 router ospf {process!:1-65535}",
        opens=CLASSIC_MODE,
        edit=edits.open_classic,
        help="Open Shortest Path First (OSPF)",
    ),
    Command(pattern="router ospfv3 {process!:1-65535}", opens=PROCESS, edit=edits.open_newer, help="OSPFv3"),
    Command(
        pattern="address-family ipv6 [ unicast ]",
        name="address-family",
        mode=PROCESS,
        opens=FAMILY,
        edit=edits.open_family,
    ),
    Command(pattern="address-family ipv4 [ unicast ]", mode=PROCESS, edit=edits.refuse_four),
    *_SETTINGS,
    *_INTERFACE,
)
