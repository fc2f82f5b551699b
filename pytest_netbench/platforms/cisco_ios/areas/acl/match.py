"""Access lists as nftables conditions and chains.

Filters, NAT, QoS, policy routing, zones and control-plane policing all use this translation. The first matching line
of an access list decides, so a list is compiled to a chain that permitted packets leave by one verdict and denied
packets by another. ``chain`` creates such a chain; jump to it from a base chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address
from itertools import product
from zlib import crc32

from pytest_netbench.platforms.cisco_ios.areas.acl import names
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ace, Address
from pytest_netbench.platforms.cisco_ios.areas.acl.groups import NETWORK, service_conditions
from pytest_netbench.platforms.cisco_ios.areas.acl.lists import AccessList, Line, find
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import group_set, icmp, port_conditions, slug
from pytest_netbench.platforms.cisco_ios.areas.acl.reflexive import answers, remembering
from pytest_netbench.platforms.cisco_ios.areas.acl.times import time_conditions
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import Chain

_ALL = 0xFFFFFFFF
_LOG_GROUP = 31
_FRAGMENT = "ip frag-off & 0x1fff != 0"


def chain(
    context: Context,
    name: str,
    *,
    permit: str,
    deny: str = "return",
    missing: str | None = None,
    family: int = 4,
    discovery: bool = False,
    log: bool = False,
) -> str:
    """Add a chain that packets leave by ``permit`` or ``deny``; return its name, for ``jump``.

    Args:
        context: Of the compilation.
        name: Of the access list.
        permit: Statements for permitted packets, ending in a verdict: ``goto x``, ``meta mark set 1 return``.
        deny: Statements for denied packets, including those that no line matches.
        missing: Statements where there is no such list, or one without lines; default: as ``deny``.
        family: 4 or 6. The chain sees packets of this family alone; others leave it by ``deny``.
        log: Log packets that lines with ``log`` match.
        discovery: Permit neighbor discovery before the list ends, as lists that filter IPv6 do.
    """
    key = crc32(f"{permit}|{deny}|{missing}|{discovery}|{log}".encode())
    made = Chain("inet", f"acl{family}_{slug(name)}_{key:08x}")
    if (made.family, made.name) in context.state.nft.chains:
        return made.name
    found = find(context.config, name, family=family)
    other = "ipv6" if family == 4 else "ipv4"
    add = context.state.nft.rule
    add(made, f"meta nfproto {other} {deny}")
    if found is None or not found.lines:
        add(made, missing or deny)
        return made.name
    for line in found.lines:
        count = context.state.nft.counter("inet", counter_name(found, line.ace))
        for words in conditions(context, line.ace):
            if log and line.ace.log:
                add(made, f"{words} {_logging(context, found, line)}".strip())
            for noted in remembering(context, line.ace) if line.ace.reflect else [""]:
                statements = [words, noted, count, permit if line.ace.permit else deny]
                add(made, " ".join(filter(None, statements)))
    if discovery:
        add(made, f"icmpv6 type {{ nd-neighbor-solicit, nd-neighbor-advert }} {permit}")
    add(made, deny)
    return made.name


def _logging(context: Context, found: AccessList, line: Line) -> str:
    kind = "s" if found.standard else "i" if line.ace.log == "log-input" else "l"
    action = "permitted" if line.ace.permit else "denied"
    number = line.number if found.family == 6 else 0  # log messages of IPv4 lists do not contain this
    return log_statement(context, f"{found.family}|{found.name}|{number}|{action}|{kind}")


def log_statement(context: Context, prefix: str) -> str:
    """Return statements that send a copy of a packet to the service ``acllog``, which interprets ``prefix``."""
    names = {one.kernel: one.name for one in context.interfaces}
    context.state.services["acllog"] = {"group": _LOG_GROUP, "names": names}
    clean = prefix.replace('"', "")
    return f'limit rate 1000/second log prefix "{clean}" group {_LOG_GROUP}'


def counter_name(found: AccessList, ace: Ace) -> str:
    """Return the name of a line's counter. It does not change when lines are renumbered."""
    return f"acl{found.family}_{slug(found.name)}_{crc32(replace(ace, log='', cookie='').text.encode()):08x}"


def conditions(context: Context, ace: Ace) -> list[str]:
    """Return alternative conditions (left sides of rules) that together match ``ace``; empty if nothing can match."""
    if ace.evaluate:
        return answers(context, ace.evaluate)
    groups = [address.value for address in (ace.source, ace.destination) if address.kind == "group"]
    if any(not context.config.has(NETWORK, group=name) for name in groups):
        return []
    whole = [*_addresses(ace), *_layer_four(context, ace), *_header(ace), _times(context, ace)]
    found = [" ".join(filter(None, words)) for words in product(*whole)]
    if ace.permit and ace.family == 4 and not ace.fragments and _looks_into_layer_four(ace):
        # later fragments have no ports; IOS permits them if the addresses match
        rest = [*_addresses(ace), _protocol(ace), *_header(ace), [_FRAGMENT], _times(context, ace)]
        found += [" ".join(filter(None, words)) for words in product(*rest)]
    return found


def _looks_into_layer_four(ace: Ace) -> bool:
    return bool(ace.source_ports or ace.ports or ace.icmp or ace.established or ace.flags)


def _addresses(ace: Ace) -> Iterator[list[str]]:
    for field, address in (("saddr", ace.source), ("daddr", ace.destination)):
        yield [_address(f"{'ip' if ace.family == 4 else 'ip6'} {field}", address)]


def _address(field: str, address: Address) -> str:
    if address.kind == "any":
        return ""
    if address.kind == "group":
        return f"{field} @{group_set(address.value)}"
    if address.kind == "prefix":
        return f"{field} {address.value.lower()}"
    mask = _ALL ^ address.wildcard
    length = mask.bit_count()
    if mask == (_ALL << (32 - length)) & _ALL:
        return f"{field} {address.value}/{length}" if length < 32 else f"{field} {address.value}"
    return f"{field} & {IPv4Address(mask)} == {address.value}"


def _protocol(ace: Ace) -> list[str]:
    if ace.protocol in {"ip", "ipv6", ""}:
        return [""]
    known = names.PROTOCOLS if ace.family == 4 else names.PROTOCOLS6
    return [f"meta l4proto {known.get(ace.protocol, ace.protocol)}"]


def _layer_four(context: Context, ace: Ace) -> Iterator[list[str]]:
    if ace.service:
        yield service_conditions(context, ace.service)
        return
    if not _looks_into_layer_four(ace):
        yield _protocol(ace)
        return
    if ace.icmp is not None:
        yield [icmp(ace.icmp, family=ace.family)]
    for field, ports in (("sport", ace.source_ports), ("dport", ace.ports)):
        if ports is not None:
            yield port_conditions(f"{ace.protocol} {field}", ports)
    if ace.established:
        yield ["tcp flags & (ack | rst) != 0"]
    if ace.flags:
        yield _flags(ace.flags)


def _flags(flags: tuple[str, ...]) -> list[str]:
    if flags[0] not in {"match-any", "match-all"}:
        return [f"tcp flags & ({' | '.join(flags)}) != 0"]
    mode, *signed = flags
    wanted = {flag[1:]: flag[0] == "+" for flag in signed}
    if mode == "match-any":
        return [f"tcp flags & {flag} {'!=' if is_set else '=='} 0" for flag, is_set in wanted.items()]
    values = " | ".join(flag for flag, is_set in wanted.items() if is_set) or "0"
    return [f"tcp flags & ({' | '.join(wanted)}) == ({values})"]


def _header(ace: Ace) -> Iterator[list[str]]:
    word = "ip" if ace.family == 4 else "ip6"
    if ace.dscp is not None:
        yield [f"{word} dscp {ace.dscp}"]
    if ace.precedence is not None:
        yield [f"{word} dscp {ace.precedence * 8}-{ace.precedence * 8 + 7}"]
    if ace.tos is not None:
        yield [f"@nh,11,4 {ace.tos}"]
    if ace.ttl is not None:
        operator, value = ace.ttl
        yield [f"ip ttl {({'eq': '==', 'neq': '!=', 'lt': '<', 'gt': '>'})[operator]} {value}"]
    if ace.fragments:
        yield [_FRAGMENT if ace.family == 4 else "frag frag-off != 0"]


def _times(context: Context, ace: Ace) -> list[str]:
    return [""] if not ace.during else time_conditions(context, ace.during)
