"""The runbook of losses, on paper: a cable that loses is told by what else is sent over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_netbench.agents.runbooks.losses import loses_one_way, tried
from pytest_netbench.errors import AniError

PAIR = ("h1", "h2")


class Paths:
    """Answers of a network in which shares are lost between hosts, of bursts (16 at once) other ones."""

    def __init__(self, lost: Mapping[tuple[str, str, int], float], flows: Sequence[Any] = ()) -> None:
        self._lost, self._flows = lost, flows

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "query-telemetry":
            return {"rows": list(self._flows)}
        asked = (params["source"], params["target"], params.get("burst_packets", 1))
        if asked not in self._lost:
            raise AniError("it has no address")
        return {"sent_packets": 100, "received_packets": round(100 * (1 - self._lost[asked]))}


@pytest.mark.parametrize(
    ("kind", "steady", "bursts", "found"),
    [
        ("link-lossy", 0.2, 0.2, "link-lossy"),
        ("link-lossy", 0.02, 0.6, "link-queue-short"),
        ("link-flows-lost", 0.0, 0.6, "link-queue-short"),
        ("link-flows-lost", 0.0, 0.0, "link-flows-lost"),
        ("link-flows-lost", 1.0, 1.0, "link-flows-lost"),
        ("link-lossy", 0.7, 0.9, "link-slow"),
        ("link-slow", 0.2, 0.2, "link-lossy"),
    ],
)
def test_bursts_and_a_steady_rate_tell_what_is_wrong_with_a_cable(
    kind: str, steady: float, bursts: float, found: str
) -> None:
    ani: Any = Paths({(*PAIR, 1): steady, (*PAIR, 16): bursts}, [[*PAIR, 0.5, 3.0], ["h3", "h4", 0.9, 1.0]])
    assert tried(ani, kind, [], since_s=2.0) == found


def test_without_a_flow_that_loses_what_was_sent_before_tells() -> None:
    ani: Any = Paths({})
    assert tried(ani, "link-lossy", [0.0, 0.8], since_s=2.0) == "link-slow"
    assert tried(ani, "link-slow", [0.0, 0.2], since_s=2.0) == "link-lossy"
    assert tried(ani, "link-lossy", [], since_s=2.0) == "link-lossy"


@pytest.mark.parametrize(
    ("there", "back", "is_one_way"), [(0.2, 0.0, True), (0.0, 0.2, True), (0.2, 0.2, False), (0.01, 0.0, False)]
)
def test_losses_in_one_direction_are_told_from_losses_in_both(there: float, back: float, is_one_way: bool) -> None:
    ani: Any = Paths({("h1", "h2", 1): there, ("h2", "h1", 1): back})
    assert loses_one_way(ani, {("h3", "h4"): 0.0, PAIR: 0.2}) is is_one_way


def test_without_anything_sent_no_direction_is_known() -> None:
    ani: Any = Paths({("h1", "h2", 1): 0.2})
    assert not loses_one_way(ani, {})
    assert not loses_one_way(ani, {PAIR: 0.2})
