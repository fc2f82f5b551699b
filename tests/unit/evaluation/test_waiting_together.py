"""What is observed alone has waited, too, while others waited in a network that did not change."""

import time

from pydantic import TypeAdapter

from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.observation import Observation
from pytest_netbench.evaluation.testcases import KINDS, Kind
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.platforms.driver import Pending
from tests.support.memory_lab import MemoryDriver, chain

ROUTE = "route 10.7.0.0/16 via 10.0.2.10"
NEVER = {"kind": "route", "device": "edge", "prefix": "10.99.0.0/16", "within_s": 10}
REFERENCE = {"kind": "reference", "within_s": 6}
SCALE = 10
"""So NEVER waits for 1 s, and REFERENCE has 0.6 s."""


class Looks(list):
    """The looks at the reference, which holds with a route of edge: (when, brief or not)."""

    def __init__(self, monkeypatch, lab, *, lasts_s=0.0):
        def observe(testcase, view):
            self.append((time.monotonic(), view.brief))
            time.sleep(lasts_s)
            view.running_config("edge")
            holds = ROUTE in lab.nodes["edge"].lines
            return Observation(holds=holds, actual="none", brief=view.brief, confirmed=True)

        kind = Kind(observe=observe, expected=lambda _: "a route", alone=True)
        monkeypatch.setitem(KINDS, "reference", kind)


def run(lab, *fields):
    adapter = TypeAdapter(Testcase)
    testcases = [adapter.validate_python({"name": f"t{number}", **one}) for number, one in enumerate(fields)]
    return TaskEvaluation(lab).run_testcases(testcases)


def test_after_a_quiet_wait_one_look_at_the_reference_decides(monkeypatch):
    lab = chain(time_scale=SCALE)
    looks = Looks(monkeypatch, lab)
    _, result = run(lab, NEVER, REFERENCE)
    assert [brief for _, brief in looks] == [False]
    assert result.status == "fail"
    assert result.actual.startswith("none; tried once, 0.")
    assert result.actual.endswith(" lab s) after the last change")


def test_the_reference_is_looked_at_while_others_wait(monkeypatch):
    lab = chain(time_scale=SCALE)
    looks = Looks(monkeypatch, lab, lasts_s=0.3)
    began = time.monotonic()
    never, result = run(lab, NEVER, REFERENCE)
    assert never.status == result.status == "fail"
    ((looked_at, _),) = looks
    assert 0.5 < looked_at - began < 1.0, "the others wait for 1 s"


def test_what_is_seen_while_others_wait_is_looked_at_again_after_a_change(monkeypatch):
    lab = chain(time_scale=SCALE)
    looks = Looks(monkeypatch, lab)
    lab.later(0.9, "edge", ROUTE)
    _, result = run(lab, NEVER, REFERENCE)
    assert result.status == "pass", result.actual
    assert len(looks) == 2


def test_a_reference_that_holds_while_others_wait_holds_only_if_nothing_changes_any_more(monkeypatch):
    lab = chain(time_scale=SCALE)
    lab.nodes["edge"].lines.append(ROUTE)
    looks = Looks(monkeypatch, lab)
    lab.later(0.9, "edge", f"no {ROUTE}")
    _, result = run(lab, NEVER, REFERENCE)
    assert result.status == "fail"
    assert len(looks) > 1


def test_a_change_of_routes_gives_the_reference_its_whole_time_again(monkeypatch):
    lab = chain(time_scale=SCALE)
    Looks(monkeypatch, lab)
    lab.later(0.8, "edge", "route 10.8.0.0/16 via 10.0.2.10")
    lab.later(1.25, "edge", ROUTE)
    _, result = run(lab, NEVER, REFERENCE)
    assert result.status == "pass", result.actual


def test_a_change_during_the_look_at_the_reference_gives_it_its_whole_time_again(monkeypatch):
    lab = chain(time_scale=SCALE)
    Looks(monkeypatch, lab, lasts_s=0.2)
    lab.later(0.75, "edge", "route 10.8.0.0/16 via 10.0.2.10")
    lab.later(1.2, "edge", ROUTE)
    _, result = run(lab, NEVER, REFERENCE)
    assert result.status == "pass", result.actual


def test_what_another_testcase_sees_change_gives_the_reference_its_whole_time_again(monkeypatch):
    lab = chain(time_scale=SCALE)
    Looks(monkeypatch, lab)
    lab.later(0.0, "edge", "deny icmp any any")
    lab.later(0.8, "edge", "no deny icmp any any")
    lab.later(1.25, "edge", ROUTE)
    ping = {"kind": "reachability", "from": "branch", "to": "web", "within_s": 30}
    *_, result = run(lab, NEVER, ping, REFERENCE)
    assert result.status == "pass", result.actual


def test_a_network_that_never_rests_is_not_waited_for_longer(monkeypatch):
    lab = chain(time_scale=SCALE)
    looks = Looks(monkeypatch, lab)
    for number in range(30):
        lab.later(0.1 * number, "edge", f"route 10.{100 + number}.0.0/16 via 10.0.2.10")
    _, result = run(lab, NEVER, REFERENCE)
    assert result.status == "fail"
    assert 0.6 <= looks[-1][0] - looks[0][0] < 1.2


def test_a_network_that_shows_nothing_of_itself_is_no_quiet_one(monkeypatch):
    monkeypatch.setattr(MemoryDriver, "pending", lambda *_, **__: Pending())
    looks = Looks(monkeypatch, lab := chain(time_scale=SCALE))
    _, result = run(lab, NEVER, REFERENCE)
    assert result.status == "fail"
    assert len(looks) > 1
    assert looks[-1][0] - looks[0][0] >= 0.6


def test_only_the_last_look_at_the_reference_tells_all(monkeypatch):
    looks = Looks(monkeypatch, chain(time_scale=SCALE))
    (result,) = run(chain(time_scale=SCALE), REFERENCE)
    assert result.status == "fail"
    assert [brief for _, brief in looks] == [True] * (len(looks) - 1) + [False]
    assert len(looks) > 1
