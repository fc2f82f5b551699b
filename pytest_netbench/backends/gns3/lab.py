"""A running lab of GNS3."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pytest_netbench.backends.gns3 import projects
from pytest_netbench.backends.gns3.kinds import Kind
from pytest_netbench.backends.gns3.links import Gns3Links
from pytest_netbench.backends.gns3.nodes import AnyNode, isolation_of, prober_of
from pytest_netbench.backends.gns3.power import Gns3Nodes
from pytest_netbench.backends.gns3.server import Refused
from pytest_netbench.backends.gns3.topology import Site
from pytest_netbench.errors import LabError
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES
from pytest_netbench.lab.cleanup import Cleanup
from pytest_netbench.lab.consoles import Console
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
_START_S = 120.0
_SIDE_BY_SIDE = 8


class Gns3Lab:
    """Implements ``lab.protocols.Lab``.

    Args:
        site: Its project with all nodes and links, not started.
        request: What it is.
        nodes: By name in the task.
        consoles: By node.
        logins: By node: a command line that shows a person its console.
        kinds: By node.
        drivers: By node.
    """

    time_scale = 1.0

    def __init__(
        self,
        *,
        site: Site,
        request: LabRequest,
        nodes: Mapping[str, AnyNode],
        consoles: Mapping[str, Console],
        logins: Mapping[str, str],
        kinds: Mapping[str, Kind],
        drivers: Mapping[str, Any],
    ) -> None:
        self.topology = request.topology
        self.nodes = nodes
        self.project = site.project
        self.features = (f"gns3 {site.server.release}",)
        self.substitutes: dict[str, str] = {}
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = self.destroy_s = 0.0
        self.isolation = isolation_of(kinds)
        self._site = site
        self._consoles = consoles
        self._logins = logins
        self._kinds = kinds
        self._drivers = drivers
        links = Gns3Links(site.server, site.project, site.cables, site.qualities)
        power = Gns3Nodes(nodes, drivers, links, request.startup_configs, self._restart)
        self._offered: dict[str, object] = {LINKS.name: links, NODES.name: power}
        if (prober := prober_of(nodes, kinds)) is not None:
            self._offered[PROBES.name] = prober
        self._cleanup = Cleanup(
            lambda: projects.remove(site.server, self.project),
            wrong=f"project {self.project.name} could not be deleted (fix: netbench clean): ",
        )

    @property
    def cleanup_s(self) -> float:
        """Wall seconds from the call of ``destroy`` until the project was deleted."""
        return self._cleanup.took_s

    @property
    def prober(self) -> Prober:
        return self.capability(PROBES)

    def driver(self, node: str) -> Any:
        return self._drivers[node]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner="this GNS3 lab")

    def start(self) -> None:
        """Start all nodes.

        Raises:
            LabError: The server does not start one.
        """
        self._each(lambda name: self._ask(name, "start"))

    def await_prompts(self) -> None:
        """Return once each node shows its prompt.

        Raises:
            LabError: One does not in time.
        """
        self._each(self._await_prompt)

    def _each(self, do: Callable[[str], None]) -> None:
        with ThreadPoolExecutor(max_workers=_SIDE_BY_SIDE, thread_name_prefix="netbench-gns3") as pool:
            futures = [pool.submit(do, name) for name in self.nodes]
            failures = [future.exception() for future in futures]
        for failure in failures:
            if failure is not None:
                raise failure

    def _await_prompt(self, name: str) -> None:
        self._consoles[name].awaited(self._kinds[name].boot_s).close()
        self.nodes[name].prepare()

    def _restart(self, name: str) -> None:
        self._ask(name, "stop")
        self._ask(name, "start")
        self._await_prompt(name)

    def _ask(self, name: str, what: str) -> None:
        try:
            path = f"{self.project.path}/nodes/{self._site.nodes[name]['node_id']}/{what}"
            self._site.server.post(path, timeout_s=_START_S)
        except Refused as error:
            raise LabError(f"{name}: GNS3 does not {what} it: {error}") from None

    def keep(self) -> Kept:
        projects.keep(self._site.server, self.project)
        self._let_go()
        return Kept(f"project {self.project.name} of {self._site.server.place.url}", self._logins)

    def _let_go(self) -> None:
        for node in self.nodes.values():
            if isinstance(node, ShellNode):
                node.memory.clear()  # sessions; what runs on a node ends with it
                node.let_go()
            else:
                node.close()

    def destroy(self) -> None:
        if self._cleanup.has_begun:
            return
        started = time.monotonic()
        self._let_go()
        self._cleanup.start(since=started)
        self.destroy_s = time.monotonic() - started

    def await_cleanup(self) -> None:
        """Wait until the project of a destroyed lab is deleted.

        Raises:
            LabError: The lab was not destroyed, or its project is there still.
        """
        self._cleanup.wait()
