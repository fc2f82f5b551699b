"""Power control for the nodes of a GNS3 lab: the server stops and starts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from pytest_netbench.backends.gns3.links import Gns3Links
from pytest_netbench.backends.gns3.nodes import AnyNode
from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.platforms.driver import Boot
from pytest_netbench.platforms.power import Rebooting


class Gns3Nodes:
    """Implements ``lab.capabilities.NodeControl``. While a Linux host reboots, its neighbors have no carrier.

    Args:
        nodes: The nodes.
        drivers: By node.
        links: Those of the lab.
        startup_configs: By node.
        restart: Stops a node, starts it, and returns once it shows its prompt.
    """

    def __init__(
        self,
        nodes: Mapping[str, AnyNode],
        drivers: Mapping[str, Any],
        links: Gns3Links,
        startup_configs: Mapping[str, str],
        restart: Callable[[str], None],
    ) -> None:
        self._nodes = nodes
        self._drivers = drivers
        self._links = links
        self._startup_configs = startup_configs
        self._restart = restart
        self._crashed: dict[str, None] = {}

    @property
    def crashed(self) -> Collection[str]:
        return tuple(self._crashed)

    def crash(self, node: str) -> None:
        self._known(node)
        self._crashed[node] = None
        self._links.set_crashed(self._crashed)

    def revive(self, node: str) -> None:
        self._known(node)
        self._crashed.pop(node, None)
        self._links.set_crashed(self._crashed)

    def reboot(self, node: str, *, config: str | None = None) -> None:
        self._known(node)
        access, driver = self._nodes[node], self._drivers[node]
        loaded = self._startup_configs.get(node, "") if config is None else config
        if isinstance(access, ShellNode):
            if not isinstance(driver, Rebooting):
                raise LabError(f"{node}: driver {driver.name!r} cannot reboot its nodes")
            with self._links.unplugged(node):
                access.forget()
                self._restart(node)
                # an image may keep files and start programs of its own
                driver.reboot(access, loaded)
            return
        access.close()
        self._restart(node)
        if isinstance(driver, Boot):
            driver.boot(access, loaded)

    def _known(self, node: str) -> None:
        if node not in self._nodes:
            raise LabError(f"there is no node {node!r} (known: {', '.join(self._nodes)})")
