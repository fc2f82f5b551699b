"""What a dialect is: what is known of a configuration language without a running node."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pytest_netbench.dialects.match_values import MatchValues
from pytest_netbench.dialects.syntax import Syntax, Tree


@dataclass(frozen=True, kw_only=True)
class ManualSection:
    """One section of a command reference: what a person would look up at once. Plain text."""

    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A mistake in configuration lines: the 0-based line, the 0-based character in it, and what is wrong."""

    line: int
    offset: int
    message: str


@runtime_checkable
class Proofreads(Protocol):
    """A dialect that finds mistakes in configurations that no device has read. Optional for a dialect."""

    def mistakes(self, lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
        """Interfaces that a node does not have, and addresses that none of its devices takes.

        Args:
            lines: Lines of a startup config, or commands.
            ports: The node's interfaces that have a link, as the topology writes them.
            before: Lines that the node was configured with before.
        """
        ...


@runtime_checkable
class ListsMatchValues(Protocol):
    """A dialect that knows what a configuration names that packets can meet. Optional for a dialect.

    Flows of the reference behaviour are drawn from it. Without it, only addresses and prefixes are recognised.
    """

    def match_values(self, config: str) -> MatchValues:
        """Addresses, prefixes, ranges, ports and markings that ``config`` names: a config, or commands, one a line."""
        ...


@runtime_checkable
class Mapped(Protocol):
    """The former name of ``ListsMatchValues``, whose method was ``landmarks``. It goes with 0.3."""

    def landmarks(self, config: str) -> MatchValues:
        """Return the same as ``match_values``."""
        ...


def match_values_of(dialect: object, config: str) -> MatchValues | None:
    """Return what ``config`` names that packets can meet; ``None`` if the dialect does not know."""
    if isinstance(dialect, ListsMatchValues):
        return dialect.match_values(config)
    if not isinstance(dialect, Mapped):
        return None
    name = type(dialect).__name__
    warnings.warn(f"{name}.landmarks is now match_values, and goes with 0.3", DeprecationWarning, stacklevel=2)
    return dialect.landmarks(config)


class Dialect(Protocol):
    """One configuration language. A task's ``platform`` names it."""

    name: str
    hint: str
    """How its command line is used, for people and agents who meet it for the first time; may be empty.

    A dialect may also have ``reading_hint``, for tasks in which nothing is configured.
    """
    syntax: Syntax
    """How its configs write hierarchy and removal, and whether devices take commands one by one or as a batch."""

    def interface(self, name: str) -> str:
        """The full form of an interface name; equal for two names of one interface.

        Raises:
            ValueError: The name cannot be an interface of this network OS.
        """
        ...

    def normalise(self, line: str) -> str | None:
        """A config line in canonical form for comparison, or ``None`` for a line that says nothing (``!``, banners)."""
        ...

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        """Canonical lines in an order and form that is equal for configs that mean the same.

        A dialect that has one form for each meaning returns them as they are.
        """
        ...

    def free_names(self) -> Sequence[tuple[str, str]]:
        """(kind, regular expression with one group) pairs for identifiers a person may choose freely in config lines.

        A kind that ends in ``sequence`` is a position in an ordered list: its number is not compared, its rank is.
        """
        ...

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        """The ordered list a config line belongs to, or ``None`` if its place among its siblings does not matter.

        Args:
            parents: The normalised lines above it, outermost first.
            line: The normalised line, e.g. ``ip prefix-list OUT seq 5 permit 10.0.0.0/8``.

        Returns:
            A key that is equal for all siblings of the same list, e.g. ``ip prefix-list OUT``.
        """
        ...

    def manual(self) -> Sequence[ManualSection]:
        """Return the command reference, empty if there is none. It may be slow; it is called once in a process."""
        ...
