"""When the network of a task counts as ready: what deploy waits for, and what it does about what is missing."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model

ReadyUntil = Literal["everything", "stable", "boot"]
SessionProtocol = Literal["ospf", "ospf6", "bgp", "bfd", "isis", "rip", "eigrp"]

DEADLINE_LAB_S = 300.0
"""The default deadline. The longest wait of a healthy network is OSPF's designated router election: 40 lab seconds."""
NO_SESSIONS = "expected_down has no meaning with until: boot, which waits for no session"


class ExpectedDown(Model):
    """A session or adjacency that the startup configs make impossible, named from one of its two ends.

    ``neighbor`` is the other end: its address, its node, or the interface of ``node`` that leads there.
    """

    node: str
    protocol: SessionProtocol
    neighbor: str = Field(min_length=1)

    def __str__(self) -> str:
        return f"{self.node} {self.protocol} {self.neighbor}"


class Ready(Model):
    """The ready policy of a task.

    ``everything``: all sessions that the configs make possible are up, and routes are stable; what is missing at the
    deadline is an error. ``stable``: the same, but what is missing at the deadline is recorded in the result.
    ``boot``: startup configs are loaded; nothing else is waited for.
    """

    until: ReadyUntil = "everything"
    expected_down: tuple[ExpectedDown, ...] = Field((), description="sessions that need not come up")
    deadline_s: float = Field(DEADLINE_LAB_S, gt=0, le=3600, description="lab seconds")

    @model_validator(mode="after")
    def _boot_waits_for_nothing(self) -> Ready:
        if self.until == "boot" and self.expected_down:
            raise ValueError(NO_SESSIONS)
        return self


class Readiness(Model):
    """What a network was like when its lab counted as ready."""

    missing: tuple[str, ...] = Field((), description="what was still waited for at the deadline of the policy 'stable'")
    unexpectedly_up: tuple[str, ...] = Field((), description="entries of expected_down that were not found to be down")
    waited_s: float = Field(0.0, description="wall seconds from the end of the boot until it was ready")
