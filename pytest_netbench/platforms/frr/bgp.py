"""Session ends of BGP, from what bgpd answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any

from pytest_netbench.platforms.ends import Address, End, Sight, equal


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One configured peer from ``show bgp summary json``. ``remote_as`` 0: *internal* or *external*, not yet known."""

    address: str
    remote_as: int
    local_as: int
    state: str
    shut: bool
    queued: int


def peers(answer: Mapping[str, Any]) -> dict[str, Peer]:
    """Peers by address over all address families."""
    found: dict[str, Peer] = {}
    for family in answer.values():
        if not isinstance(family, Mapping):
            continue
        for address, entry in (family.get("peers") or {}).items():
            state = str(entry.get("state", "Idle"))
            found[address] = Peer(
                address=address,
                remote_as=int(entry.get("remoteAs", 0)),
                local_as=int(entry.get("localAs", family.get("as", 0))),
                state=state,
                shut=entry.get("peerState") == "Admin" or "Admin" in state,
                queued=int(entry.get("inq", 0)) + int(entry.get("outq", 0)),
            )
    return found


def parse_settings(text: str, vrf: str = "") -> dict[str, tuple[str, ...]]:
    """Peer of a VRF to its settings with those of its peer group, from the running config of bgpd."""
    own: dict[str, list[str]] = {}
    block = ""
    for line in text.splitlines():
        words = line.split()
        if line.startswith("router bgp "):
            block = words[4] if words[3:4] == ["vrf"] else ""
        elif len(words) > 2 and words[0] == "neighbor" and block == vrf:
            own.setdefault(words[1], []).append(" ".join(words[2:]))
    merged = {}
    for peer, lines in own.items():
        groups = [line.split()[1] for line in lines if line.startswith("peer-group ")]
        merged[peer] = (*lines, *(line for group in groups for line in own.get(group, ())))
    return merged


def end(node: str, peer: Peer, owned: Mapping[str, tuple[Address, ...]], *, vrf: str = "") -> End:
    """The session end of one peer, by what ``show bgp summary`` tells of it.

    Args:
        node: The router.
        peer: From ``peers``, not shut down.
        owned: By interface: the addresses of the router in the VRF.
        vrf: Its VRF.
    """
    unfinished = f"has {peer.queued} messages queued" if peer.queued else ""
    return End(
        protocol="bgp",
        node=node,
        vrf=vrf,
        addresses=owned,
        peer=peer.address,
        offers=equal(**{"as": str(peer.local_as)}),
        accepts=equal(**{"as": str(peer.remote_as)}) if peer.remote_as else {},
        seen={peer.address: Sight(peer.state, is_up=peer.state == "Established", unfinished=unfinished)},
    )


def is_numbered(one: End) -> bool:
    """Whether it names the address of its peer, not its own interface."""
    return _is_address(one.peer)


def closer(one: End, settings: tuple[str, ...]) -> End | None:
    """The same end with what the settings of its peer tell; ``None`` if they do not let TCP come up."""
    target = one.peer
    if is_numbered(one) and _is_external(one, settings) and _connected(one, target) is None and not _is_far(settings):
        return None
    password = equal(password=_value(settings, "password") or "")
    passive = _value(settings, "passive") is not None
    sources = frozenset(_sources(one, target, settings)) if is_numbered(one) else None
    return replace(
        one,
        offers={**one.offers, **password},
        accepts={**one.accepts, **password},
        sources=frozenset() if passive else sources,
    )


def _is_external(one: End, settings: tuple[str, ...]) -> bool:
    if "as" in one.accepts:
        return one.accepts["as"] != one.offers["as"]
    return _value(settings, "remote-as") != "internal"


def _is_far(settings: tuple[str, ...]) -> bool:
    waived = ("ebgp-multihop", "ttl-security", "disable-connected-check")
    return any(_value(settings, word) is not None for word in waived)


def _sources(one: End, target: str, settings: tuple[str, ...]) -> set[str]:
    source = _value(settings, "update-source")
    if source:
        return {source} if _is_address(source) else {str(own.ip) for own in one.addresses.get(source, ())}
    connected = _connected(one, target)
    if connected is not None:
        return {str(connected.ip)}
    return {str(own.ip) for name, owned in one.addresses.items() if name != "lo" for own in owned}


def _connected(one: End, target: str) -> Address | None:
    wanted = ip_address(target)
    return next((own for owned in one.addresses.values() for own in owned if wanted in own.network), None)


def unfinished(entry: Mapping[str, Any]) -> list[str]:
    """Address families in which an established peer has not yet sent the *end of RIB* (RFC 4724).

    FRR sends that mark after its first updates, since by default it helps others to restart gracefully.

    Args:
        entry: Of the peer, in the answer to ``show bgp neighbors json``.
    """
    restart = entry.get("gracefulRestartInfo") or {}
    modes = {str(restart.get(f"{side}GrMode", "Disable")).rstrip("*") for side in ("local", "remote")}
    if not modes <= {"Helper", "Restart"}:
        return []
    heard = {name for name, done in (restart.get("endOfRibRecv") or {}).items() if done}
    return sorted(_shared_families(entry) - heard)


def _shared_families(entry: Mapping[str, Any]) -> set[str]:
    """Address families that both ends of an established session have announced (RFC 4760)."""
    announced = (entry.get("neighborCapabilities") or {}).get("multiprotocolExtensions") or {}
    shared = {name for name, told in announced.items() if told.get("advertisedAndReceived")}
    return shared & set(entry.get("addressFamilyInfo") or ())


def _value(settings: tuple[str, ...], word: str) -> str | None:
    for line in settings:
        words = line.split()
        if words[0] == word:
            return " ".join(words[1:])
    return None


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
