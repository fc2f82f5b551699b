"""Rules by which a machine drops packets of faults."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.kube import plan
from pytest_netbench.backends.kube.machine.drops import cleared, ruleset
from pytest_netbench.kubernetes.applications.addresses import WORKERS
from pytest_netbench.lab.capabilities import Dropped

MACHINE = plan.machines(3, slots=2)[1]


def test_machines_are_called_as_tasks_call_them() -> None:
    assert tuple(one.name for one in plan.machines(len(WORKERS), slots=1)) == WORKERS


@pytest.mark.parametrize(
    ("what", "rules"),
    [
        ("services", ["ip saddr 10.244.2.0/24 ip daddr 10.96.0.0/16 drop"]),
        ("dns", ["ip daddr 10.244.0.0/16 meta l4proto { tcp, udp } th dport 53 drop"]),
        ("api", ["ip saddr 172.18.0.2 drop", "ip daddr 172.18.0.2 drop", "ip daddr 172.18.0.2 drop"]),
    ],
)
def test_a_machine_drops_what_the_fault_says_and_nothing_else(what: Dropped, rules: list[str]) -> None:
    found = [line.strip() for line in ruleset(MACHINE, what).splitlines() if line.endswith("drop")]
    assert found[: len(rules)] == rules
    assert "policy drop" not in ruleset(MACHINE, what)


def test_services_are_dropped_before_their_addresses_are_translated() -> None:
    assert "hook prerouting priority raw" in ruleset(MACHINE, "services")


def test_nothing_is_left_of_the_rules() -> None:
    assert cleared().splitlines() == ["table ip netbench-drops", "delete table ip netbench-drops"]
    assert ruleset(MACHINE, "dns").startswith(cleared())
