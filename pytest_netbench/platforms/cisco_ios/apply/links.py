"""Apply kernel interfaces, addresses, sysctls, policy rules and routes of a state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import identifiers, sessions, vrf
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState, Link

HIDDEN = "_"
"""The suffix of the other end of a loopback's veth pair."""

_GOING = 900
"""The kernel's group for links that are about to be deleted."""
_MACS, _SYSCTLS = "cisco_ios burned-in addresses", "cisco_ios former sysctls"
_LEAST_MTU_SIX = 1280  # RFC 8200, 5
_SHARED = "net/netfilter/"
"""The beginning of sysctls that no interface has, and that not every config sets."""


def apply(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Apply the difference: first VRFs, links and sysctls, then addresses, rules and routes."""
    problems = _in_vrfs(node, _gone(old.links, new.links))
    problems += _batch(node, list(_made(old.links, new.links)))
    problems += [*vrf.make(node, old, new), *vrf.move(node, old, new)]
    problems += _sysctls(node, old.sysctls, {**_former(node, old.sysctls, new.sysctls), **new.sysctls})
    moved = any(link.vrf != _vrf_before(old.links, name, link) for name, link in new.links.items())
    for name in new.vrfs:
        problems += _sysctls(vrf.inside(node, name), {} if moved or name not in old.vrfs else old.sysctls, new.sysctls)
    if moved and any(not link.vrf for link in new.links.values()):
        problems += _sysctls(node, {}, new.sysctls)
    own = _own_macs(node, new.links)
    before, after = identifiers.complete(node, old.links, new.links, own)
    problems += _in_vrfs(node, _changed(before, after, own))
    problems += _forgotten(node, old, new)
    sessions.note(node, before, after)
    problems += _batch(node, [*_entries("rule", old.rules, new.rules), *_entries("route", old.routes, new.routes)])
    problems += _in_vrfs(node, _ruled(old.vrf_rules, new.vrf_rules))
    problems += vrf.drop(node, old, new)
    if old.hostname != new.hostname and new.hostname:
        node.run(["hostname", new.hostname])
    return problems


def _vrf_before(old: Mapping[str, Link], name: str, link: Link) -> str:
    before = old.get(name)
    return before.vrf if before is not None and before.kind == link.kind else ""


def _in_vrfs(node: HostedNode, lines: Iterable[tuple[str, str]]) -> list[str]:
    """Run lines of ``ip``, each in its VRF."""
    found: dict[str, list[str]] = {}
    for name, line in lines:
        found.setdefault(name, []).append(line)
    return [problem for name, group in found.items() for problem in _batch(vrf.inside(node, name), group)]


def _gone(old: Mapping[str, Link], new: Mapping[str, Link]) -> Iterator[tuple[str, str]]:
    homes: dict[str, None] = {}
    for name, link in old.items():
        if link.kind in {"loopback", "macvlan", "uncabled"} and (name not in new or new[name].kind != link.kind):
            homes[link.vrf] = None
            yield link.vrf, f"link set dev {name} group {_GOING}"
    # delete all at once: on every deletion the kernel waits until the interfaces are unused
    yield from ((home, f"link del group {_GOING}") for home in homes)


def _made(old: Mapping[str, Link], new: Mapping[str, Link]) -> Iterator[str]:
    for name, link in new.items():
        if name in old and old[name].kind == link.kind:
            continue
        if link.kind == "loopback":
            yield f"link add name {name} type veth peer name {name}{HIDDEN}"
            yield f"link set dev {name}{HIDDEN} up"
        elif link.kind == "uncabled":
            yield f"link add name {name} type veth peer name {name}{HIDDEN}"
        elif link.kind == "macvlan":
            yield f"link add name {name} link {link.lower} type macvlan mode bridge"


def _own_macs(node: HostedNode, new: Mapping[str, Link]) -> Mapping[str, str]:
    """Return the burned-in addresses of interfaces that have, or had, a configured one."""
    known: dict[str, str] = node.memory.setdefault(_MACS, {})
    for name in sorted(name for name, link in new.items() if link.mac and name not in known):
        place = vrf.inside(node, new[name].vrf)
        known[name] = json.loads(place.run(["ip", "-j", "link", "show", "dev", name]).stdout)[0]["address"]
    return known


def _changed(old: Mapping[str, Link], new: Mapping[str, Link], own: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, link in old.items():
        if name not in new and link.kind == "physical":
            # an interface that left a VRF lost its addresses
            left = replace(link, addresses=()) if link.vrf else link
            yield from (("", line) for line in _altered(name, left, Link(up=link.up), own))
            if _possible(left):
                yield "", f"-6 addr flush dev {name}"  # no setting disables IPv6 of an interface without a config
    for name, link in new.items():
        before = old.get(name)
        if before is None and link.kind == "physical":
            yield link.vrf, f"addr flush dev {name} scope link"  # what the kernel chose before it had a config
        if before is None or before.kind != link.kind:
            before = Link(kind=link.kind, up=not link.up)
        elif before.vrf != link.vrf:
            # moving an interface removes its addresses and sets it down
            before = replace(before, up=not link.up, addresses=())
        yield from ((link.vrf, line) for line in _altered(name, before, link, own))


def _altered(name: str, before: Link, link: Link, own: Mapping[str, str]) -> Iterator[str]:
    mac = link.mac or own.get(name)
    if link.mac != before.mac and mac:
        yield f"link set dev {name} address {mac}"
    if link.mtu != before.mtu:
        yield f"link set dev {name} mtu {link.mtu or 1500}"
    # addresses first: an interface has them when it comes up, and keeps them when it goes down
    had, has = _possible(before, link), _possible(link)
    lost = tuple(address for address in has if before.up and not link.up and identifiers.is_link_local(address))
    yield from _addresses(name, had, tuple(address for address in has if address not in lost))
    if link.up != before.up:
        yield f"link set dev {name} {'up' if link.up else 'down'}"
    # the kernel removes link-local addresses of an interface that goes down
    yield from _addresses(name, (), lost)
    if not link.up:
        yield from _unanswered(name, () if before.up else before.addresses, link.addresses)


def _unanswered(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Let the kernel not answer for the IPv4 addresses of an interface that is down; it would, on all others."""
    added = (line.split() for line in _addresses(name, old, new))
    addresses = {words[2].split("/")[0] for words in added if words[1] == "add" and ":" not in words[2]}
    yield from (f"route del local {address} dev {name} table local" for address in sorted(addresses))


def _lacks_six(link: Link) -> bool:
    return link.mtu is not None and link.mtu < _LEAST_MTU_SIX


def _possible(*states: Link) -> tuple[str, ...]:
    """Return the addresses that the kernel lets an interface have in all states.

    It removes those of IPv6 if the MTU is too small, or if IPv6 is disabled, as it is without an address.
    """
    small = any(map(_lacks_six, states))
    six = not small and all(any(":" in address for address in state.addresses) for state in states)
    return tuple(address for address in states[0].addresses if six or ":" not in address)


def _addresses(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    primary = next((address for address in new if ":" not in address), None)
    former = next((address for address in old if ":" not in address), None)
    gone = [address for address in old if address not in new or (primary != former and ":" not in address)]
    # secondaries first: the kernel deletes them with their primary
    yield from (f"addr del {address} dev {name}" for address in reversed(gone))
    for address in new:
        if address not in old or address in gone:
            yield f"addr add {address} dev {name}" + (
                "" if ":" in address or "peer" in address or address.endswith(("/31", "/32")) else " brd +"
            )


def _sysctls(node: vrf.Network, old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    wanted = [f"{name}={value}" for name, value in new.items() if old.get(name) != value]
    if not wanted:
        return []
    done = node.run(["sysctl", "-q", "-e", "-w", *wanted])
    return [f"{node.name}: sysctl: {done.stderr.strip()}"] if done.returncode or done.stderr.strip() else []


def _former(node: HostedNode, old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    """Return the kernel's own values of the shared sysctls that are no longer wanted."""
    known: dict[str, str] = node.memory.setdefault(_SYSCTLS, {})
    if first := [name for name in new if name.startswith(_SHARED) and name not in known]:
        for line in node.run(["sysctl", "-e", *first]).stdout.splitlines():
            name, _, value = line.partition(" = ")
            known[name.replace(".", "/")] = value
    return {name: known[name] for name in old if name not in new and name in known}


def _forgotten(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Set again what the kernel forgot of IPv6 when the MTU of an interface was too small for it."""
    problems = []
    for name, link in new.links.items():
        if name in old.links and _lacks_six(old.links[name]) and not _lacks_six(link):
            settings = {path: value for path, value in new.sysctls.items() if path.startswith(f"net/ipv6/conf/{name}/")}
            problems += _sysctls(vrf.inside(node, link.vrf), {}, settings)
    return problems


def _ruled(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    for name in {**old, **new}:
        yield from ((name, line) for line in _entries("rule", old.get(name, ()), new.get(name, ())))


def _entries(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    had, has = frozenset(old), frozenset(new)
    yield from (_in_family(what, "del", words) for words in old if words not in has)
    yield from (_in_family(what, "add", words) for words in new if words not in had)


def _in_family(what: str, action: str, words: str) -> str:
    six = words.startswith("-6 ")
    return f"{'-6 ' if six else ''}{what} {action} {words.removeprefix('-6 ')}"


def _batch(node: vrf.Network, lines: Sequence[str]) -> list[str]:
    """Run lines of ``ip``, IPv6 ones in a batch of their own: the family is an option of the whole batch."""
    problems = []
    for family, group in (
        ("-4", [x for x in lines if not x.startswith("-6 ")]),
        ("-6", [x[3:] for x in lines if x.startswith("-6 ")]),
    ):
        if group:
            flags = ["-6"] if family == "-6" else []
            done = node.run(["ip", *flags, "-force", "-batch", "-"], input="\n".join([*group, ""]))
            if done.returncode != 0:
                problems.append(f"{node.name}: ip did not take all of {group}: {done.stderr.strip()}")
    return problems
