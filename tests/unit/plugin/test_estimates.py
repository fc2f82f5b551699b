"""What an item is expected to cost before it was ever run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_netbench.plugin.estimates import estimates
from pytest_netbench.plugin.run import RUN, run_of

CORPUS = Path("tasks").resolve()


def seconds(pytester: Any, *tasks: str) -> list[float]:
    ids = [f"{CORPUS / task}.task.yaml::{Path(task).name}[oracle]" for task in tasks]
    return [one.seconds for one in estimates(pytester.parseconfigure("--agent=oracle"), ids)]


def test_traffic_and_events_take_longer_than_many_quick_testcases(pytester) -> None:
    quick, traffic, events = seconds(
        pytester, "security/acl-extended-branch-services", "qos/trust-from-desk-to-line", "routing/hsrp-two-lans"
    )
    assert 0 < 3 * quick < min(traffic, events)


def test_a_self_test_is_charged_the_labs_that_it_opens_in_place_of_idle_workers(pytester) -> None:
    config = pytester.parseconfigure("--netbench-selftest")
    ids = [f"{CORPUS / 'qos' / name}.task.yaml::{name}[selftest]" for name in ("guest-policing", "llq-voice", "x")]
    one_worker = [one.memory_mb for one in estimates(config, ids[:1])]
    config.stash[RUN] = replace(run_of(config), side_by_side=4)
    assert [one.memory_mb for one in estimates(config, ids[:1])] == [4 * one_worker[0]]
    assert estimates(config, ids[:2])[0].memory_mb == 2 * one_worker[0]
    assert estimates(config, ids)[0].memory_mb == one_worker[0]
    config.stash[RUN] = replace(run_of(config), selftest=False)
    assert estimates(config, ids[:1])[0].memory_mb == one_worker[0]
