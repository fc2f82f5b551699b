"""Sessions between two nodes, for readiness: BGP sessions, IGP adjacencies, BFD sessions. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SessionEnd:
    """One end of a session. ``interface`` is the kernel's name; what a protocol does not tell is empty."""

    node: str
    interface: str = ""
    address: str = ""


@dataclass(frozen=True, kw_only=True)
class Neighbor:
    """A neighbor as one node sees it. ``state`` is the protocol's word, ``is_up`` whether routes are exchanged."""

    protocol: str
    address: str
    state: str
    is_up: bool


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session that the configs of both ends ask for. ``protocol`` is a word of ``model.ready.SessionProtocol``."""

    protocol: str
    one: SessionEnd
    other: SessionEnd


@dataclass(frozen=True, kw_only=True)
class Absence:
    """A session that is not up, and a phrase that says so from one end."""

    session: Session
    phrase: str


Excused = Callable[[Session], bool]
"""Whether a session is expected to be down, so that nothing waits for it."""


def none_excused(_session: Session) -> bool:
    """Excuse no session."""
    return False


def split(absences: Iterable[Absence], excused: Excused) -> tuple[list[str], list[Session]]:
    """Phrases of the sessions that are waited for, and the sessions that are excused, each once."""
    phrases: dict[str, None] = {}
    down: dict[Session, None] = {}
    for absence in absences:
        if excused(absence.session):
            down[absence.session] = None
        else:
            phrases[absence.phrase] = None
    return list(phrases), list(down)
