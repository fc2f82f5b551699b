"""What an item is expected to cost before it was ever run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.backends.netns.sandboxes import NetnsSandboxes
from pytest_netbench.cli.main import main
from pytest_netbench.plugin.scheduling.estimates import estimates
from pytest_netbench.plugin.settings.run_options import RUN, run_of
from tests.support.small_sandboxes import SmallSandboxes

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


@pytest.mark.usefixtures("memory_parts")
def test_a_sandbox_is_charged_what_its_backend_says(pytester) -> None:
    assert main(["generate", "plan:n=1,seed=4,level=1", "--output", str(pytester.path)]) == 0
    (path,) = pytester.path.glob("*.task.yaml")
    charged = {
        name: estimates(pytester.parseconfigure("--agent=oracle", f"--netbench-backend={name}"), [f"{path}::x[oracle]"])
        for name in ("netns", "memory", "small")
    }
    assert {name: one.memory_mb for name, (one,) in charged.items()} == {
        "netns": NetnsSandboxes.memory_mb,
        "memory": NetnsSandboxes.memory_mb,
        "small": SmallSandboxes.memory_mb,
    }
