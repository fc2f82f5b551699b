"""Builders of faults: frozen values that say what is wrong, where it can be, and what it changes.

A value in a module of this package is in the catalogue; other packages name theirs by an entry point of the group
``pytest_netbench.faults``. Its fields say by whom it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.change import ByChange, Change, Commands, Language, OnNode
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

P = TypeVar("P", bound=OnNode)
Things = Callable[[P], frozenset[str]]
FoundAt = Literal["interface", "k8s", "link", "node"]
"""``k8s``: an API object of a cluster; its ``resource`` says which."""
ShownBy = Literal["flows", "servers", "telemetry", "bursts", "company"]
"""What shows a fault: flows that break; servers that answer wrongly, late or not; only what an agent measures or reads;
only traffic in bursts; or nothing unless another fault is there."""


def nothing(_parameters: OnNode) -> frozenset[str]:
    """Return no things: what most faults cut off on paper."""
    return frozenset()


def nowhere(_parameters: OnNode) -> tuple[Any, ...]:
    """Return no places: most faults are in one only."""
    return ()


def never(_parameters: OnNode) -> bool:
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

    name: str = field(kw_only=False)
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
    """A fault of the one Linux router of a site, by shell commands. Its ``signs`` show it; what it breaks is known.

    Attributes:
        at: All parameters with which it has an effect on a site of its platform.
        breaks: Which flows that work no longer do.
    """

    platforms: tuple[str, ...] = ("linux",)
    domain: str = "forwarding"
    language: Language = "shell"
    at: Callable[[Site], Iterable[P]]
    breaks: Callable[[P, Site], Affected]

    def targets(self, site: Site) -> Iterator[P]:
        """All parameters with which it has an effect on a site; none if its platform is another one."""
        return iter(self.at(site) if site.platform in self.platforms else ())


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkValue(FaultValue[P]):
    """A fault of a managed node of a network, by commands in its language. Its config and its ``checks`` show it.

    Attributes:
        at: All parameters that fit a network. Those of other platforms and of nodes not managed are left out.
        cuts: Prefixes of subnets whose nodes no longer reach others through them.
        lets_through: Whether flows may get through that must not. It is injected last and so repaired first: the repair
            of another fault that stops these flows would let them pass.
        needs_services: Services that a network must have for it.
        shown_by: What shows it.
        company: The name of another fault beside which alone it shows. The other one is injected after it.
        accompanied: All parameters of the other one with which it shows, in a fixed order.
    """

    platforms: tuple[str, ...] = ("frr", "cisco_ios")
    domain: str = "routing"
    language: Language = "config"
    at: Callable[[DrawnNetwork], Iterable[P]]
    cuts: Things[P] = nothing
    lets_through: bool = False
    needs_services: tuple[str, ...] = ()
    shown_by: ShownBy = "flows"
    company: str | None = None
    accompanied: Callable[[P, DrawnNetwork], Iterable[OnNode]] = lambda _, __: ()

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        """All parameters with which it can be injected into a network, in a fixed order."""
        for one in self.at(network):
            if network.platform_of(one.node) in self.platforms and network.is_managed(one.node):
                yield one


class FromOutside(Generic[P]):
    """What a fault does that no command on a node repairs: the lab makes it and takes it away."""

    name: str
    change: Callable[[P], Change]
    repairable: ClassVar[bool] = False

    def observe(self, parameters: P, lab: Lab) -> None:
        for check in self.change(parameters).checks:
            for problem in check(lab):
                raise FaultHasNoEffect(self.name, problem)

    def recover(self, parameters: P) -> Commands:  # no node repairs it
        return {}

    def undo(self, parameters: P, lab: Lab) -> None:
        """Take it away.

        Raises:
            LabError: It cannot be taken away.
        """
        undo = self.change(parameters).undo
        assert undo is not None, self.name
        undo(lab)


@dataclass(frozen=True, kw_only=True, eq=False)
class OutsideValue(FromOutside[P], NetworkValue[P]):
    """A fault of a network that no command on a node repairs. Its places are on any node."""

    platforms: tuple[str, ...] = ("linux",)

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        return iter(self.at(network))


shell_fault = SiteValue
config_fault = NetworkValue
