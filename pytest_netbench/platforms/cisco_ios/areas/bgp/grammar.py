"""The lines below ``router bgp``: the process, its neighbors, its address families."""

from __future__ import annotations

from dataclasses import replace

from pytest_netbench.platforms.cisco_ios.areas.bgp import edits, family_edits
from pytest_netbench.platforms.cisco_ios.areas.bgp.family_edits import FOUR, PROCESS, SIX, VRF
from pytest_netbench.platforms.cisco_ios.areas.bgp.prefixes import check_network, store_aggregate, store_network
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODES = (
    Mode(
        name=PROCESS,
        prompt="config-router",
        seeds=lambda _entry, _role: ("bgp log-neighbor-changes",),
        help="router bgp",
    ),
    Mode(name=FOUR, prompt="config-router-af", help="router bgp, address-family ipv4"),
    Mode(name=SIX, prompt="config-router-af", help="router bgp, address-family ipv6"),
    Mode(name=VRF, prompt="config-router-af", help="router bgp, address-family ipv4 vrf"),
)

_IMMEDIATE = "next hops are checked immediately"

_SESSION = (
    "remote-as {as:asn}",
    "local-as {as:asn} [ no-prepend [ replace-as [ dual-as ] ] ]",
    "password [ {kind:passwordkind} ] {secret:name}",
    "shutdown",
    "description {text:line}",
    "ebgp-multihop [ {hops:1-255} ]",
    "ttl-security hops {hops:1-254}",
    "disable-connected-check",
    "update-source {source:interface}",
    "timers {keepalive:0-65535} {hold:0-65535} [ {least:0-65535} ]",
    "dont-capability-negotiate",
    "transport connection-mode (active|passive)",
    "advertisement-interval {seconds:0-600}",
)

_FAMILY = (
    "route-reflector-client",
    "next-hop-self [ all ]",
    "next-hop-unchanged",
    "send-community [ ( both | standard | extended ) ]",
    "soft-reconfiguration inbound",
    "allowas-in [ {times:1-10} ]",
    "default-originate [ route-map {map:name} ]",
    "maximum-prefix {limit:1-2147483647} [ {threshold:1-100} ] [ ( warning-only | restart {minutes:1-65535} ) ]",
    "weight {weight:0-65535}",
    "remove-private-as [ all [ replace-as ] ]",
    "as-override",
    "unsuppress-map {map:name}",
    "route-map {map:name} {way!:way}",
    "prefix-list {list:name} {way!:way}",
    "filter-list {list:name} {way!:way}",
    "distribute-list {list:name} {way!:way}",
)

_MARKED = {
    "version 4": "",
    "fall-over": "a session ends when its interface goes down or its hold time expires",
    "fall-over bfd": "there is no BFD",
    "log-neighbor-changes": "",
}


def _neighbor(tail: str, *, modes: tuple[str, ...]) -> Command:
    words = tail.split()
    name = "neighbor " + (words[0] if words[0] != "fall-over" else tail)
    check = edits.check_remote_as if words[0] == "remote-as" else edits.check_peer
    edit = edits.remote_as if words[0] == "remote-as" else family_edits.in_family if modes[1:] == _FAMILIES else None
    # "no neighbor A" is "no neighbor A remote-as"
    stop = "^ " if words[0] == "remote-as" else ""
    return setting(f"neighbor {{peer!:peer}} {stop}{tail}", name=name, check=check, edit=edit, mode=modes)


_FAMILIES = (FOUR, SIX, VRF)

_NEIGHBOR = table(
    setting("neighbor {peer!:groupname} peer-group", edit=edits.group, mode=(PROCESS, VRF)),
    setting(
        "neighbor {peer!:groupname} peer-group", name="neighbor family-group", edit=edits.family_group, mode=(FOUR, SIX)
    ),
    setting(
        "neighbor {peer!:address} peer-group {group:groupname}",
        name="neighbor member",
        check=edits.check_member,
        edit=edits.member,
        mode=(PROCESS, VRF),
    ),
    setting(
        "neighbor {peer!:address} peer-group {group:groupname}",
        name="neighbor family-member",
        check=edits.check_member,
        edit=edits.family_member,
        mode=(FOUR, SIX),
    ),
    *(_neighbor(tail, modes=(PROCESS, VRF)) for tail in _SESSION),
    *(_neighbor(tail, modes=(PROCESS, *_FAMILIES)) for tail in _FAMILY),
    setting(
        "neighbor {peer!:peer} activate",
        keeps_no=True,
        check=edits.check_peer,
        edit=edits.activate,
        mode=(PROCESS, *_FAMILIES),
    ),
    *(replace(_neighbor(tail, modes=(PROCESS, VRF)), marked=why or None) for tail, why in _MARKED.items()),
)

_ROUTES = table(
    setting(
        "network {prefix!:ipv4} [ mask {mask!:mask} ] < route-map {map:name} | backdoor >",
        "Specify a network to announce via BGP",
        check=check_network,
        edit=store_network,
        mode=(PROCESS, FOUR, VRF),
    ),
    setting("network {prefix!:ipv6prefix} [ route-map {map:name} ]", "Specify a network to announce via BGP", mode=SIX),
    setting(
        (
            "aggregate-address {prefix!:ipv4} {mask!:mask} < as-set | summary-only | suppress-map {suppress:name} |"
            " attribute-map {map:name} | route-map {map:name} >"
        ),
        "Configure BGP aggregate entries",
        edit=store_aggregate,
        mode=(PROCESS, FOUR, VRF),
    ),
    setting(
        (
            "aggregate-address {prefix!:ipv6prefix} < as-set | summary-only | suppress-map {suppress:name} | route-map"
            " {map:name} >"
        ),
        mode=SIX,
    ),
    *(
        replace(command, edit=family_edits.routes_in_family(command), mode=(PROCESS, FOUR, VRF))
        for command in igp.redistribute_commands(
            PROCESS, "< metric {metric:0-4294967295} | route-map {map:name} >", but=("bgp",)
        )
    ),
    *(
        replace(command, mode=SIX)
        for command in igp.redistribute_commands(
            SIX,
            "< metric {metric:0-4294967295} | route-map {map:name} | include-connected >",
            but=("bgp", "eigrp"),
        )
    ),
)

_SETTINGS = (
    "maximum-paths {paths:1-32}",
    "maximum-paths ibgp {paths:1-32}",
    "distance bgp {external:1-255} {internal:1-255} {local:1-255}",
    "default-information originate",
    "default-metric {metric:1-4294967295}",
    "bgp dampening [ {half:1-45} [ {reuse:1-20000} {suppress:1-20000} {most:1-255} ] ]",
    "bgp dampening route-map {map:name}",
    "distribute-list {list:name} {way!:way}",
    "distribute-list prefix {list:name} {way!:way}",
    "table-map {map:name}",
)

_SETTING_NAMES = {
    "maximum-paths ibgp {paths:1-32}": "maximum-paths ibgp",
    "distribute-list prefix {list:name} {way!:way}": "distribute-list prefix",
}

_FAMILY_SETTINGS = tuple(
    setting(tail, name=_SETTING_NAMES.get(tail, ""), edit=family_edits.in_family, mode=(PROCESS, *_FAMILIES))
    for tail in _SETTINGS
)

_SWITCHES = table(
    setting(
        "auto-summary",
        "Enable automatic network number summarization",
        edit=family_edits.in_family,
        mode=(PROCESS, FOUR, VRF),
    ),
    setting(
        "synchronization",
        "Perform IGP synchronization",
        edit=family_edits.in_family,
        marked="paths of IBGP are used and passed on whether or not an IGP knows their prefix",
        mode=(PROCESS, *_FAMILIES),
    ),
)

_PROCESS_SETTINGS = table(
    setting("bgp log-neighbor-changes", "Log neighbor up/down and reset reason", keeps_no=True),
    setting("bgp default ipv4-unicast", on=True),
    "bgp default local-preference {preference:0-4294967295}",
    "bgp cluster-id {id:clusterid}",
    "bgp always-compare-med",
    "bgp deterministic-med",
    "bgp bestpath as-path ignore",
    "bgp bestpath as-path multipath-relax",
    "bgp bestpath compare-routerid",
    "bgp bestpath med < confed | missing-as-worst >+",
    "bgp confederation identifier {as:asn}",
    "bgp confederation peers {as:asn}+",
    setting("bgp fast-external-fallover", on=True),
    setting("bgp enforce-first-as", on=True),
    "bgp graceful-restart",
    setting("bgp client-to-client reflection", on=True),
    setting("bgp asnotation dot", marked="AS numbers are shown as plain numbers"),
    setting("bgp update-delay {seconds:1-3600}", marked="updates are not delayed"),
    setting("bgp scan-time {seconds:5-60}", marked=_IMMEDIATE),
    setting("bgp nexthop trigger delay {seconds:0-100}", marked=_IMMEDIATE),
    setting(
        "timers bgp {keepalive:0-65535} {hold:0-65535} [ {least:0-65535} ]",
        "Adjust routing timers",
        default="timers bgp 60 180",
    ),
    mode=PROCESS,
)

_FAMILY_SECTIONS = table(
    setting("address-family ipv4", opens=FOUR, edit=family_edits.open_family),
    setting("address-family ipv4 unicast", opens=FOUR, edit=family_edits.open_family),
    setting("address-family ipv6", opens=SIX, edit=family_edits.open_family),
    setting("address-family ipv6 unicast", opens=SIX, edit=family_edits.open_family),
    setting("address-family ipv4 [ unicast ] vrf {vrf!:name}", opens=VRF, edit=family_edits.open_vrf),
    name="address-family",
    mode=PROCESS,
)

COMMANDS = table(
    setting("router bgp {as!:asn}", "Border Gateway Protocol (BGP)", opens=PROCESS, check=edits.check_process),
    *_FAMILY_SECTIONS,
    *_ROUTES,
    *_NEIGHBOR,
    *_FAMILY_SETTINGS,
    *_SWITCHES,
    setting("bgp router-id {id:ipv4}", "Override configured router identifier", mode=(PROCESS, VRF)),
    *_PROCESS_SETTINGS,
)
