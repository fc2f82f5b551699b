"""``get-reachability``: off unless asked for, and what the task's watcher saw last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError
from pytest_netbench.model.extra_methods import GET_REACHABILITY
from pytest_netbench.model.task import Budget
from tests.support.memory_lab import DIALECTS, chain

ON = Policy(extras=frozenset({GET_REACHABILITY}))


class Counter:
    """A watcher whose report is how many changes there were."""

    def __init__(self) -> None:
        self.changes = 0

    @contextmanager
    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> Iterator[None]:
        yield
        self.changes += 1

    def report(self) -> str:
        return f"{self.changes} changes"


def ani_of(policy: Policy = ON) -> AgentInterface:
    return AgentInterface(chain(), policy=policy, budget=Budget(calls=5), dialects=DIALECTS)


def test_it_is_refused_unless_it_is_switched_on() -> None:
    with pytest.raises(AniError, match="method 'get-reachability' is switched off"):
        ani_of(Policy()).call(GET_REACHABILITY, {})


def test_it_is_refused_where_no_flows_are_watched() -> None:
    with pytest.raises(AniError, match="nobody watches the flows of this network; send packets with execute-cmd"):
        ani_of().call(GET_REACHABILITY, {})


def test_it_reports_what_was_seen_after_the_last_change_and_costs_a_call() -> None:
    ani = ani_of()
    ani.watch(Counter())
    assert ani.call(GET_REACHABILITY, {}) == {"report": "0 changes"}
    (device, *_) = ani.network.devices.names
    ani.update_cfg(device, ["policy any"])
    assert ani.call(GET_REACHABILITY, {}) == {"report": "1 changes"}
    assert ani.budget_left()["calls"] == 2
