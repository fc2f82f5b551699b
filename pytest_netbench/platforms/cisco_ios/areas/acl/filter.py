"""``ip access-group`` and ``ipv6 traffic-filter``: access lists that filter packets on interfaces.

Inbound lists are applied before translation, to packets for the router and in transit. Outbound lists are applied
after translation, to packets in transit. A denied packet is answered with "administratively prohibited" unless its
interface has ``no ip unreachables``. If the outgoing interface translates, the addresses are final only at a hook
where the kernel cannot reject any more, so denied packets are dropped silently.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.areas.acl.match import chain
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import ACL_FORWARD, ACL_IN, ACL_OUT, Chain, merged
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_REFUSED = Chain("inet", "acl_refused")
_PACES = {4: "limit rate 2/second burst 2 packets", 6: "limit rate 10/second burst 10 packets"}
"""How often a router answers, as IOS does by default: ``ip icmp rate-limit unreachable 500``, and
``ipv6 icmp error-interval 100 10``."""


def compile_filters(context: Context) -> None:
    """Add rules for every interface that has a list."""
    applied = [
        (one, direction, family, name)
        for one in context.interfaces
        if not _is_switchport(context, one)
        for direction, family, name in lists_on(one)
    ]
    if applied:
        _refusals(context)
    for one, direction, family, name in applied:
        _apply(context, one, direction=direction, family=family, name=name)


def _is_switchport(context: Context, one: Interface) -> bool:
    """Whether the interface is a switchport. Lists on switchports have no effect and are reported as unsupported."""
    frames = context.facts.role == "switch" and not one.parsed.is_virtual and not one.section.says_no("switchport")
    for entry in one.section.all("ip access-group in", "ip access-group out") if frames else ():
        context.unsupported(entry, f"{one.name} is a switch port: lists only filter on VLAN interfaces")
    return frames


def lists_on(one: Interface) -> Iterator[tuple[str, int, str]]:
    """Return (``in`` or ``out``, family, list) for each list of an interface."""
    for family, words in ((4, "ip access-group"), (6, "ipv6 traffic-filter")):
        for direction in ("in", "out"):
            entry = one.section.get(f"{words} {direction}")
            if entry is not None:
                yield direction, family, entry["list"]


def _apply(context: Context, one: Interface, *, direction: str, family: int, name: str) -> None:
    late = direction == "out" and one.section.has("ip nat outside")
    hook = ACL_IN if direction == "in" else ACL_OUT if late else ACL_FORWARD
    deny = "drop" if late else f"goto {_REFUSED.name}"
    target = chain(
        context, name, family=family, permit="return", deny=deny, missing="return", discovery=family == 6, log=True
    )
    protocol = "ipv4" if family == 4 else "ipv6"
    side = "iifname" if direction == "in" else "oifname"
    # the router's own packets have no incoming interface
    foreign = "iif != 0 " if late else ""
    context.state.nft.rule(hook, f'{foreign}{side} "{one.kernel}" meta nfproto {protocol} jump {target}')


def _refusals(context: Context) -> None:
    add = context.state.nft.rule
    # RFC 1122 3.2.2, RFC 4443 2.4: no error answers a packet to a group; it must not use up the pace either
    add(_REFUSED, "fib daddr type { broadcast, multicast } drop")
    for family, words, answer in ((4, "ip unreachables", "icmp"), (6, "ipv6 unreachables", "icmpv6")):
        silent = [one.kernel for one in context.interfaces if one.section.says_no(words)]
        protocol = "ipv4" if family == 4 else "ipv6"
        if silent:
            add(_REFUSED, f"meta nfproto {protocol} iifname {merged(silent)} drop")
        add(_REFUSED, f"meta nfproto {protocol} {_PACES[family]} reject with {answer} type admin-prohibited")
    add(_REFUSED, "drop")


COMMANDS = table(
    *(
        setting(
            f"ip access-group {{list:list}} {direction}",
            "Specify access control for packets",
            name=f"ip access-group {direction}",
        )
        for direction in ("in", "out")
    ),
    *(
        setting(
            f"ipv6 traffic-filter {{list:name}} {direction}",
            "Access control list for packets",
            name=f"ipv6 traffic-filter {direction}",
        )
        for direction in ("in", "out")
    ),
    setting("ipv6 unreachables", "Enable sending of ICMP Unreachable messages", on=True),
    mode="if",
)
