"""Unicast reverse path forwarding: drop packets whose source is not routed through their incoming interface."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.areas.acl.types import TYPES as ACL_TYPES
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import ACL_IN, Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Area
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_OPTIONS = "< allow-default | allow-self-ping > [ {list:list} ]"

COMMANDS = table(
    setting(
        f"ip verify unicast source reachable-via ( rx | any ) {_OPTIONS}",
        "Enable per packet validation for unicast",
        name="ip verify unicast",
    ),
    setting(
        "ip verify unicast reverse-path [ {list:list} ]",
        "Reverse path validation of source address (old command format)",
        name="ip verify unicast",
    ),
    setting(
        "ipv6 verify unicast source reachable-via ( rx | any ) [ allow-default ] [ {list:name} ]",
        "Validation of packet",
        name="ipv6 verify unicast",
    ),
    mode="if",
)

TYPES = {"list": ACL_TYPES["list"]}

_MARK = "0x7f5e0001"

_NO_DEFAULT = (
    f"priority 90 fwmark {_MARK} lookup main suppress_prefixlength 0",
    f"priority 91 fwmark {_MARK} unreachable",
)
"""Routing rules for a lookup without the default route: a packet has their mark only during the lookup."""


def compile_urpf(context: Context) -> None:
    """Add the area's part of the desired state."""
    for one in context.interfaces:
        for family, word in ((4, "ip"), (6, "ipv6")):
            entry = one.section.get(f"{word} verify unicast")
            if entry is not None:
                _check_sources(context, one, entry, family)


def counter(one: Interface, family: int) -> str:
    """Return the name of the counter of dropped packets on an interface."""
    return f"urpf{family}_{slug(one.kernel)}"


def _check_sources(context: Context, one: Interface, entry: Entry, family: int) -> None:
    nft = context.state.nft
    here = Chain("inet", f"verify{family}_{slug(one.kernel)}")
    strict = "" if entry.has("any") else " . iif"
    exempt = entry.get("list")
    if exempt is None:
        refuse = f"{nft.counter('inet', counter(one, family))} drop"
    else:
        # an access list may permit packets without a valid reverse route
        spared = acl.chain(context, str(exempt), permit="meta mark set 0 accept", deny="drop", family=family)
        refuse = f"goto {spared}"
    if entry.has("allow-default"):
        nft.rule(here, f"fib saddr{strict} oif missing {refuse}")
    else:
        prefix = "-6 " if family == 6 else ""
        context.state.rules += [
            words for rule in _NO_DEFAULT if (words := f"{prefix}{rule}") not in context.state.rules
        ]
        nft.rule(here, f"meta mark set {_MARK}")
        nft.rule(here, f"fib saddr . mark{strict} oif missing {refuse}")
        nft.rule(here, "meta mark set 0")
    protocol = "ipv4" if family == 4 else "ipv6"
    nft.rule(ACL_IN, f'iifname "{one.kernel}" meta nfproto {protocol} jump {here.name}')


AREA = Area(
    name="urpf",
    types=TYPES,
    commands=COMMANDS,
    compile=compile_urpf,
    help={
        "rx": "Source is reachable via interface on which packet was received",
        "any": "Source is reachable via any interface",
        "allow-default": "Allow default route to match when checking source address",
    },
    scope=(("ip verify unicast source reachable-via rx, any, allow-default, with an access list", "yes"),),
)
