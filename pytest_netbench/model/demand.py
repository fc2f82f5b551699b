"""Traffic that a network carries throughout a trial, and what it needs."""

from __future__ import annotations

from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pytest_netbench.model.base import Model
from pytest_netbench.model.testcase import Flow

MOST_AT_ONCE = 64
BURST_PACKETS = 16
"""Packets of a burst where nothing else is said."""


class Bursts(Flow):
    """A flow whose packets are sent several at a time; its rate is the mean."""

    burst_packets: int = Field(1, ge=1, le=MOST_AT_ONCE)


class Demand(Model):
    """UDP packets at a rate from one node to another, and the most that may be lost (a service level objective)."""

    source: str = Field(description="node that sends")
    target: str = Field(description="node that receives")
    address: str = Field(description="address of the target, to which is sent")
    port: int = Field(ge=1, le=65535, description="UDP port to send to")
    rate_bps: int = Field(gt=0, le=10_000_000, description="bit/s of IP packets, in wall time")
    packet_bytes: int = Field(1000, ge=64, le=1400, description="size of an IP packet")
    most_loss: float = Field(0.02, ge=0, lt=1, description="share of the packets that may be lost")
    burst_packets: int = Field(1, ge=1, le=MOST_AT_ONCE, description="packets sent at once; the rate is the mean")

    @model_serializer(mode="wrap")
    def _as_before(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the default of what tasks drawn before lack: their digests stay."""
        data: dict[str, Any] = handler(self)
        if self.burst_packets == 1:
            data.pop("burst_packets", None)
        return data

    @property
    def flow(self) -> Bursts:
        """The traffic as a prober sends it."""
        return Bursts.model_validate(
            {
                "from": self.source,
                "to": self.target,
                "port": self.port,
                "rate_bps": self.rate_bps,
                "packet_bytes": self.packet_bytes,
                "burst_packets": self.burst_packets,
            }
        )

    def __str__(self) -> str:
        bursts = f" in bursts of {self.burst_packets} packets" if self.burst_packets > 1 else ""
        return f"{self.source} -> {self.target} ({self.address}) udp/{self.port} {self.rate_bps // 1000} kbit/s{bursts}"
