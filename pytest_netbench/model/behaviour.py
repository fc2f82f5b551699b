"""The recorded behaviour of a task's network, before anything is done and after the ground truth, for many flows.

It is stored compactly: outcomes and routing tables once each, and one line for each flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from typing import Final, Literal, Self, cast, get_args

from pytest_netbench.model.base import Model
from pytest_netbench.model.reference import ReferenceFlow

ANY: Final = "*"
"""A source address that varies and is not compared."""
NOT_HELD: Final = -1
"""The index of the outcome of a flow that is not held at a moment."""

Reach = Literal["allowed", "arrives", "denied"]
REACHES: Final = get_args(Reach)
RouteEntry = tuple[str, ...]
"""The protocol of a route, then its next hops in order."""
Table = dict[str, RouteEntry]
"""Prefix to route, of one node at one time."""
FlowFields = tuple[str | int | None, ...]
"""The fields of a ``ReferenceFlow``, in its order; those at the end that are missing have their defaults."""
RecordedFlow = tuple[FlowFields, tuple[int, ...]]
"""A flow, and for each moment the indices of its outcomes before and after the ground truth."""
_ATTACHED: Final = ("connected", "local")
UNSTABLE_ROUTE: Final = (ANY,)
"""A route that varies and is not compared."""
LEAST_AGREED: Final = 3
"""How many right solutions, the ground truth among them, must agree on what no intent names under an event."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What happened to a flow.

    Attributes:
        reach: ``allowed``: accepted and answered. ``arrives``: it came to an interface of the target, which did not
            answer or whose answer was lost; or it was sent to an address of nobody and came by ``at``. ``denied``:
            neither.
        dscp: The marking it arrived with, if it differs from the one it was sent with.
        seen: The source address it arrived with, if that differs; ``*`` if it varies.
        at: The last node that a packet to an address of nobody came by.
    """

    reach: Reach
    dscp: int | None = None
    seen: str | None = None
    at: str | None = None

    def __str__(self) -> str:
        details = {"dscp": self.dscp, "from": self.seen, "at": self.at}
        return " ".join([self.reach, *(f"{name}={value}" for name, value in details.items() if value is not None)])

    @classmethod
    def parse(cls, text: str) -> Self:
        """The outcome that ``str`` wrote as ``text``.

        Raises:
            ValueError: It is not one.
        """
        reach, *details = text.split(" ")
        values = dict(detail.split("=", 1) for detail in details)
        if reach not in REACHES or not values.keys() <= {"dscp", "from", "at"}:
            raise ValueError(f"not an outcome: {text!r}")
        dscp = int(values["dscp"]) if "dscp" in values else None
        return cls(reach=cast("Reach", reach), dscp=dscp, seen=values.get("from"), at=values.get("at"))

    def fits(self, other: Outcome) -> bool:
        """Whether both are equal where both are compared."""
        same_source = self.seen == other.seen or ANY in (self.seen, other.seen)
        return (self.reach, self.dscp, self.at) == (other.reach, other.dscp, other.at) and same_source

    @property
    def unanswered(self) -> Outcome:
        """The outcome if an answer does not count."""
        return replace(self, reach="arrives") if self.reach == "allowed" else self


@dataclass(frozen=True, kw_only=True)
class HeldFlow:
    """A flow with its outcome before anything is done and after the ground truth."""

    flow: ReferenceFlow
    before: Outcome
    after: Outcome

    @property
    def differs(self) -> bool:
        """Whether the ground truth changes it."""
        return not self.before.fits(self.after)


@dataclass(frozen=True, kw_only=True)
class HeldTable:
    """The routes of a node before anything is done and after the ground truth."""

    node: str
    before: Table
    after: Table


class Unstable(Model):
    """What is not held because it varies: a flow or a route, in words, and how it varies."""

    what: str
    under: str | None = None
    why: str


class Behaviour(Model):
    """What the network of a task does, for tasks of this reference digest.

    A moment is the undisturbed network, or the network under one of the events.

    Attributes:
        versions: The versions that recorded it.
        addresses: Addresses by node, before anything is done and after the ground truth together.
        events: The events of the task, in its order.
        outcomes: All outcomes there are, as ``str(Outcome)``.
        tables: All routing tables there are.
        routes: For each moment, by node: indices of the tables before and after the ground truth.
        flows: What is held.
        unstable: What is not held because it varies.
        agreed: Names of the recorded right solutions that react to the events as what is held says.
    """

    digest: str
    versions: dict[str, str] = {}
    addresses: dict[str, tuple[str, ...]]
    events: tuple[str, ...] = ()
    outcomes: tuple[str, ...]
    tables: tuple[Table, ...]
    routes: tuple[dict[str, tuple[int, int]], ...]
    flows: tuple[RecordedFlow, ...]
    unstable: tuple[Unstable, ...] = ()
    agreed: tuple[str, ...] = ()

    @property
    def moments(self) -> tuple[str | None, ...]:
        """The undisturbed network as ``None``, then the events."""
        return (None, *self.events)

    def is_settled(self, under: str | None) -> bool:
        """Whether what no intent names is held at a moment: under events, if enough right solutions agree."""
        return under is None or len(self.agreed) + 1 >= LEAST_AGREED

    def held(self, under: str | None = None) -> Iterator[HeldFlow]:
        """The flows that are held at a moment.

        Raises:
            ValueError: There is no such event.
        """
        place = 2 * self.moments.index(under)
        parsed = [Outcome.parse(text) for text in self.outcomes]
        for fields, outcomes in self.flows:
            before, after = outcomes[place : place + 2]
            if NOT_HELD not in (before, after):
                yield HeldFlow(flow=flow_of(fields), before=parsed[before], after=parsed[after])

    def tables_at(self, under: str | None = None) -> Iterator[HeldTable]:
        """The routing tables at a moment, for each node whose driver lists them.

        Raises:
            ValueError: There is no such event.
        """
        for node, (before, after) in self.routes[self.moments.index(under)].items():
            yield HeldTable(node=node, before=self.tables[before], after=self.tables[after])


def is_spoofed(flow: ReferenceFlow, table: Table | None) -> bool:
    """Whether answers to a flow go elsewhere: its source address belongs to no subnet of the sender.

    Args:
        flow: The flow.
        table: The routes of the sender; ``None`` if they are not known.
    """
    if flow.source_address is None or table is None:
        return False
    address = ip_address(flow.source_address)
    attached = (prefix for prefix, (protocol, *_) in table.items() if protocol in _ATTACHED)
    return not any(address in ip_network(prefix) for prefix in attached)


def flow_of(fields: FlowFields) -> ReferenceFlow:
    """The flow with these fields."""
    return ReferenceFlow.model_validate(dict(zip(ReferenceFlow.model_fields, fields, strict=False)))


def fields_of(flow: ReferenceFlow) -> FlowFields:
    """The fields of a flow, in order, without the source port if it has none."""
    fields = tuple(flow.model_dump().values())
    return fields if flow.source_port is not None else fields[:-1]
