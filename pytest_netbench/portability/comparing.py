"""Compares two portraits. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Final

from pytest_netbench.model.behaviour import Outcome
from pytest_netbench.portability.portrait import Difference, Kind, Portrait

_SHOWN_LINES: Final = 6


def differences(first: Portrait, second: Portrait) -> tuple[Difference, ...]:
    """Everything that two networks do differently, verdicts first. What one side did not measure is no difference."""
    if first.lack is not None or second.lack is not None:
        return ()
    return (
        *_values("verdict", first.verdicts, second.verdicts),
        *_routes(first, second),
        *_flows(first.flows, second.flows),
        *_shown(first.shown, second.shown),
    )


def _values(kind: Kind, first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[Difference]:
    for where in dict.fromkeys((*first, *second)):
        if (one := first.get(where, "")) != (other := second.get(where, "")):
            yield Difference(kind=kind, where=where, first=one, second=other)


def _routes(first: Portrait, second: Portrait) -> Iterator[Difference]:
    for node in first.routes:
        if node in second.routes:
            sides = (
                {prefix: " ".join(entry) for prefix, entry in side.routes[node].items()} for side in (first, second)
            )
            for one in _values("route", *sides):
                yield one.model_copy(update={"where": f"{node} {one.where}"})


def _flows(first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[Difference]:
    for flow in first:
        if flow in second and not Outcome.parse(first[flow]).fits(Outcome.parse(second[flow])):
            yield Difference(kind="flow", where=flow, first=first[flow], second=second[flow])


def _shown(first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]) -> Iterator[Difference]:
    for where in first:
        if where in second and first[where] != second[where]:
            changed = [*unified_diff(first[where], second[where], n=0, lineterm="")][2:]
            one, other = (
                " | ".join([line[1:].strip() for line in changed if line[0] == sign][:_SHOWN_LINES]) for sign in "-+"
            )
            yield Difference(kind="show", where=where, first=one, second=other)
