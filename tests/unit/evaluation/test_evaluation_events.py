"""What events are measured by: hold times in configs, and reports of streams of probes."""

from __future__ import annotations

import pytest

from pytest_netbench.evaluation.holdtimes import LONGEST_LAB_S, longest_hold_s
from pytest_netbench.evaluation.runner import Runner
from pytest_netbench.evaluation.stream import report
from pytest_netbench.lab.devices import Devices
from pytest_netbench.model.testcase import ReachabilityTestcase
from tests.support.memory_lab import chain


@pytest.mark.parametrize(
    ("config", "seconds"),
    [
        ("interface eth0\n ip address 10.0.0.1/30\n", 0),
        ("router ospf\n", 40),
        ("interface eth0\n ip ospf dead-interval 100\nrouter ospf\n", 100),
        ("interface eth0\n ip ospf hello-interval 15\nrouter ospf\n", 60),
        ("router bgp 65000\n neighbor 10.0.0.1 timers 3 9\n", 180),
        ("interface Gi0/0\n standby 1 ip 10.0.0.1\n", 10),
        ("interface Gi0/0\n standby 1 ip 10.0.0.1\n standby 1 timers 5 20\n", 20),
        ("interface Gi0/0\n vrrp 5 ip 10.0.0.1\n", 4),
        ("interface Gi0/0\n ip ospf dead-interval 65535\nrouter ospf 1\n", LONGEST_LAB_S),
    ],
)
def test_the_hold_time_of_a_config_is_its_longest(config, seconds):
    assert longest_hold_s(["hostname R1\n", config]) == seconds


def samples(text: str) -> list[tuple[float, bool]]:
    """One probe per 0.1 s: ``+`` got through, ``-`` did not."""
    return [(number / 10, one == "+") for number, one in enumerate(text)]


@pytest.mark.parametrize(
    ("text", "longest_s", "lost", "works"),
    [
        ("++++++++++", 0.0, 0, True),
        ("++---+++++", 3.0, 3, True),
        ("+-+---++++", 3.0, 4, False),
        ("-----+++++", 5.0, 5, True),
        ("+++++-----", 4.0, 5, False),
        ("++++", 0.0, 0, False),
        ("", 0.0, 0, False),
    ],
)
def test_the_longest_time_without_delivery_is_in_lab_seconds(text, longest_s, lost, works):
    found = report(samples(text), time_scale=10)
    assert (round(found.longest_s, 6), found.lost, found.works) == (longest_s, lost, works)
    assert found.sent == len(text)


def test_a_testcase_under_an_event_that_the_task_does_not_have_fails_at_once():
    lab = chain()
    testcase = ReachabilityTestcase(name="t", source="h1", target="h2", under="e")
    (result,) = Runner(lab, Devices(lab)).run([testcase])
    assert (result.status, result.actual, result.under) == ("fail", "unknown event 'e' (known: none).", "e")
