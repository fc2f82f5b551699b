"""The generator ``diagnose``: drawn networks in which something may be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, Self

from pydantic import Field, model_validator

from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_BURSTS, OF_SWITCHES, WITH_SERVICES
from pytest_netbench.generators.demands import TrafficName, draw_demands
from pytest_netbench.generators.eligible import DIAGNOSABLE, Eligible, packages_of
from pytest_netbench.generators.faulty_draws import FaultyParameters, draw_broken
from pytest_netbench.generators.faulty_networks import hosts_of
from pytest_netbench.generators.health import HEALTHY, is_healthy
from pytest_netbench.generators.networks import flow_groups, marked_flows
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.reports import ReportName, draw_report
from pytest_netbench.generators.values import Span
from pytest_netbench.model.diagnosis import Given
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import Topology

NAME: Final = "diagnose"
_SDN: Final = "sdn-leaf-spine"
_BACKBONE: Final = "isp"


class DiagnoseParameters(FaultyParameters):
    """What can be chosen."""

    faults: tuple[Annotated[str, DIAGNOSABLE], ...] = Field(
        DIAGNOSED,
        description="faults that may occur; with the services dns, web, dhcp, lb and vpn also those of servers, with"
        " qos that of marking, with rpki that of validation, with the traffic bursts that of queues",
    )
    traffic: TrafficName = Field(
        "uniform",
        description="uniform: each host sends to one other; gravity: the largest pairs; matrix: the largest entries of"
        " a backbone's traffic matrix (needs shapes=isp); bursts: all to one at the same moments; web: requests to web"
        " servers (needs the service web)",
    )
    reports: ReportName = Field("none", description="operator: the brief has a report, which may be a false alarm")
    given: Given = Field(
        "nothing",
        description="what the agent is told: nothing, detection (something is wrong), or localization (where)",
    )
    healthy: float = Field(
        0.3, ge=0.0, le=1.0, description="share of networks in which nothing is wrong; none if something is given"
    )

    eligible: ClassVar[Eligible] = DIAGNOSABLE
    """What can be drawn."""

    @model_validator(mode="after")
    def _traffic_has_what_it_needs(self) -> Self:
        if self.traffic == "web" and "web" not in self.services:
            raise ValueError("traffic=web needs services=web")
        if self.traffic == "matrix" and set(self.shapes) != {_BACKBONE}:
            raise ValueError(f"traffic=matrix needs shapes={_BACKBONE}")
        if "lb" in self.services and "web" not in self.services:
            raise ValueError("services=lb needs services=web+lb")
        return self

    @model_validator(mode="after")
    def _defaults_that_fit(self) -> Self:
        is_sdn = _SDN in self.shapes
        further: dict[str, tuple[str, ...]] = {
            "routings": ("openflow",) if is_sdn else (),
            "platforms": ("openvswitch",) if is_sdn else (),
            "faults": (
                *self.eligible.among(WITH_SERVICES, self.services),
                *(OF_BURSTS if self.traffic == "bursts" else ()),
                *(self.eligible.among(OF_SWITCHES, self.services) if is_sdn else ()),
            ),
        }
        for name, more in further.items():
            if more and name not in self.model_fields_set:
                # the model is frozen, and not in use yet
                object.__setattr__(self, name, (*getattr(self, name), *more))
        if (hosts := hosts_of(self.services)) and "hosts" not in self.model_fields_set:
            object.__setattr__(self, "hosts", Span(low=hosts, high=hosts))
        return self


def offered(faults: Sequence[str]) -> tuple[str, ...]:
    """What an agent chooses from: the faults that may be drawn, and those that come with them."""
    company = (one for one in (fault_of(name).company for name in faults) if one is not None)
    return tuple(dict.fromkeys((*faults, *company)))


class DiagnoseGenerator:
    """Networks of FRR or IOS routers and switches with one to three faults, or none."""

    name = NAME
    parameters = DiagnoseParameters
    begins = "Diagnose"

    def draw(self, parameters: DiagnoseParameters, *, seed: int, index: int) -> Task:
        # a healthy network is drawn like any other, so that nothing but the faults tells the difference
        broken = draw_broken(self.name, parameters, random_of(self.name, seed=seed, index=index))
        source = random_of(f"{self.name} traffic", seed=seed, index=index)
        demands = draw_demands(broken.network, parameters.traffic, source)
        browsing = {"seed": source.getrandbits(32)} if parameters.traffic == "web" else None
        marked = marked_flows(broken.network)
        nothing_wrong = parameters.given == "nothing" and is_healthy(
            self.name, parameters.healthy, seed=seed, index=index
        )
        faults = [] if nothing_wrong else broken.faults
        network, report = broken.network, None
        if parameters.reports == "operator":
            source = random_of(f"{self.name} report", seed=seed, index=index)
            report = draw_report(network, [one.parameters["node"] for one in broken.faults], source)
        drawn = Drawn(
            generator=self.name,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            scenario=network.shape,
            label=HEALTHY if nothing_wrong else broken.label,
            packages=packages_of(parameters.faults),
            level=max(1, len(faults)),
        )
        return Task.model_validate(
            {
                "task_name": f"{self.begins} a network of shape {network.shape} with {network.routing} routing",
                "slug": drawn.slug,
                "family": self.name,
                "domain": "routing",
                "drawn": drawn,
                **network.fields(),
                "topology": self.controlled(network.topology),
                "flows": flow_groups(network),
                "demands": demands,
                **({"browsing": browsing} if browsing else {}),
                **({"marked": marked} if marked else {}),
                "faults": faults,
                "fault_types": offered(parameters.faults),
                "report": report,
                "given": parameters.given,
                "ground_truth_reasoning": reasoning(faults) if faults else "Nothing is wrong in this network.",
            }
        )

    def controlled(self, topology: Topology) -> Topology:
        """The topology with nodes that can be looked at and not changed."""
        nodes = (
            node.model_copy(update={"control": "observed"}) if node.control == "managed" else node
            for node in topology.nodes
        )
        return topology.model_copy(update={"nodes": tuple(nodes)})
