"""Which BFD sessions a lab must have, judged from both ends, and which of them are not up yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class BfdPeer:
    """One session as ``show bfd peers json`` tells it. ``status`` is ``up``, ``down``, ``init`` or ``shutdown``."""

    node: str
    peer: str
    local: str
    interface: str
    vrf: str
    status: str
    passive: bool


Pair = tuple[BfdPeer, BfdPeer]


def peers(node: str, answer: object) -> list[BfdPeer]:
    """The sessions of ``node``, from the parsed answer to ``show bfd peers json``."""
    return (
        [_peer(node, entry) for entry in answer or () if isinstance(entry, Mapping)] if isinstance(answer, list) else []
    )


def _peer(node: str, entry: Mapping[str, Any]) -> BfdPeer:
    return BfdPeer(
        node=node,
        peer=str(entry.get("peer", "")),
        local=str(entry.get("local", "")),
        interface=str(entry.get("interface", "")),
        vrf=str(entry.get("vrf", "default")),
        status=str(entry.get("status", "down")),
        passive=bool(entry.get("passive-mode", False)),
    )


def missing(sessions: Iterable[BfdPeer], owned: Mapping[str, frozenset[str]]) -> Iterator[tuple[Pair, str]]:
    """Sessions that both ends ask for and that are not up, each with a phrase.

    Args:
        sessions: Those of all nodes.
        owned: By node: its addresses.
    """
    known = list(sessions)
    for index, one in enumerate(known):
        for other in known[index + 1 :]:
            if _belong_together(one, other, owned) and not (one.passive and other.passive):
                for end in (one, other):
                    if end.status != "up":
                        where = f" on {end.interface}" if end.interface else ""
                        yield (one, other), f"{end.node}: BFD neighbor {end.peer}{where} is {end.status}, expected up"


def _belong_together(one: BfdPeer, other: BfdPeer, owned: Mapping[str, frozenset[str]]) -> bool:
    if one.node == other.node or "shutdown" in {one.status, other.status}:
        return False
    return _leads_to(one, other, owned) and _leads_to(other, one, owned)


def _leads_to(here: BfdPeer, there: BfdPeer, owned: Mapping[str, frozenset[str]]) -> bool:
    """Whether ``there`` has the address that ``here`` asks for. A session with its own address has only that one."""
    if there.local:
        return here.peer == there.local
    return here.peer in owned.get(there.node, frozenset())
