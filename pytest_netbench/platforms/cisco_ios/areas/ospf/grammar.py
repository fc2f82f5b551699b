"""Commands of OSPF."""

from __future__ import annotations

from dataclasses import replace

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.ospf import lines
from pytest_netbench.platforms.cisco_ios.areas.ospf.edits import (
    check_nssa,
    check_range,
    check_stub,
    open_process,
    store_area,
    store_network,
    store_router_id,
    store_virtual_link,
)
from pytest_netbench.platforms.cisco_ios.grammar.command import Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODE = "router-ospf"
_MD5 = "message-digest-key {id!:1-255} md5 [ ( 0 | 7 ) ] {key:word}"

_PROCESS = table(
    *(
        replace(line, edit=store_router_id) if line.pattern.startswith("router-id") else line
        for line in lines.process_lines(MODE)
    ),
    setting(
        "network {network!:ipv4} {wildcard!:wildcard} ^ area {area:area}",
        "Enable routing on an IP network",
        name="network",
        edit=store_network,
        mode=MODE,
    ),
    setting("area {area!:area} authentication [ message-digest ]", "Enable authentication", mode=MODE),
    setting("area {area!:area} stub [ no-summary ]", "Specify a stub area", check=check_stub, mode=MODE),
    setting(
        (
            f"area {{area!:area}} nssa < no-redistribution | default-information-originate < {lines.METRIC} > |"
            " no-summary | translate type7 always >"
        ),
        "Specify a NSSA area",
        name="area nssa",
        check=check_nssa,
        mode=MODE,
    ),
    setting(
        "area {area!:area} default-cost {cost:0-16777215}",
        "Set the summary default-cost of a NSSA/stub area",
        mode=MODE,
    ),
    setting(
        (
            "area {area!:area} range {prefix!:ipv4} {mask!:mask} [ ( advertise | not-advertise ) ] [ cost"
            " {cost:0-16777215} ]"
        ),
        "Summarize routes matching address/mask (border routers only)",
        check=check_range,
        mode=MODE,
    ),
    setting(
        "area {area!:area} filter-list prefix {list:word} in",
        "Filter networks sent to this area",
        name="area filter-list in",
        mode=MODE,
    ),
    setting(
        "area {area!:area} filter-list prefix {list:word} out",
        "Filter networks sent from this area",
        name="area filter-list out",
        mode=MODE,
    ),
    setting(
        (
            "area {area!:area} virtual-link {router!:ipv4} < authentication [ ( message-digest | null ) ] |"
            " authentication-key [ ( 0 | 7 ) ] {secret:word} | message-digest-key {id:1-255} md5 [ ( 0 | 7 ) ]"
            " {key:word} | hello-interval {hello:1-65535} | dead-interval {dead:1-65535} | retransmit-interval"
            " {retransmit:1-65535} | transmit-delay {delay:1-65535} >"
        ),
        "Define a virtual link and its parameters",
        edit=store_virtual_link,
        mode=MODE,
    ),
    setting(
        "summary-address {prefix!:ipv4} {mask!:mask} [ not-advertise ] [ tag {tag:0-4294967295} ]",
        "Configure IP address summaries",
        check=check_range,
        mode=MODE,
    ),
    *lines.route_lines(MODE, most_distance=255),
    *igp.redistribute_commands(
        MODE, f"< {lines.METRIC} | subnets | tag {{tag2:0-4294967295}} | route-map {{map:word}} >"
    ),
    setting("max-metric router-lsa [ on-startup {seconds:5-86400} ]", "Set maximum metric for router-LSAs", mode=MODE),
    setting(
        "neighbor {address!:ipv4} < priority {priority:0-255} | poll-interval {seconds:1-65535} >",
        "Specify a neighbor router",
        mode=MODE,
    ),
    setting("compatible rfc1583", "OSPF compatibility list", on=True, mode=MODE),
    setting("shutdown", "Shutdown the router process", mode=MODE),
)

_INTERFACE = table(
    setting("ip ospf {process:1-65535} area {area:area}", "Set the OSPF area ID", edit=store_area, mode=INTERFACE),
    *lines.interface_lines(
        "ip ospf",
        dead_interval="^ ( {seconds:1-65535} | minimal hello-multiplier {multiplier:3-20} )",
        network="^ ( broadcast | non-broadcast | point-to-multipoint | point-to-point )",
    ),
    setting(
        "ip ospf authentication [ ( message-digest | null | key-chain {chain:name} ) ]",
        "Enable authentication",
        mode=INTERFACE,
    ),
    setting("ip ospf authentication-key [ ( 0 | 7 ) ] {key:word}", "Authentication password (key)", mode=INTERFACE),
    setting(
        f"ip ospf {_MD5}",
        "Message digest authentication password (key)",
        name="ip ospf message-digest-key",
        mode=INTERFACE,
    ),
)

COMMANDS = table(
    setting(
        "router ospf {process!:1-65535} [ vrf {vrf:word} ]",
        "Open Shortest Path First (OSPF)",
        opens=MODE,
        edit=open_process,
    ),
    *_PROCESS,
    *_INTERFACE,
)

MODES = (Mode(name=MODE, prompt="config-router", help="OSPF process"),)
