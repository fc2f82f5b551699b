"""Faults of a device: configuration commands in the device's own language that inject and repair them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import ClassVar, Generic, Literal, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.configs import EXEC, unlike
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.linux import OnNode
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.driver import AppliesUnseen


class OnDevice(OnNode):
    """Parameters of a fault of one device. ``platform`` is the language of its commands."""

    platform: str


P = TypeVar("P", bound=OnDevice)


class DeviceFault(ABC, Generic[P]):
    """What faults of one device share. A subclass gives commands; the running config is checked against them.

    Commands are indented as in a config: a line belongs to the less indented one above it. ``no LINE`` removes all
    lines that begin with ``LINE``. ``do COMMAND`` is an exec command and leaves nothing in the config.
    """

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

    def inject(self, parameters: P, lab: Lab) -> None:
        # what a batch of configuration does is there when it ends, and only then can an exec command build on it
        for is_exec, commands in groupby(self.injection(parameters), key=lambda line: line.startswith(EXEC)):
            self._apply([line.removeprefix(EXEC) if is_exec else line for line in commands], parameters.node, lab)

    def _apply(self, commands: Sequence[str], node: str, lab: Lab) -> None:
        driver = lab.driver(node)
        apply = driver.apply_unseen if isinstance(driver, AppliesUnseen) else driver.apply
        for status in apply(lab.nodes[node], commands):
            if status.status == "error":
                said = status.message.strip() or "no message"
                raise FaultHasNoEffect(self.name, f"{node} refused {status.command.strip()!r}: {said}")

    def observe(self, parameters: P, lab: Lab) -> None:
        config = lab.driver(parameters.node).running_config(lab.nodes[parameters.node])
        for problem in (*unlike(config, self.shown(parameters)), *self.remains(parameters, lab)):
            raise FaultHasNoEffect(self.name, f"{parameters.node}: {problem}")

    def recover(self, parameters: P) -> Commands:
        return {parameters.node: self.repair(parameters)}

    def explain(self, parameters: P) -> str:
        lines = [f"`{line}`" for line in _lasting(self.injection(parameters))]
        return f"{about(self)} On {parameters.node}, the configuration is as after {', '.join(lines)}."

    def evidence(self, parameters: P, network: Observable) -> Iterator[Observation]:
        lines = [line for line in self.shown(parameters) if not line.startswith(EXEC)]
        if lines:
            yield asking.config(parameters.node, lines, about(self))
        yield from self.symptoms(parameters, network)

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


def _lasting(commands: Sequence[str]) -> Iterator[str]:
    """Configuration commands, without the pairs that only type a line again to keep the order of lines."""
    lines = [line.strip() for line in commands if not line.startswith(EXEC)]
    retyped = {number for number, (one, other) in enumerate(pairwise(lines)) if one == f"no {other}"}
    return (line for number, line in enumerate(lines) if not {number, number - 1} & retyped)
