"""Session ends of BFD, from what bfdd answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_interface
from typing import Any

from pytest_netbench.platforms.ends import Address, End, Sight


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


def end(peer: BfdPeer, owned: Mapping[str, tuple[Address, ...]]) -> End:
    """The session end of one peer.

    Args:
        peer: From ``peers``, not shut down.
        owned: By interface: the addresses of its node. A session with its own address has only that one.
    """
    own = {peer.interface: (ip_interface(peer.local),)} if peer.local else owned
    return End(
        protocol="bfd",
        node=peer.node,
        interface=peer.interface,
        addresses=own,
        peer=peer.peer,
        sources=frozenset() if peer.passive else None,
        seen={peer.peer: Sight(peer.status, is_up=peer.status == "up")},
    )
