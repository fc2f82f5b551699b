"""The nodes of a running lab together with their drivers.

Owns the lookup by name, and the handling of unexpected exceptions of a driver.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.errors import LabError, NetbenchError
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.platforms.driver import Driver, RunsHere

T = TypeVar("T")


class UnknownDevice(KeyError):
    """There is no device of that name; the text names the known ones and the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


class Devices:
    """Looks nodes up by name and asks their drivers.

    Args:
        lab: The running network.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    @property
    def names(self) -> tuple[str, ...]:
        """Device names in topology order."""
        return tuple(node.name for node in self._lab.topology.nodes)

    @property
    def dialects(self) -> tuple[str, ...]:
        """Names of the dialects of the nodes, each once, in topology order."""
        return tuple(dict.fromkeys(self.node(name).platform for name in self.names))

    def node(self, name: str) -> LabNode:
        """The node called ``name``.

        Raises:
            UnknownDevice: There is none.
        """
        try:
            return self._lab.nodes[name]
        except KeyError:
            raise UnknownDevice(unknown("device", name, self.names)) from None

    def driver(self, name: str) -> Driver[Any]:
        """The driver that the lab gives the node called ``name``.

        Raises:
            UnknownDevice: There is none.
        """
        return self._lab.driver(self.node(name).name)

    def ask(self, name: str, what: str, question: Callable[[Driver[Any], LabNode], T]) -> T:
        """Ask a device ``question``; ``what`` names the operation in errors.

        Raises:
            UnknownDevice: There is no such device.
            LabError: Also for an unexpected exception of the driver, which is not the agent's failure.
        """
        node, driver = self.node(name), self.driver(name)
        try:
            return question(driver, node)
        except NetbenchError:
            raise
        except Exception as error:
            raise LabError(f"{name}: driver {driver.name} failed at {what}: {error!r}") from error


def called(lab: Lab, node: str, interface: str) -> str:
    """The name under which the driver of a node reports an interface: the kernel's, if it runs here.

    Raises:
        ValueError: The name cannot be an interface of this network OS.
    """
    driver = lab.driver(node)
    if isinstance(driver, RunsHere):
        return driver.kernel_interface(interface)
    return canonical(lab, node, interface)


def canonical(lab: Lab, node: str, interface: str) -> str:
    """The full name of an interface in the language of its node; equal for two names of one interface.

    Raises:
        ValueError: The name cannot be an interface of this network OS.
    """
    dialect: Dialect = parts.load("dialects", lab.nodes[node].platform)()
    return dialect.interface(interface)


def versions(lab: Lab) -> dict[str, str]:
    """By platform: the version of the network OS that its nodes run, as they say; several are joined by commas.

    Raises:
        LabError: A node does not say it.
    """
    found: dict[str, dict[str, None]] = {}
    for name, node in sorted(lab.nodes.items(), key=lambda one: one[1].platform):
        if (version := lab.driver(name).version(node)) is not None:
            found.setdefault(node.platform, {})[version] = None
    return {platform: ", ".join(several) for platform, several in found.items()}


def unknown(kind: str, name: str, known: tuple[str, ...]) -> str:
    """``unknown device 'R9' (known: 'R1', 'R2'). Did you mean 'R1'?``."""
    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    listing = ", ".join(repr(one) for one in known) or "none"
    return f"unknown {kind} {name!r} (known: {listing})." + (f" Did you mean {by_lower[near[0]]!r}?" if near else "")
