"""The monitor of a network with many hosts: an agent does not wait for a look at all flows, and all is seen."""

from __future__ import annotations

import itertools
import statistics
import time
from typing import Any

import pytest

from benchmarks.prober import star
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.evaluation.monitor.monitor import MOST_AT_ONCE, Monitor
from pytest_netbench.model.task import Budget
from pytest_netbench.model.watch import Watch, WatchedFlow
from tests.labs.conftest import DeployTask

FEW, MANY = 3, 100
MOST_LONGER_S = 1.0


def flows_between(hosts: int) -> list[WatchedFlow]:
    names = [f"h{number}" for number in range(1, hosts + 1)]
    return [
        WatchedFlow(source=one, target=other, address=f"10.{other[1:]}.0.10")
        for one, other in itertools.permutations(names, 2)
    ]


@pytest.fixture(scope="module")
def few(deploy_task: DeployTask) -> Any:
    return deploy_task(star(FEW))


@pytest.fixture(scope="module")
def many(deploy_task: DeployTask) -> Any:
    return deploy_task(star(MANY))


def watched(lab: Any, hosts: int, *batches: list[str], thinks: bool = False) -> tuple[list[float], Watch]:
    """How long each batch took, and what was seen."""
    monitor = Monitor(lab, flows_between(hosts))
    monitor.begin()
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    ani.watch(monitor)
    took = []
    for batch in batches:
        began = time.monotonic()
        results = ani.update_cfg("r", batch)["results"]
        assert [one for one in results if one["status"] != "success"] == []
        took.append(time.monotonic() - began)
        if thinks:
            assert monitor.wrong is not None  # waits until the look after the change is complete
    ani.close()
    return took, monitor.end()


def with_host(number: int) -> set[int]:
    return {at for at, one in enumerate(flows_between(MANY)) if f"h{number}" in (one.source, one.target)}


def test_the_same_line_takes_as_long_in_a_large_network(few: Any, many: Any) -> None:
    assert len(flows_between(MANY)) > MOST_AT_ONCE
    lines = [["ip address add 192.0.2.1/32 dev lo"], ["ip address del 192.0.2.1/32 dev lo"]] * 2
    short, _ = watched(few, FEW, *lines)
    long, watch = watched(many, MANY, *lines)
    assert statistics.median(long) - statistics.median(short) < MOST_LONGER_S
    assert (watch.steps, watch.changes) == ((), 4)


def test_changes_with_time_between_them_are_steps(many: Any) -> None:
    _, watch = watched(many, MANY, ["ip link set eth7 down"], ["ip link set eth7 up"], thinks=True)
    assert [(step.number, bool(step.broke), bool(step.mended)) for step in watch.steps] == [
        (1, True, False),
        (2, False, True),
    ]
    assert set(watch.steps[0].broke) == set(watch.steps[1].mended) == with_host(7)
    assert watch.wrong_after == ()


def test_a_change_that_follows_at_once_is_one_with_the_change_before(many: Any) -> None:
    try:
        _, watch = watched(many, MANY, ["ip link set eth7 down"], ["ip link set eth9 down"])
        assert set(watch.wrong_after) == with_host(7) | with_host(9)
        assert {number for step in watch.steps for number in step.broke} == with_host(7) | with_host(9)
    finally:
        many.nodes["r"].run(["ip", "link", "set", "eth7", "up"])
        many.nodes["r"].run(["ip", "link", "set", "eth9", "up"])
