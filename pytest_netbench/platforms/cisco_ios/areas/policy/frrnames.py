"""Names in FRR of the lists that routing uses.

An access list that routing uses becomes a numbered list of FRR, which filters only routes. Only FRR's numbered lists
compare a route's address as IOS does, independent of the prefix length. The list is compiled when its name is first
requested.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from zlib import crc32

from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ace, Address
from pytest_netbench.platforms.cisco_ios.areas.acl.lists import AccessList, every, find
from pytest_netbench.platforms.cisco_ios.compile.context import Context

_STANDARD = (*range(1, 100), *range(1300, 2000))
_EXTENDED = (*range(100, 200), *range(2000, 2700))
_STEP = 5


def as_path(name: str) -> str:
    """Return the name of an AS path list, and add the list."""
    return f"as-{name}"


def community_list(name: str) -> str:
    """Return the name of a community list, and add the list. It is always a name: FRR's numbers have other ranges."""
    return f"cl-{name}"


def access_list(context: Context, name: str) -> str:
    """Return the number of an access list in FRR."""
    known: dict[str, str] = context.state.of_area("frr access lists")
    if name not in known:
        found = find(context.config, name)
        known[name] = _number(context, name, found, {*known.values()})
        _compile(context, known[name], found)
    return known[name]


def prefix_list(context: Context, name: str) -> str:
    """Return the name of a prefix list, which is unchanged. An undefined list permits everything."""
    if not context.config.has("ip prefix-list", list=name):
        context.state.frr.policy(f"ip prefix-list {name} seq 5 permit 0.0.0.0/0 le 32")
    return name


def _number(context: Context, name: str, found: AccessList | None, taken: set[str]) -> str:
    if name.isdigit():
        return name
    reserved = {one.name for one in every(context.config)} | taken
    numbers = _STANDARD[99:] if found is None or found.standard else _EXTENDED[100:]
    start = crc32(name.encode()) % len(numbers)
    return next(str(number) for number in (*numbers[start:], *numbers[:start]) if str(number) not in reserved)


def _compile(context: Context, number: str, found: AccessList | None) -> None:
    if found is None or not found.lines:
        everything = "ip any any" if int(number) in _EXTENDED else "any"
        context.state.frr.policy(f"access-list {number} seq 5 permit {everything}")
        return
    for at, line in enumerate(found.lines, start=1):
        words = _words(line.ace)
        if words:
            context.state.frr.policy(f"access-list {number} seq {at * _STEP} {words}")


def _words(ace: Ace) -> str:
    """Return a line in FRR's words; "" if it matches more than addresses, so that no route can match."""
    if ace.standard:
        return f"{ace.action} {_address(ace.source)}"
    if ace.protocol != "ip" or "group" in {ace.source.kind, ace.destination.kind}:
        return ""
    return f"{ace.action} ip {_address(ace.source)} {_address(ace.destination)}"


def _address(address: Address) -> str:
    if address.kind == "any":
        return "any"
    if address.wildcard == 0:
        return f"host {address.value}"
    return f"{address.value} {IPv4Address(address.wildcard)}"
