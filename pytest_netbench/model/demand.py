"""Traffic that a network carries throughout a trial, and what it needs."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.model.base import Model
from pytest_netbench.model.testcase import Flow


class Demand(Model):
    """UDP packets at a rate from one node to another, and the most that may be lost (a service level objective)."""

    source: str = Field(description="node that sends")
    target: str = Field(description="node that receives")
    address: str = Field(description="address of the target, to which is sent")
    port: int = Field(ge=1, le=65535, description="UDP port to send to")
    rate_bps: int = Field(gt=0, le=10_000_000, description="bit/s of IP packets, in wall time")
    packet_bytes: int = Field(1000, ge=64, le=1400, description="size of an IP packet")
    most_loss: float = Field(0.02, ge=0, lt=1, description="share of the packets that may be lost")

    @property
    def flow(self) -> Flow:
        """The traffic as a prober sends it."""
        return Flow.model_validate(
            {
                "from": self.source,
                "to": self.target,
                "port": self.port,
                "rate_bps": self.rate_bps,
                "packet_bytes": self.packet_bytes,
            }
        )

    def __str__(self) -> str:
        return f"{self.source} -> {self.target} ({self.address}) udp/{self.port} {self.rate_bps // 1000} kbit/s"
