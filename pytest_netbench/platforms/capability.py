"""A capability: a named feature that a backend may offer and a driver or a task may require."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from pytest_netbench.errors import RequirementMissing

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Capability(Generic[T_co]):
    """The key under which a node or a lab offers an object of type ``T_co``.

    Args:
        name: As in a task's ``requirements`` and in ``Driver.requires``.
        what: What it offers, a noun phrase.
    """

    name: str
    what: str

    def of(self, offered: Mapping[str, object], *, owner: str) -> T_co:
        """The object that ``offered`` has under this name.

        Args:
            offered: Objects by the name of the capability.
            owner: What offers them, e.g. ``node R1``.

        Raises:
            RequirementMissing: It has none.
        """
        if self.name not in offered:
            raise RequirementMissing(self.lack(owner))
        return cast("T_co", offered[self.name])

    def lack(self, owner: str) -> str:
        """The sentence for a lack, e.g. ``backend memory has no 'links' (cables that can be cut and restored)``."""
        return f"{owner} has no {self.name!r} ({self.what})"
