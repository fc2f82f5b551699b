"""Topology: nodes, links and the endpoints that join them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from pytest_netbench.model.base import Model
from pytest_netbench.model.hosting import HostService, servers_of

Control = Literal["managed", "observed", "foreign"]
"""What an agent may do with a node. managed: configure it. observed: read it and send packets from it. foreign: see it
in the topology only."""


class Endpoint(Model):
    """One interface of one node, in the platform's own interface name."""

    node: str
    interface: str

    def __str__(self) -> str:
        return f"{self.node} {self.interface}"


class Node(Model):
    """A device of the lab.

    ``platform`` names the network OS; ``None`` means the task's default platform.
    """

    name: str
    platform: str | None = None
    role: str | None = None
    control: Control = Field(
        "managed",
        description="managed: the agent configures it; observed: the agent reads it and sends packets from it;"
        " foreign: the agent sees it in the topology only",
    )
    services: tuple[HostService, ...] = Field((), description="servers that run on a host, and its resolver")

    @model_validator(mode="after")
    def _one_of_a_kind(self) -> Node:
        kinds = [one.kind for one in self.services]
        if twice := sorted({kind for kind in kinds if kinds.count(kind) > 1}):
            raise ValueError(f"node {self.name!r} has two services of kind {twice[0]!r}")
        return self

    @model_serializer(mode="wrap")
    def _as_before(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the defaults of what tasks published before lack: their digests stay."""
        data: dict[str, Any] = handler(self)
        if self.control == "managed":
            data.pop("control", None)
        if not self.services:
            data.pop("services", None)
        return data


class LinkQuality(Model):
    """What a link does to packets, each way. Zero or ``None`` means nothing.

    Units: delay and jitter in milliseconds, loss as a fraction 0…1, rate in bit/s.
    """

    delay_ms: float = Field(0.0, ge=0)
    jitter_ms: float = Field(0.0, ge=0)
    loss: float = Field(0.0, ge=0, le=1)
    rate_bps: int | None = Field(None, gt=0)

    @property
    def is_plain(self) -> bool:
        """Whether the link leaves packets alone."""
        return self == LinkQuality()


class Link(Model):
    """A segment: a cable (two endpoints), a LAN (more), or a stub (one): an interface with carrier and no neighbor."""

    endpoints: tuple[Endpoint, ...] = Field(min_length=1)
    quality: LinkQuality = LinkQuality()

    @model_validator(mode="after")
    def _quality_has_an_effect(self) -> Link:
        if len(self.endpoints) == 1 and not self.quality.is_plain:
            raise ValueError(
                f"link {str(self)!r} has one endpoint and carries no packets: delay, loss and rate have no effect"
            )
        return self

    def __str__(self) -> str:
        return " <-> ".join(str(endpoint) for endpoint in self.endpoints)


class Topology(Model):
    """Nodes and links. Node names are unique, an interface is used at most once."""

    nodes: tuple[Node, ...] = Field(min_length=1)
    links: tuple[Link, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Topology:
        names: set[str] = set()
        for node in self.nodes:
            if node.name in names:
                raise ValueError(f"node {node.name!r} is defined twice")
            names.add(node.name)
        seen: dict[tuple[str, str], Link] = {}
        for link in self.links:
            for endpoint in link.endpoints:
                if endpoint.node not in names:
                    raise ValueError(f"link {str(link)!r}: unknown node {endpoint.node!r} (known: {sorted(names)})")
                key = (endpoint.node, endpoint.interface)
                if key in seen:
                    raise ValueError(f"interface {str(endpoint)!r} is used twice: {str(seen[key])!r} and {str(link)!r}")
                seen[key] = link
        return self

    def node(self, name: str) -> Node:
        """Return the node called ``name``.

        Raises:
            KeyError: There is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    @property
    def controls(self) -> dict[str, Control]:
        """By node: what an agent may do with it."""
        return {node.name: node.control for node in self.nodes}

    @property
    def servers(self) -> dict[str, tuple[str, ...]]:
        """By node that has any: the kinds of its servers."""
        found = {node.name: tuple(one.kind for one in servers_of(node.services)) for node in self.nodes}
        return {name: kinds for name, kinds in found.items() if kinds}

    @property
    def all_managed(self) -> bool:
        """Whether agents may configure every node, as in the draft."""
        return all(node.control == "managed" for node in self.nodes)

    def interfaces(self, node: str) -> tuple[str, ...]:
        """Interface names of ``node`` in the order the links name them."""
        return tuple(e.interface for link in self.links for e in link.endpoints if e.node == node)

    def peers(self, node: str) -> dict[str, tuple[Endpoint, ...]]:
        """By interface of ``node``: the other ends of its link."""
        return {
            end.interface: tuple(other for other in link.endpoints if other is not end)
            for link in self.links
            for end in link.endpoints
            if end.node == node
        }

    def line_rates(self, node: str) -> dict[str, int]:
        """By interface of ``node``: what its link carries in bit/s, for links that are limited."""
        return {
            end.interface: link.quality.rate_bps
            for link in self.links
            for end in link.endpoints
            if end.node == node and link.quality.rate_bps is not None
        }

    def wire(self, devices: tuple[str, ...] = ()) -> dict[str, Any]:
        """The draft's shape: ``{"nodes": [...], "links": ["A e0 <-> B e0", ...]}``.

        Unless all nodes are managed, ``control`` gives the control of each. If there are servers, ``services`` says
        which node has which.

        Args:
            devices: Keep only these nodes and the links that touch two of them; empty means all.
        """
        keep = set(devices) or {node.name for node in self.nodes}
        links = []
        for link in self.links:
            inside = [e for e in link.endpoints if e.node in keep]
            if len(inside) == len(link.endpoints) or len(inside) > 1:
                links.append(" <-> ".join(str(e) for e in inside))
        shown = {name: control for name, control in self.controls.items() if name in keep}
        drafts: dict[str, Any] = {"nodes": list(shown), "links": links}
        if not self.all_managed:
            drafts["control"] = shown
        if served := {name: kinds for name, kinds in self.servers.items() if name in keep}:
            drafts["services"] = served
        return drafts
