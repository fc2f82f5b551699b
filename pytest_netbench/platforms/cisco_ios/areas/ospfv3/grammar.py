"""Commands of OSPF for IPv6, in the classic form and in the form with address families."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.ospf import lines
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import edits
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.edits import CLASSIC_MODE, FAMILY, PROCESS
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.process import CLASSIC_AREA, NEWER_AREA
from pytest_netbench.platforms.cisco_ios.grammar.command import Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODES = (
    Mode(name=CLASSIC_MODE, prompt="config-rtr", help="OSPF process for IPv6"),
    Mode(name=PROCESS, prompt="config-router", help="router ospfv3"),
    Mode(name=FAMILY, prompt="config-router-af", help="IPv6 in router ospfv3"),
)

_ANYWHERE = (CLASSIC_MODE, PROCESS, FAMILY)
_OF_ROUTES = (CLASSIC_MODE, FAMILY)
_SOURCES = ("connected", "static", "bgp {number!:asn}", "rip {name!:word}", "isis [ {tag:word} ]")
_SETTINGS = table(
    *lines.process_lines(_ANYWHERE),
    setting("area {area!:area} stub [ no-summary ]", "Specify a stub area", edit=edits.make_area, mode=_ANYWHERE),
    setting(
        f"area {{area!:area}} nssa < no-summary | default-information-originate < {lines.METRIC} > >",
        "Specify a NSSA area",
        name="area nssa",
        edit=edits.make_area,
        mode=_ANYWHERE,
    ),
    setting("area {area!:area} normal", "Specify a normal area type", edit=edits.make_area, mode=(PROCESS, FAMILY)),
    setting(
        "area {area!:area} range {prefix!:ipv6prefix} [ ( advertise | not-advertise ) ] [ cost {cost:0-16777215} ]",
        "Summarize routes matching address/mask (border routers only)",
        mode=_OF_ROUTES,
    ),
    *igp.redistribute_commands(
        _OF_ROUTES,
        f"< {lines.METRIC} | tag {{tag2:0-4294967295}} | route-map {{map:word}} | include-connected >",
        sources=_SOURCES,
    ),
    setting(
        "summary-prefix {prefix!:ipv6prefix} [ not-advertise ] [ tag {tag:0-4294967295} ]",
        "Configure IPv6 summary prefix",
        mode=_OF_ROUTES,
    ),
    *lines.route_lines(_OF_ROUTES, most_distance=254),
)
_INTERFACE = table(
    setting(
        "ipv6 ospf {process:1-65535} area {area:area} [ instance {instance:0-255} ]",
        "Set the OSPF area ID",
        name=CLASSIC_AREA,
        edit=edits.join,
        mode=INTERFACE,
    ),
    setting(
        "ospfv3 {process:1-65535} ipv6 area {area:area} [ instance {instance:0-255} ]",
        "Set the OSPF area ID",
        name=NEWER_AREA,
        edit=edits.join,
        mode=INTERFACE,
    ),
    setting(
        "ospfv3 {process:1-65535} area {area:area} ipv6 [ instance {instance:0-255} ]",
        edit=edits.join_as_once,
        mode=INTERFACE,
    ),
    setting(
        "ospfv3 {process:1-65535} ( ipv4 {rest:line} | area {area:area} ipv4 )", edit=edits.refuse_four, mode=INTERFACE
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

COMMANDS = table(
    setting(
        "ipv6 router ospf {process!:1-65535}",
        "Open Shortest Path First (OSPF)",
        opens=CLASSIC_MODE,
        edit=edits.open_classic,
    ),
    setting("router ospfv3 {process!:1-65535}", "OSPFv3", opens=PROCESS, edit=edits.open_newer),
    setting(
        "address-family ipv6 [ unicast ]", name="address-family", opens=FAMILY, edit=edits.open_family, mode=PROCESS
    ),
    setting("address-family ipv4 [ unicast ]", edit=edits.refuse_four, mode=PROCESS),
    *_SETTINGS,
    *_INTERFACE,
)
