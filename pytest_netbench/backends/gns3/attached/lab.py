"""A task's network on a project that exists already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from pytest_netbench.backends.gns3.attached.held import HeldNode
from pytest_netbench.backends.gns3.links import Gns3Links
from pytest_netbench.backends.gns3.nodes import isolation_of, prober_of
from pytest_netbench.backends.gns3.power import Gns3Nodes
from pytest_netbench.backends.gns3.server import Place
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.attaching.exchanging import Exchanging, exchanging
from pytest_netbench.lab.attaching.putting_back import putting_back
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")


class _Nodes(Gns3Nodes):
    """Nodes that can crash, and are not rebooted: what runs in them belongs to somebody else."""

    def reboot(self, node: str, *, config: str | None = None) -> NoReturn:
        raise _no_reboot()


class AttachedLab:
    """Implements ``lab.protocols.Lab``.

    Args:
        name: Of the project.
        place: Of its server.
        release: Of its server.
        request: What is asked for.
        held: By node of the task.
        links: Those between them.
        put_back: Makes the project what it was, and lets go of it; raises ``LabError``.
        leave: Lets it stay as it is, and lets go of it.
    """

    time_scale = 1.0

    def __init__(
        self,
        name: str,
        *,
        place: Place,
        release: str,
        request: LabRequest,
        held: Mapping[str, HeldNode],
        links: Gns3Links,
        put_back: Callable[[], None],
        leave: Callable[[], None],
    ) -> None:
        self.attached_to = name
        self.topology = request.topology
        self.nodes = {node: one.node for node, one in held.items()}
        self.features = (f"gns3 {release}", "attached")
        self.notes = tuple(note for one in held.values() for note in one.guard.notes)
        self.substitutes: dict[str, str] = {}
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = self.destroy_s = 0.0
        kinds = {node: one.known.kind for node, one in held.items()}
        self.isolation = isolation_of(kinds)
        self._place = place
        self._held = held
        by_driver: dict[str, Exchanging] = {}
        self._drivers = {
            node: by_driver.setdefault(one.driver.name, exchanging(one.driver, held)) for node, one in held.items()
        }
        power = _Nodes(self.nodes, self._drivers, links, request.startup_configs, _not_restarted)
        self._offered: dict[str, object] = {LINKS.name: links, NODES.name: power}
        if (prober := prober_of(self.nodes, kinds)) is not None:
            self._offered[PROBES.name] = prober
        self._leave = leave
        self._cleanup = putting_back(f"project {name}", put_back)

    @property
    def prober(self) -> Prober:
        return self.capability(PROBES)

    @property
    def cleanup_s(self) -> float:
        """Wall seconds until the project was as before."""
        return self._cleanup.took_s

    def driver(self, node: str) -> Exchanging:
        return self._drivers[node]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner="this GNS3 project")

    def keep(self) -> Kept:
        self._leave()
        name = f"project {self.attached_to} of {self._place.url}"
        return Kept(name, {node: one.login for node, one in self._held.items()})

    def destroy(self) -> None:
        self._cleanup.start()

    def await_cleanup(self) -> None:
        """Wait until the project is as it was.

        Raises:
            LabError: The lab was not destroyed, or the project is not as it was.
        """
        self._cleanup.wait()


def _no_reboot() -> RequirementMissing:
    return RequirementMissing("backend gns3 reboots no nodes of a project that existed already")


def _not_restarted(_: str) -> NoReturn:
    raise _no_reboot()
