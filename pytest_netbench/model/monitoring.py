"""What a monitoring system has of the interfaces of a network, with the mistakes in its records."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model


class MonitoredPort(Model):
    """An interface that is polled, and the names that its rows have. They may be those of another one."""

    node: str
    interface: str
    node_label: str = Field(description="what its rows call the node")
    interface_label: str = Field(description="what its rows call the interface")


class Monitoring(Model):
    """Averages of some interfaces over some time, both directions together."""

    seed: int = Field(ge=0, description="of polls that are missing and of inexact values")
    every_s: float = Field(60.0, gt=0, description="lab seconds that an average is of, at least")
    ports: tuple[MonitoredPort, ...] = Field((), description="the interfaces that are polled")

    @model_validator(mode="after")
    def _once_each(self) -> Self:
        polled = [(one.node, one.interface) for one in self.ports]
        labels = [(one.node_label, one.interface_label) for one in self.ports]
        for what, several in (("polled", polled), ("a label", labels)):
            if twice := sorted({one for one in several if several.count(one) > 1}):
                raise ValueError(f"monitoring: {' '.join(twice[0])!r} is {what} twice")
        return self
