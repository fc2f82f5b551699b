"""A network, what is broken in it, and which flows must work: what the payloads of several families have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, ValidationError, model_validator

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.schedule import Schedule
from pytest_netbench.model.watch import WatchedFlow


@cache  # what is installed does not change while a process runs, and asking costs more than drawing a task
def fault_of(name: str) -> Any:
    """The fault called ``name`` (``faults.builders.FaultValue``).

    Raises:
        UsageError: There is none in the catalogue.
    """
    return parts.load("faults", name)


class InjectedFault(Model):
    """A fault of the catalogue with its parameters."""

    fault: str = Field(description="its name in the catalogue, see docs/reference/faults.md")
    parameters: dict[str, Any] = {}
    when: Schedule | None = Field(
        None,
        exclude_if=lambda value: value is None,  # other tasks keep their digests
        description="when it is there; all the time without it",
    )

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> Self:
        try:
            fault_of(self.fault).parameters.model_validate(self.parameters)
        except UsageError as error:
            raise ValueError(str(error)) from error
        except ValidationError as error:
            found = error.errors()[0]
            where = ".".join(str(step) for step in found["loc"])
            raise ValueError(f"fault {self.fault!r}: parameters: {where}: {found['msg']}") from error
        return self

    @model_validator(mode="after")
    def _can_come_and_go(self) -> Self:
        if self.when is not None and fault_of(self.fault).repairable:
            raise ValueError(
                f"when: {self.fault!r} is in the configuration of a node; only what the lab makes and takes away comes"
                " and goes, such as a fault of a cable"
            )
        return self

    @property
    def touches(self) -> frozenset[str]:
        """What it changes or depends on, as the catalogue says."""
        fault = fault_of(self.fault)
        touched: frozenset[str] = fault.touches(fault.parameters.model_validate(self.parameters))
        return touched


class FlowGroup(Model):
    """Flows between many nodes: from each source to each target that is another node."""

    sources: tuple[str, ...] = Field(min_length=1, description="nodes that send")
    targets: dict[str, str] = Field(min_length=1, description="node to the address that is sent to")
    protocol: Literal["icmp", "tcp", "udp"] = "icmp"
    port: int | None = Field(None, ge=1, le=65535, description="port to send to; none for icmp")
    allowed: bool = Field(True, description="the flows must work; false: they must not")

    @model_validator(mode="after")
    def _port_fits(self) -> Self:
        if (self.port is None) != (self.protocol == "icmp"):
            fix = "leave 'port' out" if self.protocol == "icmp" else "give a 'port'"
            raise ValueError(f"flows of {self.protocol}: {fix}")
        return self

    @property
    def count(self) -> int:
        """How many flows there are."""
        return len(self.sources) * len(self.targets) - len(self.targets.keys() & set(self.sources))

    def flows(self) -> Iterator[WatchedFlow]:
        """Each of them."""
        for source in self.sources:
            for target, address in self.targets.items():
                if source != target:
                    yield WatchedFlow(
                        source=source,
                        target=target,
                        address=address,
                        protocol=self.protocol,
                        port=self.port,
                        allowed=self.allowed,
                    )


class MarkedFlows(FlowGroup):
    """Flows whose packets are sent with DSCP 0, and arrive with another one."""

    dscp: int = Field(ge=0, le=63, description="DSCP with which packets arrive")


class Faulty(Networked):
    """What is broken in a network, if anything, and which flows must work in it and which must not."""

    faults: tuple[InjectedFault, ...] = Field((), description="what is broken, in the order of injection")
    flows: tuple[FlowGroup, ...] = Field(min_length=1, description="which flows must work, and which must not")
    symptom: tuple[int, ...] | None = Field(
        None, description="indices of the flows that are wrong while the faults are there; null if it is not known"
    )

    design: str | None = Field(
        None,
        max_length=100_000,
        description="what is planned in the network: addresses, roles, policy and exceptions; shown in the brief",
    )
    masked: bool = Field(
        False,
        description="of two faults: the first one shows only once the second one is repaired",
    )

    later: ClassVar[frozenset[str]] = Networked.later | {"design", "masked"}

    @model_validator(mode="after")
    def _two_are_masked(self) -> Self:
        if self.masked and len(self.faults) != 2:
            raise ValueError(f"masked: needs two faults, of which the second one hides the first ({len(self.faults)})")
        return self

    @model_validator(mode="after")
    def _nodes_exist(self) -> Self:
        self.unknown_nodes("startup_configs")
        known = {node.name for node in self.topology.nodes}
        for group in self.flows:
            for name in (*group.sources, *group.targets):
                if name not in known:
                    raise ValueError(f"flows: unknown node {name!r} (known: {sorted(known)})")
        return self

    @model_validator(mode="after")
    def _symptom_names_flows(self) -> Self:
        count = sum(group.count for group in self.flows)
        if self.symptom is not None and not all(0 <= index < count for index in self.symptom):
            raise ValueError(f"symptom: an index is not that of a flow (there are {count} flows, the first is 0)")
        return self

    @cached_property
    def all_flows(self) -> tuple[WatchedFlow, ...]:
        """Every flow, group by group."""
        return tuple(flow for group in self.flows for flow in group.flows())

    @property
    def regions(self) -> dict[str, tuple[str, ...]]:
        """The number of nodes; how many faults there are, which, and what they touch."""
        places = {place for one in self.faults for place in one.touches}
        return {
            **super().regions,
            "faults": (str(len(self.faults)),),
            "fault": tuple(sorted({one.fault for one in self.faults})),
            "place": tuple(sorted(places)),
        }

    @property
    def needs(self) -> tuple[str, ...]:
        """What the faults need, and what the events do."""
        faults = (need for one in self.faults for need in fault_of(one.fault).requires)
        return tuple(dict.fromkeys(("probes", *super().needs, *faults)))

    @property
    def proof_basis(self) -> dict[str, Any]:
        """All that is deployed, injected and judged."""
        return self.model_dump(mode="json", by_alias=True, exclude={"time_scale"})
