"""What can be chosen of networks to diagnose."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Self

from pydantic import Field, model_validator

from pytest_netbench.generators.decoys import DecoysName
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_BURSTS, OF_SWITCHES, WITH_SERVICES
from pytest_netbench.generators.demands import TrafficName
from pytest_netbench.generators.eligible import DIAGNOSABLE, Eligible
from pytest_netbench.generators.faulty_networks import hosts_of
from pytest_netbench.generators.faulty_parameters import FaultyParameters
from pytest_netbench.generators.levels import REPORTED
from pytest_netbench.generators.monitoring import MonitoringName
from pytest_netbench.generators.reports import ReportName
from pytest_netbench.generators.timing import Timing, can_come_and_go
from pytest_netbench.generators.values import Span
from pytest_netbench.model.diagnosis import Given, History

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
    reports: ReportName = Field(
        "none",
        description="operator: the brief has a report, which may be a false alarm; wrong-device, wrong-cause,"
        " elsewhere: it claims where and what, and is wrong in this; mixed: right, or wrong in one of these",
    )
    decoys: DecoysName = Field(
        "none",
        description="drawn: some things look like causes and are none: a cable that lost its carrier for a moment, a"
        " host that is switched off, a colleague's change",
    )
    history: History = Field(
        "full",
        description="what telemetry has of the past: full, from before the faults; short, since they are in force;"
        " none, what comes while the agent works. Below full, samples are missing",
    )
    monitoring: MonitoringName = Field(
        "samples",
        exclude_if=lambda value: value == "samples",  # other draws keep their parameters
        description="what telemetry has of interfaces: samples, all counters and neighbors in each; averages, of some"
        " interfaces over a minute, inexact and with wrong names, and of neighbors nothing",
    )
    timing: Timing = Field(
        "steady",
        description="steady: faults are there all the time; drawn: those of cables may begin later, be over, or come"
        " and go, and what is wrong at any time of a period counts",
    )
    given: Given = Field(
        "nothing",
        description="what the agent is told: nothing, detection (something is wrong), or localization (where)",
    )
    healthy: float = Field(
        0.3, ge=0.0, le=1.0, description="share of networks in which nothing is wrong; none if something is given"
    )

    eligible: ClassVar[Eligible] = DIAGNOSABLE

    has_table: ClassVar[bool] = True

    @model_validator(mode="after")
    def _traffic_has_what_it_needs(self) -> Self:
        if self.traffic == "web" and "web" not in self.services:
            raise ValueError("traffic=web needs services=web")
        if self.traffic == "matrix" and set(self.shapes) != {_BACKBONE}:
            raise ValueError(f"traffic=matrix needs shapes={_BACKBONE}")
        if self.access == "reports" and self.monitoring == "averages":
            raise ValueError("access=reports needs monitoring=samples: averages do not tell where a fault is")
        if "lb" in self.services and "web" not in self.services:
            raise ValueError("services=lb needs services=web+lb")
        return self

    @model_validator(mode="after")
    def _defaults_that_fit(self) -> Self:
        is_sdn = _SDN in self.shapes
        faults = (
            *self.eligible.among(WITH_SERVICES, self.services),
            *(OF_BURSTS if self.traffic == "bursts" else ()),
            *(self.eligible.among(OF_SWITCHES, self.services) if is_sdn else ()),
        )
        if self.access == "reports" and "faults" not in self.model_fields_set:
            # the model is frozen, and not in use yet
            object.__setattr__(self, "faults", REPORTED)
        self._add_defaults(
            routings=("openflow",) if is_sdn else (),
            platforms=("openvswitch",) if is_sdn else (),
            faults=() if self.access == "reports" else faults,
        )
        if (hosts := hosts_of(self.services)) and "hosts" not in self.model_fields_set:
            object.__setattr__(self, "hosts", Span(low=hosts, high=hosts))
        return self

    @model_validator(mode="after")
    def _something_comes_and_goes(self) -> Self:
        if self.timing == "drawn" and not any(map(can_come_and_go, self.faults)):
            raise ValueError("timing=drawn needs a fault of a cable, such as faults=link-lossy")
        return self
