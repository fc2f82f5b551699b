"""What can be typed of OSPF for IPv6."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match, Mode

MODE = "router-ospfv3"
_OTHER = "% OSPFv3: process {} runs already, and this device runs one process"


def _open(edit: Edit, match: Match) -> str | None:
    if not match.negated and not match.reset:
        if not edit.booting and not edit.config.has("ipv6 unicast-routing"):
            return "% IPv6 routing not enabled"
        others = [e for e in edit.config.all("ipv6 router ospf") if e["process"] != match["process"]]
        if others:
            return _OTHER.format(others[0]["process"])
    return edit.keep(match)


def _interface_area(edit: Edit, match: Match) -> str | None:
    if not match.negated and not match.reset:
        if not edit.booting and not edit.config.has("ipv6 unicast-routing"):
            return "% IPv6 routing not enabled"
        known = edit.config.all("ipv6 router ospf")
        if known and known[0]["process"] != match["process"]:
            return _OTHER.format(known[0]["process"])
        if not known:
            edit.put(f"ipv6 router ospf {match['process']}", edit.config)
    return edit.keep(match)


def _check_special(edit: Edit, match: Match) -> str | None:
    if {*str(match["area"]).split(".")} == {"0"}:
        return "% OSPFv3: Backbone can not be configured as stub area"
    other = "area nssa" if match.name == "area stub" else "area stub"
    if any(entry["area"] == match["area"] for entry in edit.section.all(other)):
        return f"% OSPFv3: Area is configured as {other.split()[1]} already"
    return None


_SOURCES = ("connected", "static", "bgp {number!:asn}", "rip {name!:word}", "isis [ {tag:word} ]")
_OPTIONS = "< metric {metric:0-16777214} | metric-type {type:1-2} | tag {tag2:0-4294967295} | route-map {map:word} | include-connected >"

_PROCESS = (
    Command(pattern="router-id {id:ipv4}", mode=MODE, help="router-id address for this OSPF process"),
    *igp.passive_commands(MODE),
    Command(pattern="area {area!:area} stub [ no-summary ]", mode=MODE, check=_check_special, help="Specify a stub area"),
    Command(
        pattern="area {area!:area} nssa < no-summary | default-information-originate < metric {metric:0-16777214} | metric-type {type:1-2} > >",
        name="area nssa",
        mode=MODE,
        check=_check_special,
        help="Specify a NSSA area",
    ),
    Command(
        pattern="area {area!:area} range {prefix!:ipv6prefix} [ ( advertise | not-advertise ) ] [ cost {cost:0-16777215} ]",
        mode=MODE,
        help="Summarize routes matching address/mask (border routers only)",
    ),
    *(
        Command(pattern=f"redistribute {source} {_OPTIONS}", mode=MODE, name="redistribute", help="Redistribute IPv6 prefixes from another routing protocol")
        for source in _SOURCES
    ),
    Command(
        pattern="default-information originate < always | metric {metric:0-16777214} | metric-type {type:1-2} | route-map {map:word} >",
        mode=MODE,
        help="Control distribution of default route",
    ),
    Command(pattern="summary-prefix {prefix!:ipv6prefix} [ not-advertise ] [ tag {tag:0-4294967295} ]", mode=MODE, help="Configure IPv6 summary prefix"),
    Command(pattern="default-metric {metric:1-16777214}", mode=MODE, help="Set metric of redistributed routes"),
    Command(pattern="distance {distance:1-254}", mode=MODE, default=("distance 110",), help="Administrative distance"),
    Command(
        pattern="distance ospf < external {external:1-254} | inter-area {inter:1-254} | intra-area {intra:1-254} >",
        mode=MODE,
        help="OSPF distance",
    ),
    Command(
        pattern="auto-cost reference-bandwidth {mbps:1-4294967}",
        mode=MODE,
        default=("auto-cost reference-bandwidth 100",),
        help="Use reference bandwidth method to assign OSPF cost",
    ),
    Command(pattern="maximum-paths {paths:1-32}", mode=MODE, default=("maximum-paths 4",), help="Forward packets over multiple paths"),
    Command(pattern="timers throttle spf {start:1-600000} {hold:1-600000} {max:1-600000}", mode=MODE, help="OSPF SPF timers"),
    Command(pattern="log-adjacency-changes [ detail ]", mode=MODE, keeps_no=True, default=("log-adjacency-changes",), help="Log changes in adjacency state"),
)  # fmt: skip
_INTERFACE = (
    Command(
        pattern="ipv6 ospf {process:1-65535} area {area:area} [ instance {instance:0-255} ]",
        mode=INTERFACE,
        edit=_interface_area,
        help="Set the OSPF area ID",
    ),
    Command(pattern="ipv6 ospf cost {cost:1-65535}", mode=INTERFACE, help="Interface cost"),
    Command(pattern="ipv6 ospf priority {priority:0-255}", mode=INTERFACE, default=("ipv6 ospf priority 1",), help="Router priority"),
    Command(pattern="ipv6 ospf hello-interval {seconds:1-65535}", mode=INTERFACE, help="Time between HELLO packets"),
    Command(pattern="ipv6 ospf dead-interval {seconds:1-65535}", mode=INTERFACE, help="Interval after which a neighbor is declared dead"),
    Command(pattern="ipv6 ospf retransmit-interval {seconds:1-65535}", mode=INTERFACE, default=("ipv6 ospf retransmit-interval 5",)),
    Command(pattern="ipv6 ospf transmit-delay {seconds:1-3600}", mode=INTERFACE, default=("ipv6 ospf transmit-delay 1",)),
    Command(pattern="ipv6 ospf network ^ ( broadcast | point-to-point )", name="ipv6 ospf network", mode=INTERFACE, help="Network type"),
    Command(pattern="ipv6 ospf mtu-ignore", mode=INTERFACE, help="Ignores the MTU in DBD packets"),
)  # fmt: skip

COMMANDS = (
    Command(
        pattern="ipv6 router ospf {process!:1-65535}",
        opens=MODE,
        edit=_open,
        help="Open Shortest Path First (OSPF)",
    ),
    *_PROCESS,
    *_INTERFACE,
)
MODES = (Mode(name=MODE, prompt="config-rtr", help="OSPF process for IPv6"),)
