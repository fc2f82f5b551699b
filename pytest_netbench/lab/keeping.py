"""Labs that are left for a person to look at: how they are entered, and how they are removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from pytest_netbench.lab.protocols import Cleaned


class Kept(NamedTuple):
    """A lab that outlives its run.

    Attributes:
        name: Where it runs, under that name.
        enter: By node: a command line for a person.
    """

    name: str
    enter: Mapping[str, str]


@runtime_checkable
class Keeps(Protocol):
    """A lab that can outlive this process. Its backend is a ``RemovesKept``."""

    def keep(self) -> Kept:
        """Let go of the lab, and let nobody remove it but ``RemovesKept.remove_kept``.

        Raises:
            LabError: It cannot be marked as kept; it is as before.
        """
        ...


@runtime_checkable
class RemovesKept(Protocol):
    """A backend whose labs can be kept."""

    def remove_kept(self) -> Cleaned:
        """Remove all labs that were kept.

        Raises:
            LabError: Something of one is left.
        """
        ...
