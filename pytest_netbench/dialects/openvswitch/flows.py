"""Flows of an OpenFlow table in one form, without counters and ages. Pure; input is what ``ovs-ofctl`` prints.

A flow is written ``[table=N,]priority=N[,MATCH] actions=ACTIONS``, the fields of the match sorted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_DEFAULT_PRIORITY = 32768
_COUNTED = re.compile(r"(?:duration|n_packets|n_bytes|idle_age|hard_age)=[^,\s]*,?\s*")
_SETTINGS = ("cookie", "idle_timeout", "hard_timeout", "importance", "send_flow_rem", "reset_counts")
_ZERO_COOKIE = frozenset({"0", "0x0"})
# what is implied by a shorter word, as ovs-ofctl prints it
_SHORT = {
    frozenset({"dl_type=0x0800"}): "ip",
    frozenset({"eth_type=0x0800"}): "ip",
    frozenset({"dl_type=0x0806"}): "arp",
    frozenset({"eth_type=0x0806"}): "arp",
}


@dataclass(frozen=True, kw_only=True)
class FlowRule:
    """One flow of a table.

    Attributes:
        match: Fields in ascending order, e.g. ``("ip", "nw_dst=10.0.1.0/24")``.
        settings: What is neither match nor action, e.g. ``idle_timeout=10``.
    """

    table: int = 0
    priority: int = _DEFAULT_PRIORITY
    match: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    actions: str

    def __str__(self) -> str:
        words = [*([f"table={self.table}"] if self.table else []), f"priority={self.priority}"]
        return f"{','.join((*words, *self.settings, *self.match))} actions={self.actions}"

    @property
    def order(self) -> tuple[int, int, tuple[str, ...]]:
        """Its place in a listing: by table, the highest priority first."""
        return self.table, -self.priority, self.match


def flows(listing: str) -> list[FlowRule]:
    """Return the flows that ``ovs-ofctl dump-flows`` prints, in order.

    Raises:
        ValueError: A line is no flow.
    """
    return sorted((flow(line) for line in _lines(listing)), key=lambda one: (*one.order, one.actions))


def flow(line: str) -> FlowRule:
    """Return the flow of one line.

    Raises:
        ValueError: It is no flow.
    """
    head, separator, actions = _COUNTED.sub("", line.strip()).partition("actions=")
    if not separator:
        raise ValueError(f"no flow: {line!r}")
    table, priority = 0, _DEFAULT_PRIORITY
    match: set[str] = set()
    settings: set[str] = set()
    for word in _words(head):
        name, _, value = word.partition("=")
        if name == "table":
            table = int(value)
        elif name == "priority":
            priority = int(value)
        elif name in _SETTINGS:
            if not (name == "cookie" and value in _ZERO_COOKIE):
                settings.add(word)
        else:
            match.add(_SHORT.get(frozenset({word}), word))
    return FlowRule(
        table=table,
        priority=priority,
        match=tuple(sorted(match)),
        settings=tuple(sorted(settings)),
        actions=",".join(_actions(actions)),
    )


def _lines(listing: str) -> Iterator[str]:
    return (line for line in listing.splitlines() if "actions=" in line)


def _words(head: str) -> Iterator[str]:
    return (word for part in head.split(",") for word in part.split())


def _actions(text: str) -> Iterable[str]:
    """Actions in the order in which they are done. A comma inside brackets belongs to its action."""
    depth, word = 0, ""
    for char in text.strip():
        if char == "," and not depth:
            yield word.strip()
            word = ""
            continue
        depth += (char == "(") - (char == ")")
        word += char
    if word.strip():
        yield word.strip()
