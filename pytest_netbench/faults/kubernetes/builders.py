"""Builders of faults of a cluster: frozen values that change, create or delete one API object."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pytest_netbench.faults.builders import FaultValue, FoundAt
from pytest_netbench.faults.change import Change, OnNode
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.kubernetes.patches import Object, Operation, patch_line, patched
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.objects import resource
from pytest_netbench.platforms.capabilities import CLUSTER

WORKSTATION: Final = "workstation"
"""The node on which ``kubectl`` runs."""


class OfObject(OnNode):
    """Parameters of a fault of one API object. Repaired from ``node``."""

    node: str = WORKSTATION
    namespace: str


P = TypeVar("P", bound=OfObject)


@dataclass(frozen=True, kw_only=True)
class Edit:
    """What a fault does with one object, and what undoes it.

    Attributes:
        kind: Of the object.
        namespace: Of the object.
        name: Of the object.
        inject: A JSON patch that makes it wrong; nothing if the object must not be there at all.
        repair: A JSON patch that makes it right again.
        surplus: The object, if it must not be there at all.
        field: Steps to the part of the object that shows it.
        shown: What is there while the fault is there.
        lacking: What is not in the list there while the fault is there.
        detail: Sentences that say what is wrong with it.
    """

    kind: str
    namespace: str
    name: str
    inject: tuple[Operation, ...] = ()
    repair: tuple[Operation, ...] = ()
    surplus: Object | None = None
    field: tuple[str | int, ...] = ()
    shown: Any = None
    lacking: Object | None = None
    detail: str

    def applied(self, objects: Sequence[Object]) -> list[Object]:
        """Return the objects of a cluster once the fault is there.

        Raises:
            LookupError: They are not those that it is a fault of.
        """
        if self.surplus is not None:
            return [*objects, self.surplus]
        place = next(number for number, one in enumerate(objects) if self._is(one))
        return [*objects[:place], patched(objects[place], self.inject), *objects[place + 1 :]]

    @property
    def change(self) -> Change:
        """What is injected, what repairs it, and what shows it."""
        kind = self.kind.lower()
        line = (
            patch_line(kind, self.namespace, self.name, self.repair)
            if self.surplus is None
            else f"kubectl delete {kind} {self.name} -n {self.namespace}"
        )
        return Change(
            act=self._inject,
            repair=(line,),
            checks=(self._missing,),
            symptoms=(self._seen,),
            detail=self.detail,
        )

    def _is(self, one: Object) -> bool:
        found = one["metadata"]
        return (one["kind"], found.get("namespace"), found["name"]) == (self.kind, self.namespace, self.name)

    def _inject(self, lab: Lab) -> None:
        cluster = lab.capability(CLUSTER)
        if self.surplus is not None:
            cluster.create(self.surplus)
        else:
            cluster.replace(patched(cluster.read(self.kind, self.namespace, self.name), self.inject))

    def _missing(self, lab: Lab) -> Iterator[str]:
        """A phrase if the object is not as the fault makes it."""
        found: Any = lab.capability(CLUSTER).read(self.kind, self.namespace, self.name)
        for step in self.field:
            try:
                found = found[step]
            except LookupError:
                found = None
                break
        where = f"{self.resource} has {found} at {'.'.join(map(str, self.field))}, expected"
        if self.lacking is not None and self.lacking in (found or ()):
            yield f"{where} it without {self.lacking}"
        if self.shown is not None and found != self.shown:
            yield f"{where} {self.shown}"

    @property
    def resource(self) -> str:
        """The object, as an answer names it."""
        return resource(self.namespace, self.kind, self.name)

    def _seen(self, network: Observable) -> Iterator[Observation]:
        if WORKSTATION not in network.platforms:
            return
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{_escaped(step)}" for step in self.field)
        command = f"kubectl get {self.kind.lower()} {self.name} -n {self.namespace} -o jsonpath='{{{path or '.kind'}}}'"
        yield Observation(
            method="execute-cmd",
            params={"device": WORKSTATION, "command": command},
            shows=Matches(pattern=self._pattern, is_absent=self.lacking is not None),
            because=self.detail,
        )

    @property
    def _pattern(self) -> str:
        if self.surplus is not None:
            return self.kind
        if self.lacking is not None:
            return re.escape(_written(self.lacking))
        return rf"\A{re.escape(_written(self.shown))}\s*\Z"


def _written(value: Any) -> str:
    """A value as a path of ``kubectl`` prints it."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), sort_keys=True)


def _escaped(step: str) -> str:
    """A name as a path of ``kubectl`` has it."""
    return re.sub(r"([./])", r"\\\1", step)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterValue(FaultValue[P]):
    """A fault of an API object. What it breaks is computed from the objects of the cluster, with and without it.

    Attributes:
        at: All parameters with which the objects of a cluster can have it, in a fixed order.
        edit: What it does, by parameters.
        kinds: Of the objects that it can be at.
    """

    platforms: tuple[str, ...] = ("kubernetes",)
    requires: tuple[str, ...] = ("cluster",)
    domain: str = "kubernetes"
    found_at: FoundAt = "k8s"
    at: Callable[[Sequence[Object]], Iterable[P]]
    edit: Callable[[P], Edit]
    kinds: tuple[str, ...] = ("NetworkPolicy",)

    def choices(self, objects: Sequence[Object]) -> Iterator[P]:
        """All parameters with which these objects can have it. With some it changes no flow."""
        return iter(self.at(objects))

    def resource(self, parameters: P) -> str:
        """The object that it is at, e.g. ``k8s/boutique/NetworkPolicy/frontend``."""
        return self.edit(parameters).resource


def cluster_fault(name: str, *, edit: Callable[[P], Edit], **fields: Any) -> ClusterValue[P]:
    """Return a fault of one API object, which it touches. Of two faults of one object only one is injected."""
    return ClusterValue(
        name,
        language="shell",
        edit=edit,
        change=lambda p: edit(p).change,
        touches=lambda p: frozenset({edit(p).resource}),
        **fields,
    )
