"""The protocols of faults: something that is wrong with a network.

``Fault`` is what a task needs. ``SiteFault`` and ``NetworkFault`` add where a fault can be injected on paper: on a
site, with an exact statement of what it breaks, or on any drawn network, where only a lab shows what it breaks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.base import Model
from pytest_netbench.model.network import DrawnNetwork

P = TypeVar("P", bound=Model)
Commands = Mapping[str, tuple[str, ...]]
"""By node: commands in the language of its platform, in order."""


class Fault(Protocol[P]):
    """One kind of fault. It is made without arguments, whenever it is needed, and has no state.

    A value of ``parameters`` says exactly what is broken, so that the fault can be injected and repaired from it alone.
    """

    name: str
    """Its part name."""
    label: str
    """The class that it belongs to, e.g. ``DR``."""
    parameters: type[P]
    """What has to be known to inject it."""
    called: Mapping[str, str]
    """By benchmark: what others call it, e.g. ``netarena: disable_routing method 1``."""
    platforms: tuple[str, ...]
    """Platforms of the nodes that it can be injected on."""
    requires: tuple[str, ...]
    """Kernel features and capabilities that it needs, as a task's ``requirements``."""
    repairable: bool
    """Whether a command on a node can repair it."""
    found_at: str
    """What a diagnosis names as its place: ``interface``, ``link`` or ``node``."""

    def is_mutual(self, parameters: P) -> bool:
        """Whether nobody can tell which end of the link is the wrong one: the ends differ, or are the same."""
        ...

    def also_on(self, parameters: P) -> tuple[str, ...]:
        """Other nodes on which it is as well as on its own, so that either is a right answer."""
        ...

    def also_at(self, parameters: P) -> tuple[tuple[str, str], ...]:
        """Like ``also_on``: nodes with their interfaces."""
        ...

    def touches(self, parameters: P) -> frozenset[str]:
        """What it changes or depends on. Two faults that touch the same thing cannot be injected together."""
        ...

    def inject(self, parameters: P, lab: Lab) -> None:
        """Inject it. It leaves nothing in the node but what is wrong.

        Raises:
            FaultHasNoEffect: A node refused to be changed.
        """
        ...

    def observe(self, parameters: P, lab: Lab) -> None:
        """Check once that the nodes are in the state that the fault means.

        Raises:
            FaultHasNoEffect: They are not.
        """
        ...

    def recover(self, parameters: P) -> Commands:
        """A repair. Each command leaves flows alone that work, and undoes nothing that other faults need to be undone.

        Faults that were injected together are repaired in reverse order.
        """
        ...


@runtime_checkable
class OutsideNodes(Protocol):
    """What a fault offers that is not in a node: no command on a node repairs it, so ``recover`` returns none."""

    def undo(self, parameters: Any, lab: Lab) -> None:
        """Take it away.

        Raises:
            LabError: It cannot be taken away.
        """
        ...


@runtime_checkable
class Explains(Protocol):
    """What a fault may offer: it explains itself in words, for the reasoning of a task."""

    def explain(self, parameters: Any) -> str:
        """Return sentences that say what is wrong and where, what follows from it, and what shows it."""
        ...


@runtime_checkable
class Accompanied(Protocol):
    """What a fault offers that shows only beside another one: the two are drawn together, and count as one."""

    company: str
    """The name of the other one. It is injected after this one, and repaired before it."""

    def accompanied(self, parameters: Any, network: DrawnNetwork) -> Iterable[Model]:
        """Return all parameters of the other one with which this one shows, in a fixed order."""
        ...


@runtime_checkable
class SiteFault(Fault[P], Protocol[P]):
    """A fault of the one router of a site. What it breaks is known on paper, so that effects can be enumerated."""

    def targets(self, site: Site) -> Iterable[P]:
        """All parameters with which the fault has an effect on ``site``; none if its platform is another one."""
        ...

    def breaks(self, parameters: P, site: Site) -> Affected:
        """Which flows that work no longer do. The faults of a network break what any one of them breaks."""
        ...


@runtime_checkable
class NetworkFault(Fault[P], Protocol[P]):
    """A fault of a managed node of a network. In a redundant network it may break no flow."""

    lets_through: bool
    """Whether flows may get through that must not.

    It is injected last and so repaired first: the repair of another fault that stops these flows would let them pass.
    """
    needs_services: tuple[str, ...]
    """Services that a network must have for it."""
    shown_by: str
    """What shows it: ``flows``, ``servers``, only ``telemetry``, only ``bursts``, or only its ``company``."""

    def places(self, network: DrawnNetwork) -> Iterable[P]:
        """All parameters with which it can be injected into ``network``, in a fixed order; none if it does not fit."""
        ...

    def cuts(self, parameters: P) -> Collection[str]:
        """Prefixes of subnets whose nodes no longer reach others through them. Without any, only a lab shows an effect.

        A network that stays connected without them loses no flow.
        """
        ...
