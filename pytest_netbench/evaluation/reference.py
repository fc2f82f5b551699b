"""A recorded behaviour together with what its task says of the differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_netbench.model.behaviour import Behaviour, HeldFlow, Outcome, is_spoofed
from pytest_netbench.model.reference import Change, Free, ReferenceFlow, ReferenceSettings
from pytest_netbench.model.topology import Topology


def managed_nodes(topology: Topology) -> frozenset[str]:
    """Names of the nodes that an agent may configure."""
    return frozenset(node.name for node in topology.nodes if node.control == "managed")


class Reference:
    """What the network of a task is held to.

    Args:
        behaviour: What was recorded.
        settings: What the task says of the differences that its ground truth makes.
        managed: The nodes that an agent may configure.
    """

    def __init__(self, behaviour: Behaviour, settings: ReferenceSettings, *, managed: frozenset[str]) -> None:
        self.behaviour = behaviour
        self.settings = settings
        self.managed = managed
        self._compared: dict[str | None, list[HeldFlow]] = {}
        self._spoofed: dict[tuple[str, str, str | None], bool] = {}
        self._tables = {
            (tables.node, under): (tables.before, tables.after)
            for under in behaviour.moments
            for tables in behaviour.tables_at(under)
        }

    def held(self, under: str | None = None) -> Iterator[HeldFlow]:
        """The flows that are held at a moment, with their outcomes as they are judged.

        Without ``settings.spoofed``, those with spoofed sources are left out: which filter drops them depends on its
        place, and few tasks ask for it.

        Raises:
            ValueError: There is no such event in the record.
        """
        for one in self.behaviour.held(under):
            if not self.settings.spoofed and self._is_spoofed(one.flow, None):
                continue
            before, after = (self.judged(one.flow, outcome, under) for outcome in (one.before, one.after))
            yield HeldFlow(flow=one.flow, before=before, after=after)

    def judged(self, flow: ReferenceFlow, outcome: Outcome, under: str | None = None) -> Outcome:
        """The outcome at a moment as it counts.

        A packet that a managed node itself drops may come to the node or not. Answers to a spoofed one do not count.
        """
        if self._is_spoofed(flow, under):
            outcome = outcome.unanswered
        denied = outcome.reach == "arrives" and (outcome.at or flow.target_node) in self.managed
        return Outcome(reach="denied") if denied else outcome

    def _is_spoofed(self, flow: ReferenceFlow, under: str | None) -> bool:
        if flow.source_address is None:
            return False
        key = (flow.source, flow.source_address, under)
        if key not in self._spoofed:
            tables = self._tables.get((flow.source, under), ())
            self._spoofed[key] = any(is_spoofed(flow, table) for table in tables)
        return self._spoofed[key]

    def compared(self, under: str | None = None) -> list[HeldFlow]:
        """The flows that are compared at a moment: those that are held and not free.

        Under an event these are only those that an intent names, unless enough right solutions agree on the others.
        An unusual packet that the ground truth changes must be named, too.

        Raises:
            ValueError: There is no such event in the record.
        """
        if under not in self._compared:
            settled = self.behaviour.is_settled(under)
            self._compared[under] = [
                one
                for one in self.held(under)
                if self.free_flow(one, under) is None
                and (
                    (settled and not (one.flow.is_unusual and one.differs))
                    or self.change_of_flow(one, under) is not None
                )
            ]
        return self._compared[under]

    def is_compared_route(self, node: str, prefix: str, under: str | None) -> bool:
        """Whether a route is compared at a moment: it is not free and, under an event, named or agreed upon."""
        if self.free_route(node, prefix, under) is not None:
            return False
        return self.behaviour.is_settled(under) or self.change_of_route(node, prefix, under) is not None

    def free_flow(self, held: HeldFlow, under: str | None) -> Free | None:
        """The entry of ``free`` that a flow belongs to."""
        addresses = self.behaviour.addresses
        return next((one for one in self.settings.free if one.matches(held.flow, addresses, under)), None)

    def free_route(self, node: str, prefix: str, under: str | None) -> Free | None:
        """The entry of ``free`` that a route belongs to."""
        return next((one for one in self.settings.free if one.matches_route(node, prefix, under)), None)

    def change_of_flow(self, held: HeldFlow, under: str | None) -> Change | None:
        """The entry of ``changes`` that a flow belongs to."""
        addresses = self.behaviour.addresses
        return next((one for one in self.settings.changes if one.matches(held.flow, addresses, under)), None)

    def change_of_route(self, node: str, prefix: str, under: str | None) -> Change | None:
        """The entry of ``changes`` that a route belongs to."""
        return next((one for one in self.settings.changes if one.matches_route(node, prefix, under)), None)


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The flows that the ground truth changes at a moment, by what the task says of them."""

    under: str | None
    by_change: tuple[tuple[Change, tuple[HeldFlow, ...]], ...]
    by_free: tuple[tuple[Free, tuple[HeldFlow, ...]], ...]
    unexplained: tuple[HeldFlow, ...]


def changes_at(reference: Reference, under: str | None = None) -> Changes:
    """Sort the flows that differ before and after the ground truth. What is free counts as free first.

    An unusual packet that no entry matches needs no explanation: it is not compared.
    """
    settings = reference.settings
    asked: list[list[HeldFlow]] = [[] for _ in settings.changes]
    free: list[list[HeldFlow]] = [[] for _ in settings.free]
    unexplained: list[HeldFlow] = []
    for one in reference.held(under):
        if not one.differs:
            continue
        if (reason := reference.free_flow(one, under)) is not None:
            free[_index(settings.free, reason)].append(one)
        elif (change := reference.change_of_flow(one, under)) is not None:
            asked[_index(settings.changes, change)].append(one)
        elif not one.flow.is_unusual:
            unexplained.append(one)
    return Changes(
        under=under,
        by_change=tuple((entry, tuple(flows)) for entry, flows in zip(settings.changes, asked, strict=True)),
        by_free=tuple((entry, tuple(flows)) for entry, flows in zip(settings.free, free, strict=True)),
        unexplained=tuple(unexplained),
    )


def _index(entries: Sequence[Change] | Sequence[Free], wanted: Change | Free) -> int:
    return next(index for index, one in enumerate(entries) if one is wanted)
