"""Faults of a device: configuration commands in the device's own language that inject and repair them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Generic, TypeVar

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.linux import OnNode
from pytest_netbench.faults.protocol import Commands
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
    requires: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ("frr", "cisco_ios")
    called: Mapping[str, str] = {}

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        for one in self._places(network):
            if one.platform in self.platforms and network.is_managed(one.node):
                yield one

    def inject(self, parameters: P, lab: Lab) -> None:
        node, driver = lab.nodes[parameters.node], lab.driver(parameters.node)
        apply = driver.apply_unseen if isinstance(driver, AppliesUnseen) else driver.apply
        for status in apply(node, self.injection(parameters)):
            if status.status == "error":
                said = status.message.strip() or "no message"
                raise FaultHasNoEffect(self.name, f"{parameters.node} refused {status.command.strip()!r}: {said}")

    def observe(self, parameters: P, lab: Lab) -> None:
        config = lab.driver(parameters.node).running_config(lab.nodes[parameters.node])
        for problem in (*unlike(config, self.shown(parameters)), *self.remains(parameters, lab)):
            raise FaultHasNoEffect(self.name, f"{parameters.node}: {problem}")

    def recover(self, parameters: P) -> Commands:
        return {parameters.node: self.repair(parameters)}

    # what a subclass says

    name: str

    @abstractmethod
    def _places(self, network: DrawnNetwork) -> Iterable[P]:
        """All parameters that fit a network. Those of other platforms and of nodes not managed are left out."""

    @abstractmethod
    def touches(self, parameters: P) -> frozenset[str]:
        """What it changes or depends on."""

    @abstractmethod
    def injection(self, parameters: P) -> tuple[str, ...]:
        """Commands that inject it."""

    @abstractmethod
    def repair(self, parameters: P) -> tuple[str, ...]:
        """Commands that repair it, after which the config is as before."""

    def shown(self, parameters: P) -> tuple[str, ...]:
        """What the running config is checked against, where it does not have the words of the commands."""
        return self.injection(parameters)

    def remains(self, parameters: P, lab: Lab) -> Iterable[str]:  # noqa: ARG002  (the config may be all there is)
        """What of the network's state shows that the fault has not taken effect, one phrase each."""
        return ()


def unlike(config: str, commands: Iterable[str]) -> Iterator[str]:
    """Return a phrase for each command that a running config does not show to be in force."""
    paths = set(config_paths(config))
    for *parents, line in config_paths("\n".join(commands)):
        if line.startswith("do "):
            continue
        if not line.startswith("no "):
            if (*parents, line) not in paths:
                yield f"{_shown(parents, line)} is not in the running config"
        elif left := _beginning(paths, tuple(parents), line.removeprefix("no ")):
            yield f"{_shown(parents, left)} is still in the running config"


def _beginning(paths: Iterable[tuple[str, ...]], parents: tuple[str, ...], line: str) -> str | None:
    return next((one for *above, one in paths if tuple(above) == parents and f"{one} ".startswith(f"{line} ")), None)


def _shown(parents: Iterable[str], line: str) -> str:
    return repr(" / ".join((*parents, line)))


def opening(network: DrawnNetwork, node: str, beginning: str) -> str | None:
    """Return the line of a startup config that opens the section of ``beginning``, e.g. ``router ospf 1``."""
    lines = network.startup_configs.get(node, "").splitlines()
    return next((line for line in lines if f"{line} ".startswith(f"{beginning} ")), None)
