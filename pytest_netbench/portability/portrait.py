"""What one backend's network of a task does after some work: verdicts, routes, flows and show output. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from pytest_netbench.model.base import Model
from pytest_netbench.model.behaviour import Table

Kind = Literal["verdict", "route", "flow", "show"]


class Portrait(Model):
    """A network after some work. ``lack`` says why there is none; all else is empty then."""

    backend: str
    lack: str | None = Field(None, description="why the task cannot be run on this backend")
    verdicts: dict[str, str] = Field({}, description="by testcase: pass or fail")
    routes: dict[str, Table] = Field({}, description="by node: prefix to protocol and next hops")
    flows: dict[str, str] = Field({}, description="by recorded flow: its outcome")
    of: int = Field(0, description="how many flows are recorded")
    shown: dict[str, tuple[str, ...]] = Field({}, description="by node and command: the lines, without ages")
    versions: dict[str, str] = Field({}, description="by platform: the version that its nodes say")
    images: dict[str, str] = Field({}, description="by platform: the image or template of its nodes, if they have one")
    deployers: dict[str, str] = Field({}, description="by program that deployed the network: its version")
    seconds: float = Field(0.0, description="wall seconds for all of it")


class Difference(Model):
    """One thing that two networks do differently. An empty side has nothing there."""

    kind: Kind
    where: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.kind} {self.where}: {self.first or 'none'}; {self.second or 'none'}"


class Comparison(Model):
    """The same work on two backends: what was seen twice to differ."""

    task: str
    digest: str
    work: str
    first: Portrait
    second: Portrait
    differences: tuple[Difference, ...] = ()
    passing: tuple[Difference, ...] = Field((), description="what differed once, and not in a second pair of labs")
    ended_at: str = Field("", description="when it was done: ISO 8601, UTC")

    @property
    def lacks(self) -> Mapping[str, str]:
        """By backend: why the task cannot be run there."""
        return {one.backend: one.lack for one in (self.first, self.second) if one.lack is not None}

    @property
    def compared(self) -> int:
        """How many of the recorded flows both sides measured."""
        return len(self.first.flows.keys() & self.second.flows.keys())

    @property
    def share(self) -> float | None:
        """The share of the recorded flows that both sides measured; ``None`` if none are recorded."""
        return self.compared / self.first.of if self.first.of else None
