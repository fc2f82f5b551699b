"""The objects of a cluster, as threads other than its own event loop use them."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from pytest_netbench.errors import LabError
from pytest_netbench.kubernetes.objects import managed
from pytest_netbench.lab.kubernetes.client import KINDS, Api, Kind, Object, identity
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.kubernetes.stores import Key

T = TypeVar("T")


class ManagedCluster(Protocol):
    """A cluster whose objects a lab has deployed. Used in the cluster's event loop only."""

    renewed: Sequence[Kind]
    """Kinds whose objects are all made anew when one of them changes."""

    @property
    def version(self) -> str:
        """Of the API server."""
        ...

    @property
    def api(self) -> Api:
        """Its API."""
        ...

    async def managed(self) -> list[Object]:
        """Return the objects of the application that people manage."""
        ...

    async def listed(self, kind: Kind, namespace: str | None) -> list[Object]:
        """Return the objects of a kind, but for those that the cluster makes for itself."""
        ...

    async def put(self, kind: Kind, objects: Sequence[Object], *, gone: Key | None = None) -> None:
        """Let the cluster have these objects of a kind, and one no more, as if it had been deployed so."""
        ...


class ObjectControl:
    """Implements what ``platforms.cluster_control.ClusterControl`` says of objects.

    Args:
        loop: In which the cluster runs.
        cluster: The cluster.
    """

    answer_s: ClassVar[float]
    """How long an answer may take, in seconds."""

    def __init__(self, loop: EventLoop, cluster: ManagedCluster) -> None:
        self._loop = loop
        self._objects = cluster

    @property
    def version(self) -> str:
        return self._objects.version

    def run(self, work: Coroutine[Any, Any, T], *, timeout_s: float | None = None) -> T:
        """Run something in the cluster's event loop.

        Raises:
            LabError: It takes longer than ``timeout_s``, ``answer_s`` by default.
        """
        return self._loop.run(work, timeout_s=self.answer_s if timeout_s is None else timeout_s)

    def managed(self) -> Sequence[Object]:
        return self.run(self._objects.managed())

    def objects(self, kind: str, namespace: str | None = None) -> Sequence[Object]:
        return self.run(self._objects.listed(_known(kind), namespace))

    def read(self, kind: str, namespace: str, name: str) -> Object:
        known = _known(kind)
        found = self.run(self._objects.api.read(known, namespace, name))
        return self.as_managed({"apiVersion": known.version, "kind": known.name, **found})

    def as_managed(self, found: Object) -> Object:
        """Return an object as people manage it, from what the API says."""
        return managed(found)

    def replace(self, changed: Object) -> None:
        kind, namespace, name = identity(changed)
        self.read(kind.name, namespace or "", name)
        self.run(self._objects.put(kind, [changed]))

    def create(self, new: Object) -> None:
        self.run(self._objects.put(identity(new)[0], [new]))

    def renew(self) -> None:
        self.run(self._objects.put(self._objects.renewed[0], []))

    def renews(self, kinds: Collection[str]) -> None:
        self._objects.renewed = tuple(_known(kind) for kind in sorted(kinds))

    def delete(self, kind: str, namespace: str, name: str) -> None:
        self.run(self._objects.put(_known(kind), [], gone=(namespace, name)))


def _known(kind: str) -> Kind:
    known = KINDS.get(kind)
    if known is None:
        raise LabError(f"objects of the kind {kind} are not known (known: {', '.join(KINDS)})")
    return known
