"""Compile route maps for FRR, which accepts one value where IOS accepts several: an entry becomes several entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from itertools import product

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.common.numbers import as_number
from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.areas.policy.communities import frr_community
from pytest_netbench.platforms.cisco_ios.areas.policy.lists import AS_PATH, COMMUNITY, PREFIX6, action, compile_lists
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import LAST_ENTRY, POLICY
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_ALL = POLICY
_BGP = ("bgpd",)
_OF_PATHS = frozenset({"match as-path", "match community"})
_FOUR = ("zebra", "ospfd", "bgpd", "ripd", "isisd")
_OF_NEXT_HOPS = ("zebra", "ospfd", "bgpd", "ripd")
_KNOWING = {
    "match ip address": _FOUR,
    "match ip next-hop": _OF_NEXT_HOPS,
    "match ip address prefix-list": _FOUR,
    "match ip next-hop prefix-list": _OF_NEXT_HOPS,
    "match ipv6 address prefix-list": ("zebra", "bgpd", "ospf6d", "isisd"),
    "match interface": ("zebra", "ospfd", "bgpd", "ripd", "ospf6d", "ripngd"),
    "match tag": ("zebra", "ospfd", "bgpd", "ripd", "ospf6d", "ripngd", "isisd"),
    "match metric": ("bgpd", "ripd", "ripngd"),
}
"""The daemons that know a command; of the others, only bgpd."""

_SOURCE_PROTOCOL = 9
"""The version of FRR since which bgpd knows ``match source-protocol`` (FRR pull request 13507)."""
_FIRST_GROUP = IPv4Address("224.0.0.0")
"""FRR refuses groups and reserved addresses as next hops; no route leads there."""


@dataclass(frozen=True)
class Clause:
    """A line of a route map, for the daemons that support it."""

    text: str
    daemons: tuple[str, ...] = _BGP
    undo: str | None = None


@dataclass(frozen=True)
class _Step:
    """An entry of FRR's route map; ``at`` is its number."""

    at: int
    entry: Entry
    matches: tuple[Clause, ...]


def compile_policy(context: Context) -> None:
    """Add lists and route maps."""
    compile_lists(context)
    maps: dict[str, list[Entry]] = {}
    for entry in context.config.all("route-map"):
        maps.setdefault(entry["map"], []).append(entry)
    for name, entries in maps.items():
        _compile_map(context, name, entries)


def map_of_sources(context: Context, name: str) -> str:
    """Return the name of a map as redistribution into BGP reads it: routes that have no path and no community match."""
    entries = [entry for entry in context.config.all("route-map") if entry["map"] == name]
    if not any(line.name in _OF_PATHS for entry in entries for line in entry.body):
        return name
    own = f"netbench-source-{name}"
    _compile_map(context, own, entries, ignoring=_OF_PATHS)
    return own


def _compile_map(
    context: Context, name: str, entries: Sequence[Entry], *, ignoring: frozenset[str] = frozenset()
) -> None:
    alternatives = {entry["seq"]: list(_alternatives(context, entry.body, ignoring)) for entry in entries}
    # the last number is kept free, for the signal of a change (``apply/frr.py``)
    plain = all(len(ways) == 1 and seq < LAST_ENTRY for seq, ways in alternatives.items())
    steps: list[_Step] = []
    for entry in entries:
        for matches in alternatives[entry["seq"]]:
            at = max(int(entry["seq"]), 1) if plain else len(steps) + 1
            steps.append(_Step(at, entry, matches))
    for step in steps:
        _compile_step(context, name, step, steps)


def _compile_step(context: Context, name: str, step: _Step, steps: Sequence[_Step]) -> None:
    policy = context.state.frr.policy
    knowing = tuple(daemon for daemon in _ALL if all(daemon in clause.daemons for clause in step.matches))
    opening = f"route-map {name} {action(step.entry)} {step.at}"
    # the number identifies an entry; a changed action replaces the action of the same entry
    policy(opening, only=knowing, undo=f"no {opening}")
    for clause in (*step.matches, *_sets(context, step.entry.body)):
        only = tuple(daemon for daemon in knowing if daemon in clause.daemons)
        if only:
            policy(opening, clause.text, only=only, undo=clause.undo)
    onward = step.entry.body.get("continue")
    if onward is not None and action(step.entry) == "permit":  # a denied route does not continue
        target = max(onward.get("target", 0), step.entry["seq"] + 1)  # a target that is not later would be a loop
        later = [other.at for other in steps if other.entry["seq"] >= target]
        if later:
            policy(opening, f"on-match goto {min(later)}", key="on-match", undo="no on-match goto", only=knowing)


def _alternatives(context: Context, body: Section, ignoring: frozenset[str]) -> Iterator[tuple[Clause, ...]]:
    """Yield the alternatives in which an entry can match: one value of each line."""
    lines = [entry for entry in body if entry.name not in ignoring]
    yield from product(*(clauses for entry in lines if (clauses := list(_matches(context, entry)))))


def _matches(context: Context, entry: Entry) -> Iterator[Clause]:
    name = entry.name
    if name == "match source-protocol":
        yield Clause(f"{name} {entry['protocol']}", _knowing_sources(context, entry))
    elif name in _VALUES:
        yield from (Clause(f"{name} {one}", _KNOWING.get(name, _BGP)) for one in _VALUES[name](context, entry))


def _access_lists(context: Context, entry: Entry) -> Iterator[str]:
    return (frrnames.access_list(context, one) for one in entry.many("list"))


def _prefix_lists(context: Context, entry: Entry) -> Iterator[str]:
    return (frrnames.prefix_list(context, one) for one in entry.many("list"))


def _prefix_lists_of_ipv6(context: Context, entry: Entry) -> Iterator[str]:
    for one in entry.many("list"):
        if not context.config.has(PREFIX6, list=one):
            context.state.frr.policy(f"{PREFIX6} {one} seq 5 permit any")
        yield one


def _community_lists(context: Context, entry: Entry) -> Iterator[str]:
    exact = " exact-match" if entry.has("exact-match") else ""
    return (f"{_community_list(context, one)}{exact}" for one in entry.many("list"))


_VALUES: Mapping[str, Callable[[Context, Entry], Iterable[str]]] = {
    "match ip address": _access_lists,
    "match ip next-hop": _access_lists,
    "match ip route-source": _access_lists,
    "match ip address prefix-list": _prefix_lists,
    "match ip next-hop prefix-list": _prefix_lists,
    "match ipv6 address prefix-list": _prefix_lists_of_ipv6,
    "match as-path": lambda context, entry: (_as_path(context, one) for one in entry.many("list")),
    "match community": _community_lists,
    "match interface": lambda _, entry: (interfaces.kernel_name(one) for one in entry.many("interface")),
    "match tag": lambda _, entry: (one for one in entry.many("tag") if one),
    "match metric": lambda _, entry: (entry["metric"],),
    "match local-preference": lambda _, entry: (entry["preference"],),
}
"""What FRR reads behind the words of a command: one of the values for each clause."""


def _knowing_sources(context: Context, entry: Entry) -> tuple[str, ...]:
    if int((context.facts.frr or "0").split(".")[0]) >= _SOURCE_PROTOCOL:
        return ("zebra", "bgpd")
    context.unsupported(entry, "bgpd of this FRR does not know it, and takes no route by this entry")
    return ("zebra",)


def _as_path(context: Context, number: int) -> str:
    name = frrnames.as_path(str(number))
    if not context.config.has(AS_PATH, list=number):
        context.state.frr.policy(f"bgp as-path access-list {name} permit .*", only=_BGP)
    return name


def _community_list(context: Context, listed: str) -> str:
    name = frrnames.community_list(listed)
    if not any(str(entry["list"]) == listed for entry in context.config.all(COMMUNITY)):
        context.state.frr.policy(f"bgp community-list expanded {name} permit .*", only=_BGP)
    return name


def _sets(_context: Context, body: Section) -> Iterator[Clause]:
    for entry in body:
        yield from _set(entry)


def _set(entry: Entry) -> Iterator[Clause]:
    name = entry.name
    if name in {
        "set local-preference",
        "set weight",
        "set origin",
        "set community none",
        "set ip next-hop peer-address",
    }:
        yield Clause(entry.text)
    elif name == "set metric":
        signed = str(entry["metric"])[0] in "+-"
        yield Clause(entry.text, _BGP if signed else ("ospfd", "ospf6d", "bgpd", "ripd", "ripngd", "isisd"))
    elif name == "set metric-type":
        yield Clause(entry.text, ("ospfd", "ospf6d"))
    elif name == "set tag" and entry["tag"]:
        yield Clause(entry.text, ("ospfd", "ospf6d", "bgpd", "ripd", "ripngd"))
    elif name.startswith("set as-path prepend"):
        words = [str(as_number(one)) for one in entry.many("as")]
        # with several AS numbers, FRR does not know the line's ``no``
        yield Clause(" ".join([name, *words]), undo=f"no {name}") if words else Clause(entry.text)
    elif name == "set community":
        words = [frr_community(one) for one in entry.many("community")]
        yield Clause(" ".join([name, *words, *(["additive"] if entry.has("additive") else [])]))
    elif name == "set comm-list delete":
        yield Clause(f"set comm-list {frrnames.community_list(entry['list'])} delete")
    elif name == "set ip next-hop" and IPv4Address(entry.many("hop")[0]) < _FIRST_GROUP:
        yield Clause(f"{name} {entry.many('hop')[0]}", ("bgpd", "ripd"))
    elif name == "set ipv6 next-hop":
        kind = "local" if IPv6Address(entry["hop6"]).is_link_local else "global"
        yield Clause(f"set ipv6 next-hop {kind} {entry['hop6'].lower()}")
