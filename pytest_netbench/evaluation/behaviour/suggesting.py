"""Suggests entries of ``reference.changes`` for differences that a task does not explain. Pure.

Each round takes the selector that covers the most of what is left, less what it covers of flows that do not differ.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pytest_netbench.evaluation.behaviour.pasting import Entry, changes_to_paste
from pytest_netbench.evaluation.behaviour.wording import Wording, change_words
from pytest_netbench.evaluation.reference import Reference, changes_at
from pytest_netbench.model.behaviour import Behaviour, HeldFlow
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.reference import ANY, FILL_IN, Selector
from pytest_netbench.model.task import Task

MOST_LINES = 12
MOST_PREFIXES = 3
_PREFIX = re.compile(r"[0-9a-fA-F:.]+/[0-9]+")
_Key = tuple[str, str, str, int | None]


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A selector with the flows that it explains."""

    selector: Selector
    flows: tuple[HeldFlow, ...]


def suggestions(reference: Reference, *, prefixes: Sequence[str] = ()) -> list[Suggestion]:
    """Selectors for the unexplained differences of all moments, the undisturbed network first.

    Args:
        reference: What was recorded, and what the task says of it.
        prefixes: Prefixes that a selector may name beside those of the routing tables.
    """
    found: list[Suggestion] = []
    for under in reference.behaviour.moments:
        left = [
            one
            for one in changes_at(reference, under).unexplained
            if not any(other.selector.matches(one.flow, reference.behaviour.addresses, under) for other in found)
        ]
        same = [one for one in reference.compared(under) if not one.differs and not one.flow.is_unusual]
        found += _cover(left, same, _Names(reference.behaviour, prefixes), under)
    return found


def suggested(task: Task, reference: Reference, *, text: str, as_json: bool = False) -> list[str]:
    """The lines that explain what ``task`` does not; none if it explains everything.

    Args:
        task: The task.
        reference: What was recorded, and what the task says of it.
        text: The task file, into which the lines are pasted.
        as_json: Whether it is JSON.
    """
    intents = [intent.text for intent in configuration_of(task).intents]
    found = suggestions(reference, prefixes=_named(intents))
    if not found:
        return []
    entries = _entries(found, Wording(reference.behaviour.addresses), intents=len(intents))
    more = sum(len(one.flows) for one in found[MOST_LINES:])
    return changes_to_paste(entries, intents=intents, more=more, text=text, as_json=as_json)


def _entries(found: Sequence[Suggestion], wording: Wording, *, intents: int) -> list[Entry]:
    """Entries with a comment each: their number of flows and an example."""
    intent: int | str = 1 if intents == 1 else FILL_IN
    entries = []
    for one in found[:MOST_LINES]:
        first, count = one.flows[0], len(one.flows)
        example = f"{wording.flow(first.flow)}: {change_words(first.before, first.after)}"
        comment = f"{count} flow{'s' * (count > 1)}, e.g. {example}"
        entries.append(Entry(comment=comment, fields={"intent": intent, **dict(_fields(one.selector))}))
    return entries


def _fields(selector: Selector) -> Iterator[tuple[str, str | int]]:
    if selector.source != (ANY,):
        yield "from", selector.source[0]
    if selector.target != (ANY,):
        yield "to", selector.target[0]
    if selector.protocol != ANY:
        yield "protocol", selector.protocol
    if selector.ports:
        yield "ports", selector.ports[0].first
    if selector.under is not None:
        yield "under", selector.under


def _cover(left: Sequence[HeldFlow], same: Sequence[HeldFlow], names: _Names, under: str | None) -> list[Suggestion]:
    keys_of = {id(one): tuple(names.keys(one)) for one in (*left, *same)}
    harmless = Counter(key for one in same for key in keys_of[id(one)])
    found = []
    while left:
        useful = Counter(key for one in left for key in keys_of[id(one)])
        best = max(useful, key=lambda key: (useful[key] - harmless[key], -_width(key)))
        covered = tuple(one for one in left if best in keys_of[id(one)])
        found.append(Suggestion(selector=_selector(best, under), flows=covered))
        left = [one for one in left if best not in keys_of[id(one)]]
    return found


def _width(key: _Key) -> int:
    """Of two selectors that cover the same, the one that says less is easier to read."""
    return sum(value not in (ANY, None) for value in key)


def _selector(key: _Key, under: str | None) -> Selector:
    source, target, protocol, port = key
    return Selector.model_validate(
        {"from": source, "to": target, "protocol": protocol, "ports": () if port is None else port, "under": under}
    )


class _Names:
    """By which names and prefixes a flow can be selected."""

    def __init__(self, behaviour: Behaviour, named: Sequence[str]) -> None:
        self._addresses = behaviour.addresses
        self._prefixes = _prefixes([*named, *(prefix for table in behaviour.tables for prefix in table)])
        self._known: dict[str, tuple[str, ...]] = {}

    def keys(self, held: HeldFlow) -> Iterator[_Key]:
        flow = held.flow
        sources = self._words(flow.source_address or self._own(flow.source), flow.source)
        targets = self._words(flow.target_address, flow.target_node)
        ports = (None,) if flow.port is None else (None, flow.port)
        for source, target, protocol in product(sources, targets, (ANY, flow.protocol)):
            yield from ((source, target, protocol, port) for port in (ports if protocol != ANY else (None,)))

    def _own(self, node: str) -> str | None:
        return next(iter(self._addresses.get(node, ())), None)

    def _words(self, address: str | None, node: str | None) -> tuple[str, ...]:
        around = self._around(address) if address is not None else ()
        names = dict.fromkeys(name for name in (node, address) if name is not None)
        return (ANY, *around, *names)

    def _around(self, address: str) -> tuple[str, ...]:
        if address not in self._known:
            wanted = ipaddress.ip_address(address)
            self._known[address] = tuple(str(one) for one in self._prefixes if wanted in one)[:MOST_PREFIXES]
        return self._known[address]


def _prefixes(texts: Sequence[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    networks = [ipaddress.ip_network(text) for text in dict.fromkeys(texts)]
    useful = (one for one in networks if 0 < one.prefixlen < one.max_prefixlen)
    return sorted(useful, key=lambda one: -one.prefixlen)


def _named(texts: Sequence[str]) -> list[str]:
    """The prefixes in texts."""
    words = [word for text in texts for word in _PREFIX.findall(text)]
    return [word for word in words if _is_prefix(word)]


def _is_prefix(word: str) -> bool:
    try:
        ipaddress.ip_network(word)
    except ValueError:
        return False
    return True
