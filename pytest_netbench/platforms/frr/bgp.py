"""Which BGP sessions a lab must have, judged from both ends, and which of them are not there yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_address
from typing import Any

Address = IPv4Interface | IPv6Interface


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One configured peer from ``show bgp summary json``. ``remote_as`` 0: *internal* or *external*, not yet known."""

    address: str
    remote_as: int
    local_as: int
    state: str
    shut: bool
    queued: int


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """A router that runs BGP.

    ``addresses``: interface to its addresses. ``settings``: peer to its config words after ``neighbor PEER``.
    ``links``: interface to the (node, interface) pairs at the other ends of its link.
    """

    node: str
    peers: Mapping[str, Peer]
    addresses: Mapping[str, tuple[Address, ...]] = field(default_factory=dict)
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: Mapping[str, frozenset[tuple[str, str]]] = field(default_factory=dict)

    def owns(self, address: str) -> bool:
        """Whether ``address`` is one of its own."""
        return any(str(own.ip) == address for owned in self.addresses.values() for own in owned)


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session that both ends' configs ask for: ``one`` speaks to ``there``, ``other`` to ``here``.

    ``there`` and ``here`` are addresses, or both are interfaces in an unnumbered session (``neighbor eth0 interface``).
    """

    one: Speaker
    other: Speaker
    there: str
    here: str

    @property
    def unnumbered(self) -> bool:
        """Whether the ends name interfaces, not addresses."""
        return not _is_address(self.there)


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


def parse_settings(text: str) -> dict[str, tuple[str, ...]]:
    """Peer to its settings with those of its peer group, from the running config of bgpd."""
    own: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) > 2 and words[0] == "neighbor":
            own.setdefault(words[1], []).append(" ".join(words[2:]))
    merged = {}
    for peer, lines in own.items():
        groups = [line.split()[1] for line in lines if line.startswith("peer-group ")]
        merged[peer] = (*lines, *(line for group in groups for line in own.get(group, ())))
    return merged


def expected(speakers: Iterable[Speaker]) -> list[Session]:
    """Sessions for which each end has a statement about the other with the right AS."""
    known = list(speakers)
    found = []
    for index, one in enumerate(known):
        for other in known[index + 1 :]:
            found += list(_between(one, other))
    return found


def _between(one: Speaker, other: Speaker) -> Iterator[Session]:
    for there in one.peers.values():
        if there.shut:
            continue
        if there.address in one.links:
            for node, interface in sorted(one.links[there.address]):
                here = other.peers.get(interface)
                if node == other.node and here is not None and not here.shut and _same_as(there, here):
                    yield Session(one=one, other=other, there=there.address, here=interface)
            continue
        if not other.owns(there.address):
            continue
        for back in other.peers.values():
            if not back.shut and one.owns(back.address) and _same_as(there, back):
                yield Session(one=one, other=other, there=there.address, here=back.address)


def _same_as(there: Peer, here: Peer) -> bool:
    return there.remote_as in {0, here.local_as} and here.remote_as in {0, there.local_as}


def missing(sessions: Iterable[Session]) -> Iterator[tuple[Session, str]]:
    """Expected sessions that are not there, or that still have updates to send, each with a phrase."""
    for session in sessions:
        for speaker, address in ((session.one, session.there), (session.other, session.here)):
            peer = speaker.peers[address]
            if peer.state != "Established":
                yield session, f"{speaker.node}: BGP neighbor {address} is {peer.state}, expected Established"
            elif peer.queued:
                yield session, f"{speaker.node}: BGP neighbor {address} has {peer.queued} messages queued"


def unfinished(session: Session, neighbours: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Phrases for ends of an established session that have not yet heard the other's *end of RIB* (RFC 4724).

    FRR sends that mark after its first updates, since by default it helps others to restart gracefully.

    Args:
        session: An expected session.
        neighbours: Per node the answer to ``show bgp neighbors json``.
    """
    one = neighbours.get(session.one.node, {}).get(session.there) or {}
    other = neighbours.get(session.other.node, {}).get(session.here) or {}
    shared = set(one.get("addressFamilyInfo") or ()) & set(other.get("addressFamilyInfo") or ())
    for node, address, entry in (
        (session.one.node, session.there, one),
        (session.other.node, session.here, other),
    ):
        restart = entry.get("gracefulRestartInfo") or {}
        modes = {str(restart.get(f"{end}GrMode", "Disable")).rstrip("*") for end in ("local", "remote")}
        if modes <= {"Helper", "Restart"}:
            heard = restart.get("endOfRibRecv") or {}
            for family in sorted(shared - {name for name, done in heard.items() if done}):
                yield f"{node}: BGP neighbor {address} has not yet sent all its {family} routes"


def possible(session: Session) -> bool:
    """Whether the settings of both ends let TCP come up: same password, a source address the other end knows."""
    one, other = session.one.settings.get(session.there, ()), session.other.settings.get(session.here, ())
    if _value(one, "password") != _value(other, "password"):
        return False
    if all(_value(lines, "passive") is not None for lines in (one, other)):
        return False
    if session.unnumbered:
        return True
    if not _multihop_agrees(session, one, other):
        return False
    return session.here in _sources(session.one, session.there, one) or session.there in _sources(
        session.other, session.here, other
    )


def _multihop_agrees(session: Session, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    external = session.one.peers[session.there].local_as != session.other.peers[session.here].local_as
    if not external or _connected(session.one, session.there) is not None:
        return True
    waived = ("ebgp-multihop", "ttl-security", "disable-connected-check")
    return all(any(_value(lines, word) is not None for word in waived) for lines in (one, other))


def _sources(speaker: Speaker, target: str, settings: tuple[str, ...]) -> set[str]:
    source = _value(settings, "update-source")
    if source:
        return {source} if _is_address(source) else {str(own.ip) for own in speaker.addresses.get(source, ())}
    connected = _connected(speaker, target)
    if connected is not None:
        return {str(connected.ip)}
    return {str(own.ip) for name, owned in speaker.addresses.items() if name != "lo" for own in owned}


def _connected(speaker: Speaker, target: str) -> Address | None:
    wanted = ip_address(target)
    return next((own for owned in speaker.addresses.values() for own in owned if wanted in own.network), None)


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
