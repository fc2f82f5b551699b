"""Apply kernel interfaces, addresses, sysctls, policy rules and routes of a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import vrf
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState, Link

HIDDEN = "_"
"""The suffix of the other end of a loopback's veth pair."""

_GOING = 900
"""The kernel's group for links that are about to be deleted."""


def apply(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Apply the difference: first VRFs, links and sysctls, then addresses, rules and routes."""
    problems = _in_vrfs(node, _gone(old.links, new.links))
    problems += _batch(node, list(_made(old.links, new.links)))
    problems += [*vrf.make(node, old, new), *vrf.move(node, old, new)]
    problems += _sysctls(node, old.sysctls, new.sysctls)
    moved = any(link.vrf != _vrf_before(old.links, name, link) for name, link in new.links.items())
    for name in new.vrfs:
        problems += _sysctls(vrf.inside(node, name), {} if moved or name not in old.vrfs else old.sysctls, new.sysctls)
    if moved and any(not link.vrf for link in new.links.values()):
        problems += _sysctls(node, {}, new.sysctls)
    problems += _in_vrfs(node, _changed(old.links, new.links))
    problems += _batch(node, [*_entries("rule", old.rules, new.rules), *_entries("route", old.routes, new.routes)])
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


def _changed(old: Mapping[str, Link], new: Mapping[str, Link]) -> Iterator[tuple[str, str]]:
    for name, link in old.items():
        # an interface that left a VRF lost its addresses
        if name not in new and link.kind == "physical" and not link.vrf:
            yield from (("", line) for line in _addresses(name, link.addresses, ()))
    for name, link in new.items():
        before = old.get(name)
        if before is None or before.kind != link.kind:
            before = Link(kind=link.kind, up=not link.up)
        elif before.vrf != link.vrf:
            # moving an interface removes its addresses and sets it down
            before = replace(before, up=not link.up, addresses=())
        yield from ((link.vrf, line) for line in _altered(name, before, link))


def _altered(name: str, before: Link, link: Link) -> Iterator[str]:
    if link.mac != before.mac and link.mac:
        yield f"link set dev {name} address {link.mac}"
    if link.mtu != before.mtu:
        yield f"link set dev {name} mtu {link.mtu or 1500}"
    # addresses first: an interface has them when it comes up, and keeps them when it goes down
    yield from _addresses(name, before.addresses, link.addresses)
    if link.up != before.up:
        yield f"link set dev {name} {'up' if link.up else 'down'}"


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
