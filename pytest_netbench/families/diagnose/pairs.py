"""Groups of pairs of hosts that do not reach each other, in pages. Pure."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Final, Literal, NamedTuple

from pytest_netbench.ani.wire import Wire

Pair = tuple[str, str]
Outcome = Literal["reached", "no-answer", "self"]
ANY: Final = "any"
PAGE_CHARACTERS: Final = 12_000
"""Of the groups of a page: within 20 kB as well where JSON is sent as a text of JSON."""
_NAMES_PER_GROUP: Final = 50
_INTERFACE = re.compile(r"\b(\d+\.\d+\.\d+\.\d+)(?:/| )(\d+\.\d+\.\d+\.\d+|\d{1,2})\b")


class Group(Wire):
    """Pairs with the same outcome that share something."""

    outcome: Literal["no-answer", "self"]
    shares: Literal["all", "subnet", "source", "target", "subnets", "nothing"]
    source: str
    targets: tuple[str, ...]
    pairs: int


class _Share(NamedTuple):
    """Something that pairs can share: its kind, and the names of both sides."""

    shares: Literal["all", "subnet", "source", "target", "subnets"]
    source: str
    target: str


def groups_of(outcomes: Mapping[Pair, Outcome], subnets: Mapping[str, str]) -> list[Group]:
    """Return the pairs that were not reached, each in the first group that it belongs to.

    Args:
        outcomes: Of all pairs.
        subnets: Of hosts, by name.
    """
    failed = {pair for pair, outcome in outcomes.items() if outcome == "no-answer"}
    tried, missed = defaultdict(set), defaultdict(set)
    for pair, outcome in outcomes.items():
        for share in _shares(pair, subnets) if outcome != "self" else ():
            tried[share].add(pair)
            if pair in failed:
                missed[share].add(pair)
    kinds = ("all", "subnet", "source", "target", "subnets")
    found = []
    for share in sorted(missed, key=lambda one: kinds.index(one.shares)):
        new = missed[share] & failed
        if len(new) > 1 and missed[share] == tried[share]:
            failed -= new
            found.append(
                Group(
                    outcome="no-answer",
                    shares=share.shares,
                    source=share.source,
                    targets=(share.target,),
                    pairs=len(new),
                )
            )
    own = [pair for pair, outcome in outcomes.items() if outcome == "self"]
    rest = [pair for pair in outcomes if pair in failed]
    return [*found, *_listed("no-answer", rest), *_listed("self", own)]


def pages_of(groups: Sequence[Group]) -> list[tuple[Group, ...]]:
    """Return groups in pages, at least one."""
    pages: list[list[Group]] = [[]]
    size = 0
    for group in groups:
        length = len(json.dumps(group.plain()))
        if size + length > PAGE_CHARACTERS and pages[-1]:
            pages.append([])
            size = 0
        pages[-1].append(group)
        size += length
    return [tuple(page) for page in pages]


def subnets_of(addresses: Mapping[str, str], configs: Iterable[str]) -> dict[str, str]:
    """Return the subnet of each host: the smallest of the configs that its address is in, else one of 24 bits."""
    known: set[IPv4Network] = set()
    for config in configs:
        for address, mask in _INTERFACE.findall(config):
            try:
                known.add(IPv4Interface(f"{address}/{mask}").network)
            except ValueError:
                continue
    ordered = sorted((net for net in known if 0 < net.prefixlen < 31), key=lambda net: -net.prefixlen)
    return {
        host: str(next((net for net in ordered if IPv4Address(address) in net), IPv4Network(f"{address}/24", False)))
        for host, address in addresses.items()
    }


def _shares(pair: Pair, subnets: Mapping[str, str]) -> Iterator[_Share]:
    source, target = pair
    here, there = subnets.get(source, source), subnets.get(target, target)
    yield _Share("all", ANY, ANY)
    if here != there:
        yield _Share("subnet", here, ANY)
        yield _Share("subnet", ANY, there)
        yield _Share("subnets", here, there)
    yield _Share("source", source, ANY)
    yield _Share("target", ANY, target)


def _listed(outcome: Literal["no-answer", "self"], pairs: Iterable[Pair]) -> Iterator[Group]:
    by_source: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        by_source[source].append(target)
    for source, targets in by_source.items():
        for start in range(0, len(targets), _NAMES_PER_GROUP):
            names = tuple(targets[start : start + _NAMES_PER_GROUP])
            shares: Literal["source", "nothing"] = "nothing" if len(targets) == 1 else "source"
            yield Group(outcome=outcome, shares=shares, source=source, targets=names, pairs=len(names))
