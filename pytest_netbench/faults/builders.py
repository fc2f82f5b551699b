"""Builders of faults: frozen values that say what is wrong, where it can be, and what it changes.

A value is registered as an entry point of the group ``pytest_netbench.faults``. Its fields say by whom it is
drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pytest_netbench.faults.change import ByChange, Change, Language, OnNode
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.model.network import DrawnNetwork

P = TypeVar("P", bound=OnNode)
Things = Callable[[P], frozenset[str]]
FoundAt = Literal["interface", "link", "node"]
ShownBy = Literal["flows", "servers", "telemetry", "bursts", "company"]
"""What shows a fault: flows that break; servers that answer wrongly, late or not; only what an agent measures or reads;
only traffic in bursts; or nothing unless another fault is there."""


def nothing(parameters: OnNode) -> frozenset[str]:  # noqa: ARG001  (whatever they are)
    """Return no things: what most faults cut off on paper."""
    return frozenset()


def nowhere(parameters: OnNode) -> tuple[Any, ...]:  # noqa: ARG001  (whatever they are)
    """Return no places: most faults are in one only."""
    return ()


def never(parameters: OnNode) -> bool:  # noqa: ARG001  (whatever they are)
    """Return that it is not so."""
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class FaultValue(ByChange[P], Generic[P]):
    """One kind of fault.

    Attributes:
        name: Its part name.
        about: A sentence that says what is wrong.
        label: The class that it belongs to, e.g. ``DR``.
        parameters: What has to be known to inject it. Injected and repaired from them alone.
        change: What it changes, by parameters.
        touches: By parameters, what it changes or depends on. Of two that touch the same, one is injected.
        platforms: Of the nodes that can have it.
        requires: Kernel features and capabilities that it needs, as a task's ``requirements``.
        called: By benchmark: what others call it.
        domain: The group of faults that it is counted with in summaries.
        language: Of its commands: a config's, or the shell's.
        found_at: What a diagnosis names as its place.
        is_mutual: Whether nobody can tell which end of the link is the wrong one.
        also_on: Other nodes on which it is as well, so that either is a right answer.
        also_at: Like ``also_on``, nodes with their interfaces.
    """

    name: str
    about: str
    label: str
    parameters: type[P]
    change: Callable[[P], Change]
    touches: Things[P]
    platforms: tuple[str, ...]
    requires: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    domain: str
    language: Language
    found_at: FoundAt = "node"
    is_mutual: Callable[[P], bool] = never
    also_on: Callable[[P], tuple[str, ...]] = nowhere
    also_at: Callable[[P], tuple[tuple[str, str], ...]] = nowhere
    repairable: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True, eq=False)
class SiteValue(FaultValue[P]):
    """A fault of the one router of a site. What it breaks is known on paper.

    Attributes:
        at: All parameters with which it has an effect on a site of its platform.
        breaks: Which flows that work no longer do.
    """

    at: Callable[[Site], Iterable[P]]
    breaks: Callable[[P, Site], Affected]

    def targets(self, site: Site) -> Iterator[P]:
        """All parameters with which it has an effect on a site; none if its platform is another one."""
        return iter(self.at(site) if site.platform in self.platforms else ())


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkValue(FaultValue[P]):
    """A fault of a managed node of a network.

    Attributes:
        at: All parameters that fit a network. Those of other platforms and of nodes not managed are left out.
        cuts: Prefixes of subnets whose nodes no longer reach others through them.
        lets_through: Whether flows may get through that must not.
        needs_services: Services that a network must have for it.
        shown_by: What shows it.
    """

    at: Callable[[DrawnNetwork], Iterable[P]]
    cuts: Things[P] = nothing
    lets_through: bool = False
    needs_services: tuple[str, ...] = ()
    shown_by: ShownBy = "flows"

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        """All parameters with which it can be injected into a network, in a fixed order."""
        for one in self.at(network):
            if network.platform_of(one.node) in self.platforms and network.is_managed(one.node):
                yield one


def shell_fault(
    name: str,
    *,
    about: str,
    label: str,
    parameters: type[P],
    at: Callable[[Site], Iterable[P]],
    breaks: Callable[[P, Site], Affected],
    touches: Things[P],
    change: Callable[[P], Change],
    called: Mapping[str, str] | None = None,
    requires: tuple[str, ...] = (),
) -> SiteValue[P]:
    """Return a fault of a Linux router, by shell commands. Its ``signs`` show it."""
    return SiteValue(
        name=name,
        about=about,
        label=label,
        parameters=parameters,
        at=at,
        breaks=breaks,
        touches=touches,
        change=change,
        called=called or {},
        requires=requires,
        platforms=("linux",),
        domain="forwarding",
        language="shell",
    )


def config_fault(
    name: str,
    *,
    about: str,
    label: str,
    parameters: type[P],
    at: Callable[[DrawnNetwork], Iterable[P]],
    touches: Things[P],
    change: Callable[[P], Change],
    cuts: Things[P] = nothing,
    platforms: tuple[str, ...] = ("frr", "cisco_ios"),
    domain: str = "routing",
    called: Mapping[str, str] | None = None,
    requires: tuple[str, ...] = (),
    found_at: FoundAt = "node",
    is_mutual: Callable[[P], bool] = never,
    also_on: Callable[[P], tuple[str, ...]] = nowhere,
    also_at: Callable[[P], tuple[tuple[str, str], ...]] = nowhere,
    lets_through: bool = False,
    needs_services: tuple[str, ...] = (),
    shown_by: ShownBy = "flows",
) -> NetworkValue[P]:
    """Return a fault of a device, by commands in its own language. Its running config and its ``checks`` show it."""
    return NetworkValue(
        name=name,
        about=about,
        label=label,
        parameters=parameters,
        at=at,
        touches=touches,
        change=change,
        cuts=cuts,
        platforms=platforms,
        domain=domain,
        called=called or {},
        requires=requires,
        found_at=found_at,
        is_mutual=is_mutual,
        also_on=also_on,
        also_at=also_at,
        lets_through=lets_through,
        needs_services=needs_services,
        shown_by=shown_by,
        language="config",
    )
