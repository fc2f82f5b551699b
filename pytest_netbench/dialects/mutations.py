"""What goes wrong in lines of a configuration language, as data for generic operators. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable


@dataclass(frozen=True, kw_only=True)
class Rewrite:
    """A change of one line: each match of ``pattern`` is replaced alone. ``to`` may refer to groups."""

    operator: str
    pattern: str
    to: str


@dataclass(frozen=True, kw_only=True)
class Addition:
    """Lines added before and after a line that ``pattern`` matches. They may refer to groups."""

    operator: str
    pattern: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Mutations:
    """The mutations of a language.

    Attributes:
        swaps: Groups of words that are confused with each other.
        rewrites: Other changes of a line.
        additions: Lines that one adds beside a line by mistake.
        superfluous: Blocks of commands that nobody asked for, added after the last line of a node.
        quantities: Lines whose numbers are rates and the like, which differ noticeably or not at all.
        states: Commands that show protocol state: the sessions, roles and rates of a node.
        uncounted: Patterns of what these commands print and what is no state, e.g. counts of messages, and what stands
            in their place. ``^`` and ``$`` are the ends of a line.
    """

    swaps: tuple[tuple[str, ...], ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    additions: tuple[Addition, ...] = ()
    superfluous: tuple[tuple[str, ...], ...] = ()
    quantities: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    uncounted: tuple[tuple[str, str], ...] = ()


BGP_SUMMARY: Final = (
    (r"^(?:BGP table version|RIB entries|Peers |Peer groups |Total number of|.*\busing \d+ ).*$", ""),
    (r"^BGP activity .*$", ""),
    # address, version and AS number of a neighbor stay, and its state or its prefixes
    (r"^(\S+ +4 +[\d.]+)(?: +\d+){5} +\S+", r"\1"),
)
"""For ``uncounted``: versions, memory, messages and times in summaries of BGP."""


@runtime_checkable
class Mutable(Protocol):
    """A dialect that knows what goes wrong in its lines. Optional: without it, only numbers and addresses vary."""

    def mutations(self) -> Mutations:
        """The mutations of its lines."""
        ...
