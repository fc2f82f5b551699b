"""Access lists: standard, extended and IPv6; object groups and time ranges; packet filters on interfaces.

Other areas use ``acl.match.chain`` to classify packets by an access list, and ``acl.lists.find`` to read one.
"""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl import filter as filters
from pytest_netbench.platforms.cisco_ios.areas.acl import grammar, groups, lines, lists, reflexive, shows, times
from pytest_netbench.platforms.cisco_ios.areas.acl.types import TYPES
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table


def _compile(context: Context) -> None:
    groups.compile_groups(context)
    filters.compile_filters(context)
    lines.compile_lines(context)


_REMARK = "remark {text!:line}"
_LISTS = table(
    setting(
        "access-list {list!:standard-number}",
        "Add an access list entry",
        opens="acl-standard",
        edit=lists.numbered,
        render=lists.render_numbered,
    ),
    setting(
        "access-list {list!:extended-number}",
        "Add an access list entry",
        opens="acl-extended",
        edit=lists.numbered,
        render=lists.render_numbered,
    ),
    setting(
        f"access-list {{list:standard-number}} ^ {grammar.STANDARD}", name="numbered standard", edit=lists.numbered
    ),
    *(
        setting(f"access-list {{list:extended-number}} ^ {body}", name="numbered extended", edit=lists.numbered)
        for body in grammar.EXTENDED
    ),
    *(
        setting(f"access-list {{list:{kind}-number}} ^ {_REMARK}", name="numbered remark", edit=lists.numbered)
        for kind in ("standard", "extended")
    ),
    setting(
        "ip access-list standard {list!:standard-name}",
        "Standard Access List",
        opens="acl-standard",
        edit=lists.open_named,
        render=lists.render_named,
    ),
    setting(
        "ip access-list extended {list!:extended-name}",
        "Extended Access List",
        opens="acl-extended",
        edit=lists.open_named,
        render=lists.render_named,
    ),
    setting(
        "ip access-list resequence {list:list} [ {start:1-2147483647} {step:1-2147483647} ]",
        "Resequence Access List",
        edit=lists.resequence,
    ),
    setting(
        "ip access-list logging interval {ms:0-2147483647}",
        marked="the first packet of a flow is logged at once, then a summary every five minutes",
    ),
    setting(
        "ip access-list log-update threshold {count:0-2147483647}",
        marked="the first packet of a flow is logged at once, then a summary every five minutes",
    ),
    setting("ipv6 access-list {list!:name}", "Configure access lists", opens="acl-ipv6", render=lists.render_named),
)
_LINES = table(
    setting(grammar.in_section(grammar.STANDARD), name="ace standard", edit=lists.line, mode="acl-standard"),
    *(
        setting(grammar.in_section(body), name="ace extended", edit=lists.line, mode="acl-extended")
        for body in grammar.EXTENDED
    ),
    setting(
        grammar.in_section(grammar.EVALUATE),
        "Evaluate an access list",
        name="ace evaluate",
        edit=lists.line,
        mode="acl-extended",
    ),
    *(setting(grammar.in_section6(body), name="ace ipv6", edit=lists.line, mode="acl-ipv6") for body in grammar.SIX),
    setting(grammar.in_section(_REMARK), name="remark", edit=lists.remark, mode=("acl-standard", "acl-extended")),
    setting(grammar.in_section6(_REMARK), name="remark", edit=lists.remark, mode="acl-ipv6"),
)

AREA = Area(
    name="acl",
    modes=(
        Mode(name="acl-standard", prompt="config-std-nacl", help="standard access list"),
        Mode(name="acl-extended", prompt="config-ext-nacl", help="extended access list"),
        Mode(name="acl-ipv6", prompt="config-ipv6-acl", help="IPv6 access list"),
        *groups.MODES,
        *times.MODES,
    ),
    types={**TYPES, **times.TYPES},
    commands=(
        *_LISTS,
        *_LINES,
        *groups.COMMANDS,
        *times.COMMANDS,
        *filters.COMMANDS,
        *lines.COMMANDS,
        *reflexive.COMMANDS,
        *shows.COMMANDS,
    ),
    compile=_compile,
    help={
        "permit": "Specify packets to forward",
        "deny": "Specify packets to reject",
        "remark": "Access list entry comment",
        "any": "Any host",
        "host": "A single host",
        "eq": "Match only packets on a given port number",
        "gt": "Match only packets with a greater port number",
        "lt": "Match only packets with a lower port number",
        "neq": "Match only packets not on a given port number",
        "range": "Match only packets in the range of port numbers",
        "established": "Match established connections",
        "log": "Log matches against this entry",
        "log-input": "Log matches against this entry, including input interface",
        "fragments": "Check non-initial fragments",
        "dscp": "Match packets with given dscp value",
        "precedence": "Match packets with given precedence value",
        "tos": "Match packets with given TOS value",
        "time-range": "Specify a time-range",
        "ip": "Any Internet Protocol",
        "tcp": "Transmission Control Protocol",
        "udp": "User Datagram Protocol",
        "icmp": "Internet Control Message Protocol",
        "in": "inbound packets",
        "out": "outbound packets",
        "standard": "Standard Access List",
        "extended": "Extended Access List",
    },
    scope=(
        (
            "standard, extended, IPv6 access lists; numbers, names, sequence numbers, remarks, resequence, counters",
            "yes",
        ),
        (
            "ports, flags, ICMP types, dscp, precedence, tos, ttl, fragments, established, time ranges, object groups",
            "yes",
        ),
        ("reflexive lists", "yes, of IPv4"),
        ("dynamic lists, IP options", "no"),
        ("access-class and transport input of the virtual terminal lines, for SSH and telnet to the router", "yes"),
        ("log, log-input", "yes: the first packet of a flow at once, then a sum every five minutes"),
        (
            "ip access-group, ipv6 traffic-filter; refusals answered as administratively prohibited",
            "yes; no answer for an outbound list on an ip nat outside interface",
        ),
    ),
)
