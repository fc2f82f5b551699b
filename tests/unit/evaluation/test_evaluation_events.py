"""What events are measured by: hold times in configs, and reports of streams of probes."""

from __future__ import annotations

import time

import pytest

from pytest_netbench.evaluation.holdtimes import LONGEST_LAB_S, longest_hold_s, longest_unwatched_s
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.settling import Condition, Settling
from pytest_netbench.evaluation.stream import report
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


@pytest.mark.parametrize(
    ("config", "seconds"),
    [
        ("router ospf\nrouter bgp 65000\n neighbor 10.0.0.1 timers 3 9\n", 0),
        ("router bgp 65000\nrouter rip\n", 180),
        ("router eigrp 1\nip sla 1\n", 70),
        ("interface Gi0/0\n standby 1 ip 10.0.0.1\n standby 1 timers 5 20\n", 20),
    ],
)
def test_protocols_whose_sessions_are_watched_are_not_waited_for_in_silence(config, seconds):
    assert longest_unwatched_s([config]) == seconds


class ScriptedSettling(Settling):
    """Sees the conditions of a script, (wall seconds from the start, missing sessions, routes), the last for ever."""

    def __init__(self, lab, script):
        super().__init__(lab)
        self._script, self._began = script, time.monotonic()

    def look(self):
        now = time.monotonic() - self._began
        _, missing, routes = next(one for one in reversed(self._script) if one[0] <= now)
        return Condition(frozenset(missing), routes)


BEFORE = Condition(frozenset(), "as before")


@pytest.mark.parametrize(
    ("script", "unwatched_s", "least_s", "most_s", "returned"),
    [
        ([(0, (), "other")], 0, 0.15, 0.6, False),
        ([(0, (), "other")], 10, 0.6, 1.2, False),
        ([(0, ("R1: a session is down",), "")], 0, 1.2, 2.0, False),
        ([(0, ("R1: a session is down",), ""), (0.5, (), "as before")], 0, 0.6, 1.1, True),
    ],
    ids=["routes stay other ones", "routes may return unseen", "a session stays down", "a session returns"],
)
def test_a_return_is_waited_for_as_long_as_it_may_take(script, unwatched_s, least_s, most_s, returned):
    lab = chain()
    lab.time_scale = 40.0
    began = time.monotonic()
    found = ScriptedSettling(lab, script).wait(hold_s=40, unwatched_s=unwatched_s, like=BEFORE)
    assert found is returned
    assert least_s <= time.monotonic() - began < most_s


def test_a_silent_neighbor_is_waited_for_once_and_not_again_after_it_was_noticed():
    lab = chain()
    lab.time_scale = 40.0
    began = time.monotonic()
    ScriptedSettling(lab, [(0, (), "all routes"), (0.9, (), "fewer")]).wait(hold_s=40, silent=True)
    assert 1.0 <= time.monotonic() - began < 1.6


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
    (result,) = TaskEvaluation(lab).run_testcases([testcase])
    assert (result.status, result.actual, result.under) == ("fail", "unknown event 'e' (known: none).", "e")
