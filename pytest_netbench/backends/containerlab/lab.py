"""A running containerlab lab."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pytest_netbench.backends.containerlab import authorities, commands, leftovers
from pytest_netbench.backends.containerlab.devices import ContainerDevice
from pytest_netbench.backends.containerlab.helpers import LabHelper
from pytest_netbench.backends.containerlab.links import ContainerLinks
from pytest_netbench.backends.containerlab.node import ContainerNode, entering
from pytest_netbench.backends.containerlab.patches import Panel, PatchedLinks
from pytest_netbench.backends.containerlab.power import ContainerNodes
from pytest_netbench.backends.containerlab.prober import prober_of
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.backends.containerlab.topology import ports
from pytest_netbench.errors import LabError
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES
from pytest_netbench.lab.cleanup import Cleanup
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
AnyNode = ContainerNode | ContainerDevice
"""A node of a lab: one whose container is entered, or a device."""
_NOT_CLEAN = "the lab could not be cleaned up (fix: netbench clean): "


class ContainerLab:
    """Implements ``lab.protocols.Lab``.

    Args:
        folder: Of the lab, named as the lab is.
        request: What it is.
        nodes: By name in the task.
        panel: Where links end that are no pair of interfaces, if there are any.
        helper: Enters the containers.
        cabling: Has the links, if all of them are patched.
        drivers: By node.
        images: By platform.
    """

    isolation = Isolation(
        read_only="a user of its own without capabilities, with read-only files; the view node of vtysh",
        runs_as="a user of its own; to change a node, with the network capabilities of its container only",
    )
    time_scale = 1.0
    features = ("containerlab", "veth")

    def __init__(
        self,
        *,
        folder: Path,
        request: LabRequest,
        nodes: Mapping[str, AnyNode],
        panel: Place | None,
        cabling: Panel | None,
        helper: LabHelper,
        drivers: Mapping[str, Any],
        images: Mapping[str, str],
    ) -> None:
        self.folder = folder
        self.images = images
        self.topology = request.topology
        self.nodes = nodes
        self.substitutes: dict[str, str] = {}
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = self.destroy_s = 0.0
        hosts = {name: node for name, node in nodes.items() if isinstance(node, ContainerNode)}
        self._prober = prober_of(hosts, devices=nodes.keys() - hosts.keys())
        self._drivers = drivers
        self._cabling = cabling
        self._helper = helper
        links = self._links(request, panel)
        power = ContainerNodes(nodes, drivers, links, request.startup_configs)
        self._offered = ({} if self._prober is None else {PROBES.name: self._prober}) | {
            LINKS.name: links,
            NODES.name: power,
        }
        self._cleanup = Cleanup(self._clean_up, wrong=_NOT_CLEAN, tell=self._warn)

    @property
    def prober(self) -> Prober:
        return self.capability(PROBES)

    @property
    def cleanup_s(self) -> float:
        """Wall seconds from the call of ``destroy`` until nothing of the lab was left."""
        return self._cleanup.took_s

    @property
    def deployers(self) -> Mapping[str, str]:
        """By program: its version.

        Raises:
            LabError: A program does not answer.
        """
        return commands.releases()

    def _kernel_name(self, node: str, interface: str) -> str:
        device = self.nodes[node]
        if isinstance(device, ContainerDevice):
            return device.kernel_interface(interface)
        return str(self._drivers[node].kernel_interface(interface))

    def _links(self, request: LabRequest, panel: Place | None) -> ContainerLinks | PatchedLinks:
        plugged = ports(request.topology, patched=self._cabling is not None)
        if self._cabling is None or panel is None:
            return ContainerLinks(request.topology, self.nodes, (panel, plugged), self._kernel_name)
        return PatchedLinks(
            self._cabling,
            place=panel,
            ports=plugged,
            topology=request.topology,
            nodes=self.nodes,
            kernel_name=self._kernel_name,
        )

    def driver(self, node: str) -> Any:
        return self._drivers[node]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner="this containerlab lab")

    def keep(self) -> Kept:
        if self._cabling is not None and not authorities.is_root():
            raise LabError("its links are joined by a process of this run, which an ordinary user cannot leave behind")
        if self._cabling is not None:
            self._cabling.keep()
        leftovers.keep(self.folder)
        self._let_go()
        self._helper.close()
        return Kept(
            self.folder.name, {name: entering(node.place.name, node.platform) for name, node in self.nodes.items()}
        )

    def _let_go(self) -> None:
        if self._prober is not None:
            self._prober.close()
        for node in self.nodes.values():
            node.close()

    def destroy(self) -> None:
        if self._cleanup.has_begun:
            return
        started = time.monotonic()
        self._let_go()
        if self._cabling is not None:
            self._cabling.close()
        self._cleanup.start(since=started)
        self.destroy_s = time.monotonic() - started

    def _clean_up(self) -> None:
        self._helper.close()
        leftovers.remove(self.folder)

    def _warn(self, said: str) -> None:
        warnings.warn(f"{self.folder.name}: {said}", RuntimeWarning, stacklevel=1)

    def await_cleanup(self) -> None:
        """Wait until no container, network or file of a destroyed lab is left.

        Raises:
            LabError: The lab was not destroyed, or something is left.
        """
        self._cleanup.wait()
