"""The payload of the family ``diagnose``, its ground truth, and the answer to it.

A root cause is a resource and a fault type, as in NIKA. A resource is written ``node/NODE``,
``interface/NODE/INTERFACE``, ``link/NODE:INTERFACE--NODE:INTERFACE``, with the ends of a link in ascending order, or
``k8s/NAMESPACE/KIND/NAME``.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.causes import Cause, causes_of, link_resource
from pytest_netbench.model.decoys import Decoy
from pytest_netbench.model.demand import Demand
from pytest_netbench.model.faulty import Faulty, MarkedFlows, fault_of
from pytest_netbench.model.monitoring import Monitoring
from pytest_netbench.model.objects import K8S, WORKER, resources_of
from pytest_netbench.model.task import Task

Given = Literal["detection", "localization", "nothing"]
"""What an agent is told of the ground truth: that something is wrong, or also where; or nothing."""
Order = Literal["answer-first", "mixed"]
"""Troubleshoot: whether changes are allowed only after the answer, or from the beginning."""
History = Literal["full", "short", "none"]
"""What telemetry has of the past. full: from before the faults; short: since they are in force; none: only what comes
while the agent works. Below full, samples are missing."""
ReportTruth = Literal["right", "wrong-device", "wrong-cause", "elsewhere"]
"""What is right of a report: all; or it names another device, another cause, or hosts and a device that have no part in
it. In a healthy network, measured by the fault that was left out."""
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


class Browsing(Model):
    """Requests of hosts to the web servers of a network, at moments drawn from a seed."""

    seed: int = Field(ge=0, description="of the moments, and of who asks for which page")
    per_s: float = Field(2.0, gt=0, le=5, description="requests a second of wall time, in the mean")


class Diagnose(Faulty):
    """What is broken in a network, if anything, and which causes an answer may name."""

    later: ClassVar[frozenset[str]] = Faulty.later | {
        "browsing",
        "decoys",
        "equals",
        "history",
        "marked",
        "monitored",
        "monitoring",
        "order",
        "period_s",
        "report_truth",
        "test_hosts",
        "tickets",
        "types_known",
    }

    demands: tuple[Demand, ...] = Field((), description="traffic that runs from before the faults to the end")
    browsing: Browsing | None = Field(None, description="requests to web servers that run as long as the demands")
    marked: tuple[MarkedFlows, ...] = Field((), description="flows that arrive with a DSCP which routers give them")
    fault_types: tuple[str, ...] = Field(
        min_length=1, description="the fault types that an agent chooses from once its diagnosis is fixed"
    )

    types_known: bool = Field(
        False, description="whether an agent can ask for the fault types before its diagnosis is fixed, too"
    )
    equals: tuple[EqualCause, ...] = Field((), description="causes that explain the same as one of the faults")
    report: str | None = Field(None, max_length=5_000, description="what an operator wrote, right or wrong")
    report_truth: ReportTruth | None = Field(
        None, description="what is right of the report; null if it claims nothing, or nobody knows"
    )
    tickets: bool = Field(
        False, description="troubleshoot: the agent can hand over what no command repairs, to those who can mend it"
    )
    decoys: tuple[Decoy, ...] = Field(
        (), description="what looks like a cause and is none, made before anything is injected"
    )
    given: Given = Field("nothing", description="what the agent is told: whether something is wrong, or also where")

    history: History = Field("full", description="what telemetry has of the past; below full, samples are missing")
    monitoring: Monitoring | None = Field(
        None, description="what telemetry has of interfaces; without it all counters and neighbors, in each sample"
    )
    order: Order = Field(
        "answer-first", description="troubleshoot: when managed devices can be changed; mixed: before the answer, too"
    )
    period_s: float | None = Field(
        None, gt=0, description="lab seconds from the agent's beginning in which all that is wrong at any time counts"
    )
    test_hosts: tuple[str, ...] = Field(
        (), description="the hosts that tests start at, and whose traffic telemetry has; all of them without it"
    )

    monitored: tuple[str, ...] = Field(
        (), description="nodes that telemetry has although nobody can log in to them; beside all that one can log in to"
    )

    @model_validator(mode="after")
    def _given_is_there(self) -> Self:
        if self.given != "nothing" and not self.faults:
            raise ValueError(f"given: {self.given} of a network in which nothing is wrong")
        return self

    @model_validator(mode="after")
    def _faults_are_in_the_period(self) -> Self:
        for one in self.faults:
            if one.when is not None and self.period_s is None:
                raise ValueError(f"period_s: needed, because {one.fault!r} is there at times")
            if one.when is not None and self.period_s is not None and one.when.begins_s >= self.period_s:
                raise ValueError(f"period_s: {self.period_s:g} is over before {one.fault!r} begins")
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
    def _test_hosts_send(self) -> Self:
        sources = {name for group in self.flows for name in group.sources}
        if unknown := sorted({*self.test_hosts} - sources):
            raise ValueError(f"test_hosts: {unknown[0]!r} is no source of the flows ({sorted(sources)})")
        return self

    @model_validator(mode="after")
    def _monitored_exist(self) -> Self:
        known = {node.name for node in self.topology.nodes}
        if unknown := sorted({*self.monitored} - known):
            raise ValueError(f"monitored: unknown node {unknown[0]!r} (known: {sorted(known)})")
        return self

    @model_validator(mode="after")
    def _decoys_are_in_the_network(self) -> Self:
        known = {node.name for node in self.topology.nodes}
        for one in self.decoys:
            if one.node not in known:
                raise ValueError(f"decoys: unknown node {one.node!r} (known: {sorted(known)})")
            if one.kind == "flap" and one.interface not in self.topology.interfaces(one.node):
                raise ValueError(f"decoys: {one.node!r} has no cable at {one.interface!r}")
        return self

    @model_validator(mode="after")
    def _monitored_ports_are_there(self) -> Self:
        for one in () if self.monitoring is None else self.monitoring.ports:
            if one.interface not in self.topology.interfaces(one.node):
                raise ValueError(f"monitoring: {one.node} has no interface {one.interface!r} with a link")
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
    def regions(self) -> dict[str, tuple[str, ...]]:
        """Those of what is broken, and what is right of the report if it claims anything."""
        report = {} if self.report_truth is None else {"report": (self.report_truth,)}
        return {**super().regions, **report}

    @property
    def needs(self) -> tuple[str, ...]:
        """What the network needs, and what marking does, and machines of which a fault could be one."""
        marking = ("nft-dscp",) if self.marked else ()
        machines = ("workers",) if any(node.role == WORKER for node in self.topology.nodes) else ()
        links = ("links",) if any(one.kind == "flap" for one in self.decoys) else ()
        return tuple(dict.fromkeys((*super().needs, *marking, *machines, *links)))

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
        links = (link_resource(link.endpoints) for link in self.topology.links)
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


def diagnose_of(task: Task) -> Diagnose:
    """The payload of ``task``.

    Raises:
        UsageError: It is of another family.
    """
    if not isinstance(task.payload, Diagnose):
        raise UsageError(f"task {task.slug} is of family {task.family!r}, not 'diagnose'")
    return task.payload
