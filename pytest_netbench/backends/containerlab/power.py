"""Power control for the nodes of a containerlab lab."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pytest_netbench.backends.containerlab.devices import ContainerDevice
from pytest_netbench.backends.containerlab.links import ContainerLinks
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.patches import PatchedLinks
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.platforms.power import Rebooting


class ContainerNodes:
    """Implements ``lab.capabilities.NodeControl``. A node that reboots keeps its container; its driver starts it anew.

    Args:
        nodes: The nodes.
        drivers: By node.
        links: Those of the lab.
        startup_configs: By node.
    """

    def __init__(
        self,
        nodes: Mapping[str, ContainerNode | ContainerDevice],
        drivers: Mapping[str, Any],
        links: ContainerLinks | PatchedLinks,
        startup_configs: Mapping[str, str],
    ) -> None:
        self._nodes = nodes
        self._drivers = drivers
        self._links = links
        self._startup_configs = startup_configs
        self._crashed: dict[str, None] = {}

    @property
    def crashed(self) -> Collection[str]:
        return tuple(self._crashed)

    def crash(self, node: str) -> None:
        self._access(node)
        self._crashed[node] = None
        self._links.set_crashed(self._crashed)

    def revive(self, node: str) -> None:
        self._access(node)
        self._crashed.pop(node, None)
        self._links.set_crashed(self._crashed)

    def reboot(self, node: str, *, config: str | None = None) -> None:
        access, driver = self._access(node), self._drivers[node]
        if isinstance(access, ContainerDevice):
            raise RequirementMissing("backend containerlab cannot reboot a device")
        if not isinstance(driver, Rebooting):
            raise LabError(f"{node}: driver {driver.name!r} cannot reboot its nodes")
        with self._links.unplugged(node):
            driver.reboot(access, self._startup_configs.get(node, "") if config is None else config)

    def _access(self, node: str) -> ContainerNode | ContainerDevice:
        if node not in self._nodes:
            raise LabError(f"there is no node {node!r} (known: {', '.join(self._nodes)})")
        return self._nodes[node]
