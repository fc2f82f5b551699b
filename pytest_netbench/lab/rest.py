"""Labs that know when nothing in them changes by itself any more: then nobody needs to wait for a flow to recover."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pytest_netbench.lab.protocols import Lab


@runtime_checkable
class KnowsRest(Protocol):
    """A lab that knows whether something in it is still under way."""

    @property
    def is_at_rest(self) -> bool:
        """Whether no flow can break or recover now unless somebody changes something. In doubt it is not at rest."""
        ...


def is_at_rest(lab: Lab) -> bool:
    """Return whether a lab says that it is at rest."""
    found: object = lab
    return isinstance(found, KnowsRest) and found.is_at_rest
