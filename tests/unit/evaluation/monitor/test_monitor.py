"""The monitor on a lab in memory: after each change of an agent all flows are looked at."""

from __future__ import annotations

import threading
import time

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, LabDied, LabError
from pytest_netbench.evaluation.monitor import monitor
from pytest_netbench.evaluation.monitor.monitor import Monitor
from pytest_netbench.model.task import Budget
from pytest_netbench.model.watch import WatchedFlow
from tests.support.memory_lab import DIALECTS, chain

WEB = "10.0.2.10"
PING = WatchedFlow(source="branch", target="web", address=WEB)
HTTP = WatchedFlow(source="branch", target="web", address=WEB, protocol="tcp", port=80)
SSH = WatchedFlow(source="branch", target="web", address=WEB, protocol="tcp", port=22)
NO_TELNET = WatchedFlow(source="branch", target="web", address=WEB, protocol="tcp", port=23, allowed=False)
FLOWS = (PING, HTTP, SSH, NO_TELNET)


@pytest.fixture(autouse=True)
def _no_kernel_that_asks_for_neighbors(monkeypatch):
    monkeypatch.setattr(monitor, "LEAST_PATIENCE_AT_THE_END_S", 0.0)


class Watched:
    """A lab with an agent's interface and a monitor of its flows."""

    def __init__(self, *, edge: str = "deny tcp 23 any", **options) -> None:
        self.lab = chain(edge=edge)
        self.ani = AgentInterface(self.lab, policy=Policy(), budget=Budget(), dialects=DIALECTS)
        self.monitor = Monitor(self.lab, FLOWS, **options)
        self.wrong_before = self.monitor.begin()
        self.ani.watch(self.monitor)

    def change(self, *commands: str) -> None:
        self.ani.update_cfg("edge", commands)

    def apply(self, *commands: str) -> None:
        """Change the device without telling the monitor."""
        self.lab.driver("edge").apply(self.lab.nodes["edge"], commands)

    def wait_for_looks(self, count: int = 2) -> list[int]:
        """Wait until the monitor has looked so often in the background; return how many probes each look sent."""
        sent = self.lab.prober.batches
        before, ends_at = len(sent), time.monotonic() + 5
        while len(sent) < before + count and time.monotonic() < ends_at:
            time.sleep(0.01)
        return sent[before:]

    def steps(self):
        return [(step.number, step.broke, step.mended, step.late) for step in self.monitor.end().steps]


def test_nothing_is_wrong_and_nothing_is_a_step_if_nothing_changes():
    watched = Watched()
    watched.change("mark 10")
    watch = watched.monitor.end()
    assert (watched.wrong_before, watch.wrong_after, watch.steps, watch.changes) == (frozenset(), (), (), 1)


def test_before_the_agent_a_flow_is_wrong_only_if_two_looks_say_so():
    watched = Watched(edge="deny tcp 23 any\ndeny tcp 22 any")
    sent = watched.lab.prober.batches
    assert (watched.wrong_before, sent) == ({2}, [4, 1])
    assert (watched.monitor.begin(known=[2]), sent[2:]) == ({2}, [4])
    assert (watched.monitor.begin(known=[0]), sent[3:]) == ({2}, [4, 1])
    watched.apply("no deny tcp 22 any")
    assert (watched.monitor.begin(known=[2]), sent[5:]) == (frozenset(), [4])


def test_each_change_that_breaks_or_mends_a_flow_is_a_step_with_its_number_and_its_first_line():
    watched = Watched(edge="deny tcp 23 any\ndeny tcp 22 any")
    assert watched.wrong_before == {2}
    watched.change("mark 10")
    watched.change("deny tcp 80 any", "no deny tcp 22 any")
    watched.change("no deny tcp 80 any")
    watch = watched.monitor.end()
    assert [(step.number, step.what, step.broke, step.mended) for step in watch.steps] == [
        (2, "deny tcp 80 any", (1,), (2,)),
        (3, "no deny tcp 80 any", (), (1,)),
    ]
    assert [step.device for step in watch.steps] == ["edge", "edge"]


def test_an_isolation_that_opens_is_broken_and_total_loss_does_not_hide_it():
    watched = Watched()
    watched.change("no deny tcp 23 any")
    assert watched.steps() == [(1, (3,), (), False)]


def test_answers_that_come_later_than_a_brief_look_waits_are_no_step():
    watched = Watched(patience_lab_s=0.3)
    with watched.monitor.changing("edge", ["clear"], at_s=0.0):
        watched.apply("slow 150", "deny icmp any any")
        watched.lab.later(0.1, "edge", "no deny icmp any any")
    assert watched.monitor.end().steps == ()


def test_blocking_everything_but_ping_breaks_the_ports():
    watched = Watched()
    watched.change("deny tcp any any")
    assert watched.steps() == [(1, (1, 2), (), False)]


def test_the_repair_of_the_last_step_is_checked():
    watched = Watched(edge="deny tcp 23 any\ndeny tcp 22 any")
    watched.change("no deny tcp 22 any")
    watch = watched.monitor.end()
    assert (watch.wrong_before, watch.wrong_after) == ((2,), ())


def test_a_repair_that_takes_effect_only_after_the_last_step_counts_at_the_end():
    watched = Watched(edge="deny tcp 23 any\ndeny tcp 22 any", patience_lab_s=50.0)
    watched.change("mark 10")
    watched.lab.later(0.3, "edge", "no deny tcp 22 any")
    watch = watched.monitor.end()
    assert watch.wrong_after == ()
    assert [(step.late, step.mended) for step in watch.steps] == [(True, (2,))]


def test_what_breaks_late_is_seen_before_the_next_change_can_mend_it():
    watched = Watched()
    watched.change("mark 10")
    watched.lab.later(0.0, "edge", "deny tcp 80 any")
    watched.change("no deny tcp 80 any")
    assert watched.steps() == [(1, (1,), (), True), (2, (), (1,), False)]


def test_what_recovers_within_the_patience_is_an_outage_and_no_step():
    watched = Watched(patience_lab_s=50.0)
    watched.change("deny icmp any any")  # never mended: the patience is used up
    assert [step.broke for step in watched.monitor.end().steps] == [(0,)]

    watched = Watched(patience_lab_s=500.0)
    with watched.monitor.changing("edge", ["clear"], at_s=0.0):
        watched.apply("deny icmp any any")
        watched.lab.later(0.25, "edge", "no deny icmp any any")
    watch = watched.monitor.end()
    assert watch.steps == ()
    (outage,) = watch.outages
    assert outage.flow == 0
    assert outage.lab_s > 5
    assert not outage.lasts


def test_nobody_waits_for_a_lab_that_says_that_it_is_at_rest():
    watched = Watched(patience_lab_s=500.0)
    watched.lab.is_at_rest = True
    began = time.monotonic()
    watched.change("deny icmp any any")
    assert watched.steps() == [(1, (0,), (), False)]
    assert time.monotonic() - began < monitor.MOST_PATIENCE_S


def test_what_recovers_before_a_lab_is_at_rest_is_no_step():
    watched = Watched(patience_lab_s=500.0)
    watched.lab.is_at_rest = False

    def mended() -> None:
        watched.apply("no deny icmp any any")
        watched.lab.is_at_rest = True

    with watched.monitor.changing("edge", ["clear"], at_s=0.0):
        watched.apply("deny icmp any any")
        timer = threading.Timer(2 * monitor.LEAST_PATIENCE_S, mended)
        timer.start()
    timer.join()
    watch = watched.monitor.end()
    assert watch.steps == ()
    assert [outage.flow for outage in watch.outages] == [0]


def test_an_interruption_within_a_long_change_is_seen():
    watched = Watched()
    with watched.monitor.changing("edge", ["slow"], at_s=0.0):
        watched.apply("deny icmp any any")
        watched.wait_for_looks()
        watched.apply("no deny icmp any any")
    watch = watched.monitor.end()
    assert watch.steps == ()
    assert [outage.flow for outage in watch.outages] == [0]
    assert watch.precision_s > 0


def test_an_interruption_that_follows_a_change_later_is_seen():
    watched = Watched()
    watched.change("mark 10")
    watched.apply("deny icmp any any")
    watched.wait_for_looks()
    watched.apply("no deny icmp any any")
    watch = watched.monitor.end()
    assert (watch.steps, watch.wrong_after) == ((), ())
    assert [outage.flow for outage in watch.outages] == [0]


def test_what_breaks_late_is_told_of_the_last_change_before_it():
    watched = Watched()
    watched.change("mark 10")
    watched.lab.later(0.0, "edge", "deny tcp 80 any")
    (step,) = watched.monitor.end().steps
    assert (step.number, step.late, step.device, step.what) == (1, True, "edge", "mark 10")


def test_only_echo_requests_are_sent_while_a_change_is_under_way():
    watched = Watched()
    with watched.monitor.changing("edge", ["slow"], at_s=0.0):
        assert set(watched.wait_for_looks()) == {1}


def test_a_change_that_the_device_could_not_make_is_looked_at_too():
    watched = Watched()
    with pytest.raises(AniError, match="no prompt"):
        watched.change("deny tcp 80 any", "hang")
    assert watched.steps() == [(1, (1,), (), False)]


def test_a_lab_that_breaks_is_an_error_of_the_lab():
    watched = Watched()
    watched.lab.later(0.0, "edge", "die")
    with pytest.raises(LabDied):
        watched.change("mark 10")
    assert isinstance(watched.ani.lab_error, LabDied)


def test_a_bug_of_the_monitor_is_no_failure_of_the_agent(monkeypatch):
    watched = Watched()
    monkeypatch.setattr(watched.lab.prober, "probe", lambda *_, **__: [])
    with pytest.raises(LabError, match="watching the agent's work failed"):
        watched.change("mark 10")
    assert isinstance(watched.ani.lab_error, LabError)


def test_the_agents_clock_stands_still_while_it_waits_for_the_monitor():
    watched = Watched(patience_lab_s=100.0)
    watched.ani.start()
    watched.change("deny tcp 80 any")
    watched.ani.close()
    measured_s = watched.monitor.end().measured_s
    assert measured_s > 1.0
    assert watched.ani.budget_used.wall_s < measured_s / 2
    assert watched.ani.steps[0].data["duration_s"] < measured_s / 2


def test_changes_after_the_end_are_not_watched():
    watched = Watched()
    watched.monitor.end()
    watched.change("deny tcp 80 any")
    assert watched.monitor.end().changes == 0


def test_the_report_says_who_reaches_whom_now():
    watched = Watched()
    watched.change("deny tcp 80 any", "deny icmp any any")
    assert watched.monitor.report() == "branch -> X\nbranch does not reach web tcp port 80\n1 of 1 pings lost"
