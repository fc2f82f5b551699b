"""What was seen of a network's flows while an agent worked on it, change by change.

A flow is *right* if it gets through and must, or does not get through and must not; otherwise it is *wrong*. All lists
of numbers are indices into ``Watch.flows``, in ascending order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from pytest_netbench.model.base import Model, Recorded


class WatchedFlow(Model):
    """A flow that is watched while an agent works: packets of one node to one address of another."""

    source: str = Field(description="node that sends")
    target: str = Field(description="node that must accept the packets")
    address: str = Field(description="address of the target in the healthy network, to which is sent")
    protocol: Literal["icmp", "tcp", "udp"] = "icmp"
    port: int | None = Field(None, ge=1, le=65535, description="port to send to; null for icmp")
    allowed: bool = Field(True, description="it must get through; false: it must not")

    def __str__(self) -> str:
        service = self.protocol if self.port is None else f"{self.protocol}/{self.port}"
        return f"{self.source} -> {self.target} ({self.address}) {service}"


class WatchedStep(Recorded):
    """A change by the agent after which other flows were right than before."""

    number: int = Field(ge=0, description="of the change, 1 for the first; 0: something changed before the first")
    at_s: float = Field(ge=0, description="wall seconds from the start of the agent to the start of the change")
    device: str = Field("", description="where something was changed")
    what: str = Field("", description="the first line of the change")
    late: bool = Field(False, description="seen only later, when nothing further had been changed")
    broke: tuple[int, ...] = Field((), description="flows that were right before and are wrong after it")
    mended: tuple[int, ...] = Field((), description="flows that were wrong before and are right after it")


class Outage(Model):
    """The longest time in which a flow that had been right was wrong."""

    flow: int
    lab_s: float = Field(ge=0, description="lab seconds, from the first probe that showed it to the next that did not")
    lasts: bool = Field(False, description="it had not ended when the agent had finished")


class Watch(Recorded):
    """The flows while an agent worked: before its first change, after each change, and at the end.

    ``steps`` has only changes after which other flows were right. The matrix after each follows from ``wrong_before``;
    ``states`` computes it.
    """

    flows: tuple[WatchedFlow, ...]
    wrong_before: tuple[int, ...] = Field((), description="flows that were wrong when the agent began")
    changes: int = Field(0, ge=0, description="changes that the agent made, also those that changed no flow")
    steps: tuple[WatchedStep, ...] = ()
    steps_left_out: int = Field(0, ge=0, description="further steps, which were not kept because there were too many")
    wrong_after: tuple[int, ...] = Field((), description="flows that were wrong when the agent had finished")
    outages: tuple[Outage, ...] = Field((), description="only of flows with an outage")
    precision_s: float = Field(0.0, ge=0, description="longest time between two looks during a change, in lab seconds")
    measured_s: float = Field(0.0, ge=0, description="wall seconds that the agent waited for measurements")

    def states(self) -> Iterator[frozenset[int]]:
        """The wrong flows: when the agent began, then after each of ``steps``."""
        wrong = frozenset(self.wrong_before)
        yield wrong
        for step in self.steps:
            wrong = (wrong | set(step.broke)) - set(step.mended)
            yield wrong


class Judgement(Recorded):
    """What a family's own checker says of an answer that is no change of a network."""

    correct: bool
    why_not_correct: str = ""
    safe: bool
    why_not_safe: str = ""
    run_s: float | None = Field(None, ge=0, description="wall seconds that the answer took to run, if it is a program")
