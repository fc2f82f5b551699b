"""The reference behaviour of a network: flows that are compared, and what a task says of their differences.

I is the network before the agent works, T the network after the ground truth, F the network that the agent leaves.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from pytest_netbench.model.base import Model
from pytest_netbench.model.objects import POD

Protocol = Literal["icmp", "tcp", "udp", "gre", "esp", "segment", "unreachable"]
_Word = Annotated[str, StringConstraints(min_length=1)]
FlowKey = tuple[str, str | None, str, str, int | None, int, int | None]

ANY = "any"
NOT = "not "
FILL_IN = "TODO"
"""What suggested entries have in the place of an intent's number, which only the author of a task knows."""


class ReferenceFlow(Model):
    """One flow whose fate is recorded and compared.

    ``stand_in`` takes packets to an address of its subnet that no node has (see ``lab.probing.Probe.stand_in``).
    """

    source: str = Field(description="node that sends")
    source_address: str | None = Field(None, description="address to send from; null leaves it to the node")
    target: str = Field(description="address to send to; `pod`: that of the node's pod at the moment")
    target_node: str | None = Field(None, description="node that has the address; null if none has it alone")
    stand_in: str | None = Field(None, description="node that takes packets to an address that no node has")
    protocol: Protocol = "icmp"
    port: int | None = Field(None, ge=1, le=65535, description="port to send to; null if the protocol has none")
    listen_port: int | None = Field(None, ge=1, le=65535, description="port that it is translated to, if it differs")
    dscp: int = Field(0, ge=0, le=63)
    why: str = Field("", description="why it was drawn")
    source_port: int | None = Field(None, ge=1, le=65535, description="port to send from; null leaves it to the node")

    @property
    def key(self) -> FlowKey:
        """What makes it a flow of its own: source, source address, target, protocol, port, marking, source port."""
        target = self.target_address or self.aim
        return (self.source, self.source_address, target, self.protocol, self.port, self.dscp, self.source_port)

    @property
    def is_unusual(self) -> bool:
        """Whether it is neither a ping nor a connection or datagram from a port of the sender's choice.

        Whoever states an intent seldom thinks of such packets, so right solutions may treat them differently.
        """
        return self.source_port is not None or self.protocol not in ("icmp", "tcp", "udp")

    def __str__(self) -> str:
        sender = self.source if self.source_address is None else f"{self.source} ({self.source_address})"
        return f"{sender} -> {self.aim} {self.service}" + (f" dscp {self.dscp}" if self.dscp else "")

    @property
    def target_address(self) -> str | None:
        """The address to send to; ``None`` if it is that of a pod, which is another one each time."""
        return None if self.target == POD else self.target

    @property
    def aim(self) -> str:
        """Address and node that it is sent to: ``10.1.30.10 (db)``; ``db`` if that is a pod."""
        if self.target_address is None or self.target_node is None:
            return self.target_node or self.target
        return f"{self.target} ({self.target_node})"

    @property
    def service(self) -> str:
        """Protocol and ports: ``tcp/443``, ``udp/53 from 53``."""
        words = self.protocol if self.port is None else f"{self.protocol}/{self.port}"
        return words if self.source_port is None else f"{words} from {self.source_port}"


def transport_of(protocol: Protocol) -> str:
    """The protocol by which selectors and translations know a packet: a segment is one of TCP."""
    return "tcp" if protocol == "segment" else protocol


class PortRange(Model):
    """Ports from ``first`` to ``last``."""

    first: int = Field(ge=1, le=65535)
    last: int = Field(ge=1, le=65535)

    @model_validator(mode="before")
    @classmethod
    def _from_short(cls, data: Any) -> Any:
        if isinstance(data, int) and not isinstance(data, bool):
            return {"first": data, "last": data}
        if isinstance(data, str):
            first, _, last = data.partition("-")
            if not first.strip().isdigit() or not (last or first).strip().isdigit():
                raise ValueError(f"{data!r} is neither a port nor a range of ports such as 1000-2000")
            return {"first": int(first), "last": int(last or first)}
        return data

    @model_validator(mode="after")
    def _in_order(self) -> PortRange:
        if self.last < self.first:
            raise ValueError(f"the range of ports {self.first}-{self.last} is empty; write {self.last}-{self.first}")
        return self

    def __contains__(self, port: object) -> bool:
        return isinstance(port, int) and self.first <= port <= self.last


class Selector(Model):
    """Some flows, or some routes. What is not given matches everything.

    With ``routes`` it selects routes and no flows.
    """

    source: tuple[_Word, ...] = Field((ANY,), alias="from", description="nodes, addresses, prefixes, `not X`, or `any`")
    target: tuple[_Word, ...] = Field((ANY,), alias="to", description="nodes, addresses, prefixes, `not X`, or `any`")
    sent_by: tuple[_Word, ...] = Field((), description="only what these nodes send, whatever the source address")
    protocol: Literal["icmp", "tcp", "udp", "any"] = "any"
    ports: tuple[PortRange, ...] = ()
    dscp: int | None = Field(None, ge=0, le=63, description="marking that packets are sent with")
    under: str | None = Field(None, description="only under this event; null: in the undisturbed network and under all")
    routes: str | None = Field(None, description="routes of a node, e.g. `R1 10.0.0.0/8`: the prefix and longer ones")
    both_ways: bool = Field(False, description="also the flows from `to` to `from`")

    @field_validator("source", "target", "sent_by", "ports", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else (value,) if isinstance(value, str | int) else value

    @model_validator(mode="after")
    def _either_flows_or_routes(self) -> Selector:
        if self.ports and self.protocol == "icmp":
            raise ValueError("icmp has no ports: leave 'ports' out, or give 'protocol: tcp' or 'udp'")
        if self.routes is None:
            return self
        if len(self.routes.split()) != 2 or _network(self.routes.split()[1]) is None:
            raise ValueError(f"routes: {self.routes!r} is not a node and a prefix such as 'R1 10.0.0.0/8'")
        # values and not the fields that were set: a task's own JSON form gives every field
        fields = type(self).model_fields
        flow_fields = [
            name
            for name in ("source", "target", "sent_by", "protocol", "ports", "dscp", "both_ways")
            if getattr(self, name) != fields[name].default
        ]
        if flow_fields:
            raise ValueError(
                "'routes' selects routes; put 'from', 'to', 'protocol' and 'ports' into an entry of its own"
            )
        return self

    def matches(
        self, flow: ReferenceFlow, addresses_by_node: Mapping[str, Sequence[str]], under: str | None = None
    ) -> bool:
        """Whether it selects ``flow``, observed under the event ``under``.

        Args:
            flow: A flow.
            addresses_by_node: Addresses of each node. A name selects what the node sends, whatever source address it
                gives, and what is sent from or to one of its addresses.
            under: The event; ``None`` for the undisturbed network.
        """
        if self.routes is not None or (self.under is not None and self.under != under):
            return False
        if self.sent_by and flow.source not in self.sent_by:
            return False
        if self.protocol not in (ANY, transport_of(flow.protocol)) or self.dscp not in (None, flow.dscp):
            return False
        if self.ports and not any(flow.port in ports for ports in self.ports):
            return False
        own = addresses_by_node.get(flow.source, ())
        source = (flow.source, (flow.source_address,) if flow.source_address else own)
        target = (flow.target_node, (flow.target_address,) if flow.target_address else ())
        pairs = [(self.source, self.target), (self.target, self.source)][: 1 + self.both_ways]
        return any(
            _selects(froms, *source, addresses_by_node) and _selects(tos, *target, addresses_by_node)
            for froms, tos in pairs
        )

    def matches_route(self, node: str, prefix: str, under: str | None = None) -> bool:
        """Whether it selects the route of ``node`` to ``prefix``, observed under the event ``under``."""
        if self.routes is None or (self.under is not None and self.under != under):
            return False
        wanted_node, wanted = self.routes.split()
        outer, inner = _network(wanted), _network(prefix)
        if wanted_node not in (ANY, node) or outer is None or inner is None or outer.version != inner.version:
            return False
        return inner.subnet_of(outer)  # type: ignore[arg-type]


class Change(Selector):
    """Differences between I and T that an intent asks for: F must have them too."""

    intent: int = Field(ge=1, description="1-based index of the intent that asks for the difference")


class Free(Selector):
    """Differences between I and T that no intent asks for and that are not compared."""

    reason: str = Field(min_length=1, description="why F may differ from T here")


class ReferenceSettings(Model):
    """How the flows of a task are drawn, and what its author says of the differences between I and T."""

    seed: int = Field(1, ge=0)
    flows: int = Field(1000, ge=1, le=100_000, description="number of flows")
    spoofed: bool = Field(False, description="also hold packets whose source is in no subnet of their sender")
    changes: tuple[Change, ...] = ()
    free: tuple[Free, ...] = ()


def _selects(
    wanted: Sequence[str], node: str | None, addresses: Sequence[str], addresses_by_node: Mapping[str, Sequence[str]]
) -> bool:
    for word in wanted:
        if word.startswith(NOT):
            if not _selects((word.removeprefix(NOT),), node, addresses, addresses_by_node):
                return True
            continue
        if word in (ANY, node) or not set(addresses).isdisjoint(addresses_by_node.get(word, ())):
            return True
        network = _network(word)
        if network is not None and any(_address(one) in network for one in addresses):
            return True
    return False


def is_network(word: str) -> bool:
    """Whether ``word`` is an address or a prefix."""
    return _network(word) is not None


@lru_cache(maxsize=4096)
def _network(word: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(word, strict=False)
    except ValueError:
        return None


@lru_cache(maxsize=16384)
def _address(word: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(word)
