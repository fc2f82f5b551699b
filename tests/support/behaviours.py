"""Recorded behaviours, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.families.configure.assembly import Look, assembled
from pytest_netbench.model.behaviour import Behaviour, Outcome, Table
from pytest_netbench.model.reference import ReferenceFlow, ReferenceSettings

ADDRESSES = {"web1": ("10.1.20.7",), "db": ("10.1.30.10",), "R1": ("10.1.20.1", "10.1.30.1")}
ALLOWED, ARRIVES, DENIED = Outcome(reach="allowed"), Outcome(reach="arrives"), Outcome(reach="denied")


def flow(source: str = "web1", target: str = "db", port: int | None = 443, **fields: Any) -> ReferenceFlow:
    """A flow between nodes of ``ADDRESSES``."""
    known = {"protocol": "icmp" if port is None else "tcp", "port": port, **fields}
    return ReferenceFlow(source=source, target=ADDRESSES[target][0], target_node=target, **known)


def behaviour(
    flows: Mapping[ReferenceFlow, tuple[Outcome, Outcome]],
    *,
    routes: tuple[Mapping[str, Table], Mapping[str, Table]] = ({}, {}),
    events: Mapping[str, Sequence[tuple[Outcome, Outcome]]] | None = None,
) -> Behaviour:
    """What one look before and one after show; under events as given there, with the same routes."""
    keys = [flow.key for flow in flows]
    moments = [tuple(flows.values()), *(events or {}).values()]
    before, after = (
        [
            [Look(outcomes=dict(zip(keys, (pair[when] for pair in pairs), strict=True)), routes=routes[when])]
            for pairs in moments
        ]
        for when in (0, 1)
    )
    return assembled(
        digest="0" * 16,
        events=tuple(events or {}),
        flows=tuple(flows),
        addresses=ADDRESSES,
        before=before,
        after=after,
    )


def reference(recorded: Behaviour, *, managed: Sequence[str] = ("R1",), **settings: Any) -> Reference:
    """The record, with what a task says of it."""
    return Reference(recorded, ReferenceSettings.model_validate(settings), managed=frozenset(managed))
