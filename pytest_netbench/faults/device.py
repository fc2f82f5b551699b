"""Faults of a device: configuration commands in the device's own language that inject and repair them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Generic, Literal, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.change import ByChange, Change, OnDevice, by_config
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

P = TypeVar("P", bound=OnDevice)


class DeviceFault(ByChange[P], ABC, Generic[P]):
    """What faults of one device share. A subclass gives commands; the running config is checked against them.

    Commands are indented as in a config: a line belongs to the less indented one above it. ``no LINE`` removes all
    lines that begin with ``LINE``. ``do COMMAND`` is an exec command and leaves nothing in the config.
    """

    language = "config"
    label: ClassVar[str]
    lets_through: bool = False
    requires: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ("frr", "cisco_ios")
    called: Mapping[str, str] = {}
    domain: ClassVar[str] = "routing"
    """The group of faults that it is counted with in summaries."""
    found_at: ClassVar[Literal["interface", "link", "node"]] = "node"
    """What a diagnosis names as its place."""

    def is_mutual(self, parameters: P) -> bool:  # noqa: ARG002  (most are at one end)
        """Whether nobody can tell which end of the link is the wrong one: the ends differ, or are the same."""
        return False

    def also_on(self, parameters: P) -> tuple[str, ...]:  # noqa: ARG002  (most are on one node)
        """Return other nodes on which it is as well as on its own, so that either is a right answer."""
        return ()

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        for one in self._places(network):
            if one.platform in self.platforms and network.is_managed(one.node):
                yield one

    def change(self, parameters: P) -> Change:
        """What its methods say."""
        return Change(
            inject=self.injection(parameters),
            repair=self.repair(parameters),
            shown=self.shown(parameters),
            checks=(lambda lab: self.remains(parameters, lab),),
            symptoms=(lambda network: self.symptoms(parameters, network),),
        )

    def _apply(self, commands: Sequence[str], node: str, lab: Lab) -> None:
        for problem in by_config(node, commands, lab):
            raise FaultHasNoEffect(self.name, f"{node} refused {problem}")

    # what a subclass says

    name: str

    @abstractmethod
    def _places(self, network: DrawnNetwork) -> Iterable[P]:
        """All parameters that fit a network. Those of other platforms and of nodes not managed are left out."""

    @abstractmethod
    def touches(self, parameters: P) -> frozenset[str]:
        """What it changes or depends on."""

    def cuts(self, parameters: P) -> frozenset[str]:  # noqa: ARG002  (by default only a lab shows what it breaks)
        """Prefixes of subnets whose nodes no longer reach others through them."""
        return frozenset()

    @abstractmethod
    def injection(self, parameters: P) -> tuple[str, ...]:
        """Commands that inject it."""

    @abstractmethod
    def repair(self, parameters: P) -> tuple[str, ...]:
        """Commands that repair it, after which the config is as before."""

    def shown(self, parameters: P) -> tuple[str, ...]:
        """What the running config is checked against, where it does not have the words of the commands."""
        return self.injection(parameters)

    def symptoms(self, parameters: P, network: Observable) -> Iterable[Observation]:  # noqa: ARG002  (the config may be all)
        """What an agent can observe beside the config, the most telling first."""
        return ()

    def remains(self, parameters: P, lab: Lab) -> Iterable[str]:  # noqa: ARG002  (the config may be all there is)
        """What of the network's state shows that the fault has not taken effect, one phrase each."""
        return ()
