"""A task's network on a lab that runs already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pytest_netbench.backends.containerlab.attached.held import HeldNode
from pytest_netbench.backends.containerlab.links import ContainerLinks
from pytest_netbench.backends.containerlab.node import ContainerNode, entering
from pytest_netbench.backends.containerlab.power import ContainerNodes
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.attaching.putting_back import putting_back
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber

T = TypeVar("T")


class Exchanging:
    """The driver of nodes that run already, which boots by exchanging their configurations."""

    def __init__(self, driver: Any, held: Mapping[str, HeldNode]) -> None:
        self._driver = driver
        self._held = held

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def boot(self, node: ContainerNode, startup_config: str) -> Sequence[RefusedLine]:
        """Load a startup config in place of what the node has."""
        return self._held[node.name].load(startup_config)


class _Nodes(ContainerNodes):
    """Nodes that can crash, and are not rebooted: what runs in them belongs to somebody else."""

    def reboot(self, node: str, *, config: str | None = None) -> NoReturn:
        raise RequirementMissing("backend containerlab reboots no nodes of a lab that ran already")


class AttachedLab:
    """Implements ``lab.protocols.Lab``.

    Args:
        name: Of the lab.
        request: What is asked for.
        held: By node of the task.
        put_back: Makes the lab what it was, and lets go of it; raises ``LabError``.
        leave: Lets it stay as it is, and lets go of it.
    """

    isolation = Isolation(
        read_only="a user of its own without capabilities, with read-only files; the view node of vtysh",
        runs_as="a user of its own; to change a node, with the network capabilities of its container only",
    )
    time_scale = 1.0
    features = ("containerlab", "attached", "veth")

    def __init__(
        self,
        name: str,
        request: LabRequest,
        held: Mapping[str, HeldNode],
        *,
        put_back: Callable[[], None],
        leave: Callable[[], None],
    ) -> None:
        self.attached_to = name
        self.topology = request.topology
        self.nodes = {node: one.node for node, one in held.items()}
        self.images = {one.dialect: one.container.image for one in held.values()}
        self.substitutes: dict[str, str] = {}
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = self.destroy_s = 0.0
        self.prober = NamespaceProber(
            {node: Namespace(pid=one.place.pid, interfaces=(*one.interfaces, "lo")) for node, one in self.nodes.items()}
        )
        by_dialect: dict[str, Exchanging] = {}
        self._drivers = {
            node: by_dialect.setdefault(one.dialect, Exchanging(one.driver, held)) for node, one in held.items()
        }
        links = ContainerLinks(
            request.topology,
            self.nodes,
            (None, {}),
            lambda node, interface: str(self._drivers[node].kernel_interface(interface)),
        )
        power = _Nodes(self.nodes, self._drivers, links, request.startup_configs)
        self._offered = {PROBES.name: self.prober, LINKS.name: links, NODES.name: power}
        self._leave = leave
        self._cleanup = putting_back(f"lab {name}", put_back)

    @property
    def cleanup_s(self) -> float:
        """Wall seconds until the lab was as before."""
        return self._cleanup.took_s

    def driver(self, node: str) -> Any:
        return self._drivers[node]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner="this containerlab lab")

    def keep(self) -> Kept:
        self.prober.close()
        self._leave()
        return Kept(
            f"lab {self.attached_to}",
            {node: entering(one.place.name, one.platform) for node, one in self.nodes.items()},
        )

    def destroy(self) -> None:
        self.prober.close()
        self._cleanup.start()

    def await_cleanup(self) -> None:
        """Wait until the lab is as it was.

        Raises:
            LabError: The lab was not destroyed, or is not as it was.
        """
        self._cleanup.wait()
