"""Compile the lines of the area ``urpf``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import ACL_IN, Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Entry

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
