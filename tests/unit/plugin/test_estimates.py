"""What an item is expected to cost before it was ever run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_netbench.plugin.estimates import estimates

CORPUS = Path("tasks").resolve()


def seconds(pytester: Any, *tasks: str) -> list[float]:
    ids = [f"{CORPUS / task}.task.yaml::{Path(task).name}[oracle]" for task in tasks]
    return [one.seconds for one in estimates(pytester.parseconfigure("--agent=oracle"), ids)]


def test_traffic_and_events_take_longer_than_many_quick_testcases(pytester) -> None:
    quick, traffic, events = seconds(
        pytester, "security/acl-extended-branch-services", "qos/trust-from-desk-to-line", "routing/hsrp-two-lans"
    )
    assert 0 < 3 * quick < min(traffic, events)
