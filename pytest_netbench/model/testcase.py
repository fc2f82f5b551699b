"""Testcases: what must be true of the network, one model per kind.

Times (``within_s``, ``stays_s``) are in lab seconds. ``role: intent`` marks what the task asks for (it must fail before
the work is done); ``role: regression`` marks what must not be broken (it may pass before and after).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pytest_netbench.model.base import Model

_LATER = ("under", "warmup_s", "source_port")


class _Testcase(Model):
    needs: ClassVar[tuple[str, ...]] = ()
    """Names of the capabilities of a lab that it needs."""

    name: str
    role: Literal["intent", "regression"] = "intent"
    intent: int | None = Field(None, ge=1, description="1-based index of the intent this testcase belongs to")
    within_s: float = Field(30.0, gt=0, description="lab seconds to wait for the condition")
    stays_s: float = Field(0.0, ge=0, description="lab seconds the condition must then go on holding")
    under: str | None = Field(None, description="event of the task under which it is observed")

    @model_serializer(mode="wrap")
    def _without_defaults_of_later_fields(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out fields that were added after tasks had been published: digests of those tasks must not change."""
        data: dict[str, Any] = handler(self)
        return {name: value for name, value in data.items() if name not in _LATER or value is not None}


class ShowTestcase(_Testcase):
    """Output of read-only commands matches a regular expression (draft §4.3)."""

    kind: Literal["show"] = "show"
    device: str
    commands: tuple[str, ...] = Field(min_length=1)
    expected_output: str = Field(description="regular expression, searched with MULTILINE and DOTALL off")
    present: bool = True


class RouteTestcase(_Testcase):
    """A route is (or is not) installed in the forwarding table of a device."""

    kind: Literal["route"] = "route"
    device: str
    prefix: str
    protocol: str | None = None
    next_hops: tuple[str, ...] | None = Field(None, description="exactly these next hops, in any order")
    metric: int | None = None
    distance: int | None = None
    present: bool = True


class ReachabilityTestcase(_Testcase):
    """A packet gets through (``allowed``) or does not (``denied``)."""

    needs = ("probes",)
    kind: Literal["reachability"] = "reachability"
    source: str = Field(alias="from", description="node that sends")
    target: str = Field(alias="to", description="node name or address")
    protocol: Literal["icmp", "tcp", "udp", "gre", "esp", "segment", "unreachable"] = Field(
        "icmp",
        description="gre and esp, segment (of TCP, of no session) and unreachable (an ICMP error of no session): one "
        "packet, which the target must accept; nothing answers",
    )
    port: int | None = Field(None, ge=1, le=65535)
    source_port: int | None = Field(None, ge=1, le=65535, description="of tcp, udp and segment; null draws one")
    source_address: str | None = None
    listen_on: str | None = Field(None, description="node that listens, if `to` is an address that is translated")
    listen_port: int | None = Field(None, ge=1, le=65535)
    seen_source: str | None = Field(None, description="source address the listener must see (NAT)")
    expected: Literal["allowed", "denied"] = "allowed"


class PathTestcase(_Testcase):
    """Packets take these hops, in order."""

    needs = ("probes",)
    kind: Literal["path"] = "path"
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    hops: tuple[str, ...] = Field(description="node names (any of its addresses) or addresses, the target included")


class Flow(Model):
    """Traffic offered by one node to another. ``rate_bps`` in bit/s of IP payload and headers."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    protocol: Literal["udp", "tcp"] = "udp"
    port: int = Field(5001, ge=1, le=65535)
    source_address: str | None = None
    dscp: int = Field(0, ge=0, le=63)
    rate_bps: int = Field(gt=0)
    packet_bytes: int = Field(1000, ge=64, le=1400)


class ThroughputTestcase(_Testcase):
    """What arrives of a flow, measured with real traffic while the background flows run.

    Passes when the received rate lies in [min_bps, max_bps]; ``expected_bps`` with ``tolerance`` is the short form.
    """

    needs = ("probes",)
    kind: Literal["throughput"] = "throughput"
    flow: Flow
    background: tuple[Flow, ...] = ()
    duration_s: float = Field(1.0, gt=0, le=30, description="wall seconds measured")
    warmup_s: float | None = Field(None, gt=0, le=30, description="wall seconds of traffic before the measurement")
    expected_bps: int | None = Field(None, gt=0)
    tolerance: float = Field(0.1, gt=0, lt=1)
    min_bps: int | None = Field(None, ge=0)
    max_bps: int | None = Field(None, ge=0)
    within_s: float = Field(1.0, gt=0, description="lab seconds to wait for the condition")

    @property
    def traffic_s(self) -> float:
        """Wall seconds for which one measurement sends traffic."""
        return self.duration_s + (self.warmup_s or 0.0)


class MarkingTestcase(_Testcase):
    """The DSCP that packets carry when they arrive."""

    needs = ("probes",)
    kind: Literal["marking"] = "marking"
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    protocol: Literal["udp", "tcp", "icmp"] = "udp"
    port: int | None = Field(None, ge=1, le=65535)
    source_address: str | None = None
    sent_dscp: int = Field(0, ge=0, le=63)
    expected_dscp: int = Field(ge=0, le=63)


class ConfigTestcase(_Testcase):
    """A line stands (or does not) in the running config under its parents.

    Each of ``parents`` and ``line`` is a regular expression that must match the whole stripped line.
    """

    kind: Literal["config"] = "config"
    device: str
    parents: tuple[str, ...] = ()
    line: str
    present: bool = True


class ReferenceTestcase(_Testcase):
    """Everything that the intents do not ask for is as it was: many flows and all routes, compared with a record."""

    needs = ("probes",)
    kind: Literal["reference"] = "reference"
    within_s: float = Field(60.0, gt=0, description="lab seconds to wait for the condition")


class LossTestcase(_Testcase):
    """Packets get through again soon after the actions of an event, and at its end."""

    needs = ("probes",)
    kind: Literal["loss"] = "loss"
    source: str = Field(alias="from", description="node that sends")
    target: str = Field(alias="to", description="node name or address")
    protocol: Literal["icmp", "tcp", "udp"] = "icmp"
    port: int | None = Field(None, ge=1, le=65535)
    at_most_s: float = Field(ge=0, description="longest time without delivery in lab seconds")


class UnbrokenTestcase(_Testcase):
    """Packets get through before the first change of the agent, and after each."""

    needs = ("probes",)
    kind: Literal["unbroken"] = "unbroken"
    source: str = Field(alias="from", description="node that sends")
    target: str = Field(alias="to", description="node name or address")
    protocol: Literal["icmp", "tcp", "udp"] = "icmp"
    port: int | None = Field(None, ge=1, le=65535)
    listen_on: str | None = Field(None, description="node that listens, if `to` is an address that is translated")
    listen_port: int | None = Field(None, ge=1, le=65535)

    @property
    def flow(self) -> ReachabilityTestcase:
        """The packet that must get through."""
        return ReachabilityTestcase(
            name=self.name,
            source=self.source,
            target=self.target,
            protocol=self.protocol,
            port=self.port,
            listen_on=self.listen_on,
            listen_port=self.listen_port,
        )


Testcase = Annotated[
    ShowTestcase
    | RouteTestcase
    | ReachabilityTestcase
    | PathTestcase
    | ThroughputTestcase
    | MarkingTestcase
    | ConfigTestcase
    | LossTestcase
    | UnbrokenTestcase
    | ReferenceTestcase,
    Field(discriminator="kind"),
]
