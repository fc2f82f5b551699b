"""The payload of the family ``diagnose``, its ground truth, and the answer to it.

A root cause is a resource and a fault type, as in NIKA. A resource is written ``node/NODE``,
``interface/NODE/INTERFACE``, ``link/NODE:INTERFACE--NODE:INTERFACE``, with the ends of a link in ascending order, or
``k8s/NAMESPACE/KIND/NAME``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.demand import Demand
from pytest_netbench.model.faulty import Faulty, InjectedFault, MarkedFlows, fault_of
from pytest_netbench.model.objects import K8S, WORKER, resources_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import Endpoint, Topology

Given = Literal["detection", "localization", "nothing"]
"""What an agent is told of the ground truth: that something is wrong, or also where; or nothing."""
_INTERFACE = re.compile(r"^interface (\S+)", re.MULTILINE)


class RootCause(Model):
    """What is wrong, and where."""

    resource_id: str = Field(description="one of the resources, e.g. interface/R1/eth0", max_length=300)
    fault_type: str = Field(description="one of the fault types", max_length=100)


class Diagnosis(Model):
    """The answer to a task of family ``diagnose``."""

    is_anomaly: bool = Field(description="whether anything is wrong in the network")
    root_causes: tuple[RootCause, ...] = Field(
        (), max_length=100, description="each thing that is wrong; empty if nothing is"
    )


class EqualCause(RootCause):
    """Another cause that explains all that a fault does."""

    fault: int = Field(ge=0, description="index of the fault")


class Cause(NamedTuple):
    """What is wrong, and the resources where it may be said to be: the first is where it was injected.

    ``others`` are resources with other fault types that explain the same.
    """

    fault_type: str
    resources: tuple[str, ...]
    others: tuple[tuple[str, str], ...] = ()


class Browsing(Model):
    """Requests of hosts to the web servers of a network, at moments drawn from a seed."""

    seed: int = Field(ge=0, description="of the moments, and of who asks for which page")
    per_s: float = Field(2.0, gt=0, le=5, description="requests a second of wall time, in the mean")


class Diagnose(Faulty):
    """What is broken in a network, if anything, and which causes an answer may name."""

    later: ClassVar[frozenset[str]] = Faulty.later | {"browsing", "equals", "marked"}

    demands: tuple[Demand, ...] = Field((), description="traffic that runs from before the faults to the end")
    browsing: Browsing | None = Field(None, description="requests to web servers that run as long as the demands")
    marked: tuple[MarkedFlows, ...] = Field((), description="flows that arrive with a DSCP which routers give them")
    fault_types: tuple[str, ...] = Field(
        min_length=1, description="the fault types that an agent chooses from once its diagnosis is fixed"
    )

    equals: tuple[EqualCause, ...] = Field((), description="causes that explain the same as one of the faults")
    report: str | None = Field(None, max_length=5_000, description="what an operator wrote, right or wrong")
    given: Given = Field("nothing", description="what the agent is told: whether something is wrong, or also where")

    @model_validator(mode="after")
    def _given_is_there(self) -> Self:
        if self.given != "nothing" and not self.faults:
            raise ValueError(f"given: {self.given} of a network in which nothing is wrong")
        return self

    @model_validator(mode="after")
    def _demands_fit(self) -> Self:
        known = {node.name for node in self.topology.nodes}
        for demand in self.demands:
            for name in (demand.source, demand.target):
                if name not in known:
                    raise ValueError(f"demands: unknown node {name!r} (known: {sorted(known)})")
        received = [(demand.target, demand.port) for demand in self.demands]
        if twice := sorted({place for place in received if received.count(place) > 1}):
            raise ValueError(f"demands: two have the port {twice[0][1]} of {twice[0][0]!r}")
        return self

    @model_validator(mode="after")
    def _pages_to_browse(self) -> Self:
        served = {kind for kinds in self.topology.servers.values() for kind in kinds}
        if self.browsing is not None and "web" not in served:
            raise ValueError("browsing: no host has a web server")
        return self

    @model_validator(mode="after")
    def _types_cover_the_faults(self) -> Self:
        for name in self.fault_types:
            try:
                fault_of(name)
            except UsageError as error:
                raise ValueError(f"fault_types: {error}") from error
        for one in self.faults:
            if one.fault not in self.fault_types:
                raise ValueError(f"fault_types: {one.fault!r} is missing, which is injected")
        for equal in self.equals:
            if equal.fault >= len(self.faults):
                raise ValueError(f"equals: {equal.fault} is not the index of a fault (there are {len(self.faults)})")
            if equal.fault_type not in self.fault_types:
                raise ValueError(f"equals: {equal.fault_type!r} is none of the fault_types")
        return self

    @property
    def needs(self) -> tuple[str, ...]:
        """What the network needs, and what marking does, and machines of which a fault could be one."""
        marking = ("nft-dscp",) if self.marked else ()
        machines = ("workers",) if any(node.role == WORKER for node in self.topology.nodes) else ()
        return tuple(dict.fromkeys((*super().needs, *marking, *machines)))

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The ground truth; empty if the network is healthy."""
        return tuple(
            cause._replace(
                others=tuple((one.resource_id, one.fault_type) for one in self.equals if one.fault == number)
            )
            for number, cause in enumerate(causes_of(self.faults, self.topology))
        )

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """All that can be named: nodes, their interfaces (those of a config, too, that have no cable), and links."""
        interfaces = (
            f"interface/{node.name}/{name}"
            for node in self.topology.nodes
            for name in dict.fromkeys((*self.topology.interfaces(node.name), *self._configured(node.name)))
        )
        links = (_link(link.endpoints) for link in self.topology.links)
        return (*(f"node/{node.name}" for node in self.topology.nodes), *interfaces, *links, *self._objects)

    @property
    def _objects(self) -> tuple[str, ...]:
        """The API objects of a cluster, those that a fault has created, too."""
        texts = (text for name, text in self.startup_configs.items() if self.platform_of(name) == "kubernetes")
        known = {one for text in texts for one in resources_of(text)}
        created = (one for cause in self.causes for one in cause.resources if one.startswith(f"{K8S}/"))
        return tuple(sorted({*known, *created}))

    def _configured(self, node: str) -> list[str]:
        return _INTERFACE.findall(self.startup_configs.get(node, ""))


def causes_of(faults: Iterable[InjectedFault], topology: Topology) -> tuple[Cause, ...]:
    """Return what is wrong in a network with faults, and where."""
    return tuple(Cause(one.fault, _places(one, topology)) for one in faults)


def _link(ends: Iterable[Endpoint]) -> str:
    return "link/" + "--".join(sorted(f"{end.node}:{end.interface}" for end in ends))


def _places(one: InjectedFault, topology: Topology) -> tuple[str, ...]:
    """Where a fault is; of one that is as well seen from the other end of its link, or elsewhere, there too.

    A fault of a link may be named at the link or at one of its ends, and one that two nodes have together at either.

    A fault of another package that does not say where it is, is on its node.
    """
    fault = fault_of(one.fault)
    parameters = fault.parameters.model_validate(one.parameters)
    if fault.found_at == K8S:
        return (fault.resource(parameters),)
    node, interface = parameters.node, getattr(parameters, "interface", None)
    if fault.found_at == "node" or interface is None:
        return tuple(f"node/{name}" for name in (node, *fault.also_on(parameters)))
    end, others = Endpoint(node=node, interface=interface), topology.peers(node).get(interface, ())
    if fault.found_at == "link":
        return (_link((end, *others)), *map(_interface, (end, *others)))
    elsewhere = (Endpoint(node=name, interface=port) for name, port in fault.also_at(parameters))
    return tuple(map(_interface, (end, *(others if fault.is_mutual(parameters) else ()), *elsewhere)))


def _interface(end: Endpoint) -> str:
    return f"interface/{end.node}/{end.interface}"


def diagnose_of(task: Task) -> Diagnose:
    """The payload of ``task``.

    Raises:
        UsageError: It is of another family.
    """
    if not isinstance(task.payload, Diagnose):
        raise UsageError(f"task {task.slug} is of family {task.family!r}, not 'diagnose'")
    return task.payload
