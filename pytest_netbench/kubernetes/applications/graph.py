"""An application as a graph: workloads, who calls whom, and who must be let through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

Serves = Literal["grpc", "http", "redis"]
Admits = Literal["callers", "namespace", "cluster", "anyone"]
"""Whom a workload lets in: those that call it; also all pods of its namespace; all pods; or all, at every port."""
Sends = Literal["anywhere", "calls"]
"""Where a workload may send: anywhere; or to what it calls, and to DNS."""
Default = Literal["deny", "allow"]
Transport = Literal["tcp", "udp"]

LABEL: Final = "app"
"""The label by which Deployments and Services select their pods."""
NAMESPACE_LABEL: Final = "kubernetes.io/metadata.name"
"""The label of its name that the API server gives to each namespace."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A Deployment, and the Service before it if it serves something.

    Attributes:
        name: Of its Deployment, Service and node of the lab. Unique in the application, across namespaces.
        namespace: Where it is.
        tier: Its place in the application, a label of its pods.
        serves: The protocol that it serves; ``None`` if it only calls others.
        port: TCP port on which its pods listen.
        service_port: TCP port of its Service.
        address: Cluster address of its Service.
        calls: Names of the workloads that it calls.
        admits: Whom it lets in.
        sends: Where it may send.
        reaches_all: Whether it is let in everywhere, at every port.
        second: What its second policy is called behind its name; ``None`` if all is in one.
        replicas: Number of its pods.
    """

    name: str
    namespace: str
    tier: str = "backend"
    serves: Serves | None = None
    port: int | None = None
    service_port: int | None = None
    address: str | None = None
    calls: tuple[str, ...] = ()
    admits: Admits = "callers"
    sends: Sends = "anywhere"
    reaches_all: bool = False
    second: str | None = None
    replicas: int = 1

    @property
    def has_service(self) -> bool:
        """Whether there is a Service before it."""
        return self.address is not None

    @property
    def host(self) -> str:
        """The name by which pods of any namespace find its Service."""
        return f"{self.name}.{self.namespace}"


@dataclass(frozen=True, kw_only=True)
class Style:
    """How policies and labels are written.

    Attributes:
        key: The label by which policies select pods.
        peers: One peer for each workload, or one with an expression for all of a namespace.
        split: Each peer has a rule of its own.
        named: Ports are written by their names.
        shared: DNS and monitoring are let through by policies of whole namespaces, not by those of workloads.
        tiers: Pods have a label that says their tier.
    """

    key: str = LABEL
    peers: Literal["labels", "expressions"] = "labels"
    split: bool = False
    named: bool = False
    shared: bool = False
    tiers: bool = False


@dataclass(frozen=True, kw_only=True)
class Application:
    """An application, and whom its policies let through.

    Attributes:
        name: What it is called in texts.
        namespaces: Those of its workloads, in a fixed order.
        workloads: In a fixed order.
        default: What happens between pods of which no policy says anything.
        other_port: A TCP port at which nothing serves.
        style: How its policies are written.
        seed: Of the order in which its objects are created.
    """

    name: str
    namespaces: tuple[str, ...]
    workloads: tuple[Workload, ...]
    default: Default = "deny"
    other_port: int
    style: Style = Style()
    seed: int = 0

    @cached_property
    def by_name(self) -> dict[str, Workload]:
        """The workloads by name."""
        return {one.name: one for one in self.workloads}

    @property
    def served(self) -> tuple[Workload, ...]:
        """The workloads that have a Service."""
        return tuple(one for one in self.workloads if one.has_service)

    def callers(self, name: str) -> tuple[Workload, ...]:
        """The workloads that call one."""
        return tuple(one for one in self.workloads if name in one.calls)

    def permits(self, source: Workload, target: Workload, transport: Transport, port: int) -> bool:
        """Whether packets of one workload's pod must reach a port of another one's pod; if not, they must not."""
        at_service = transport == "tcp" and port == target.port
        is_call = at_service and target.name in source.calls
        if source.sends == "calls" and not is_call:
            return False
        if target.admits == "anyone" or source.reaches_all or is_call:
            return True
        if target.admits == "namespace":
            return at_service and source.namespace == target.namespace
        return at_service and target.admits == "cluster"
