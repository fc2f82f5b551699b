"""Waiting: conditions are awaited in lab time, in phases, and must stay."""

import re
import time

from pydantic import TypeAdapter

from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.observation import Observation
from pytest_netbench.evaluation.testcases import KINDS, Kind
from pytest_netbench.model.testcase import Testcase
from tests.support.memory_lab import chain


def made(*fields):
    adapter = TypeAdapter(Testcase)
    return [adapter.validate_python({"name": f"t{number}", **one}) for number, one in enumerate(fields)]


def run(lab, *fields, **options):
    return TaskEvaluation(lab).run_testcases(made(*fields), **options)


ROUTE = {"kind": "route", "device": "edge", "prefix": "10.7.0.0/16"}
PING = {"kind": "reachability", "from": "branch", "to": "web"}
DENIED = {**PING, "expected": "denied", "protocol": "tcp", "port": 22}
SENT = {"kind": "throughput", "flow": {"from": "branch", "to": "web", "rate_bps": 1000}, "min_bps": 1}


def test_a_condition_that_comes_true_later_is_waited_for():
    lab = chain(time_scale=10)
    lab.later(0.2, "edge", "route 10.7.0.0/16 via 10.0.2.10")
    (result,) = run(lab, ROUTE | {"within_s": 30})
    assert result.status == "pass"
    assert 0.15 < result.duration_s < 2


def test_the_deadline_is_in_lab_time():
    began = time.monotonic()
    (result,) = run(chain(time_scale=50), ROUTE | {"within_s": 40})
    assert 0.75 < time.monotonic() - began < 3
    assert result.status == "fail"
    assert result.actual.startswith("no route to 10.7.0.0/16 installed; tried ")


def test_at_lab_times_of_any_speed_half_a_second_is_waited():
    lab = chain(time_scale=100)
    lab.later(0.3, "edge", "route 10.7.0.0/16 via 10.0.2.10")
    (result,) = run(lab, ROUTE | {"within_s": 1})
    assert result.status == "pass"


def test_a_condition_must_stay_as_long_as_asked():
    lab = chain(time_scale=10)
    began = time.monotonic()
    (result,) = run(lab, PING | {"stays_s": 3})
    assert result.status == "pass"
    assert time.monotonic() - began >= 0.3


def test_a_condition_that_does_not_stay_fails_and_says_how_long_it_held():
    lab = chain(time_scale=10)
    lab.later(0.15, "edge", "deny icmp any any")
    (result,) = run(lab, PING | {"stays_s": 30, "within_s": 60})
    assert result.status == "fail"
    assert result.actual.startswith("held for 0.")
    assert " lab s), then: no answer in 0.5 s" in result.actual


def test_what_stayed_is_not_looked_at_again():
    lab = chain(time_scale=10)
    began = time.monotonic()
    (result,) = run(lab, PING | {"stays_s": 6})
    assert result.status == "pass"
    assert 0.6 <= time.monotonic() - began < 1.1


def test_what_holds_only_until_the_network_feels_the_last_change_does_not_pass():
    lab = chain(time_scale=10)
    lab.later(0.2, "edge", "deny icmp any any")
    (result,) = run(lab, PING)
    assert result.status == "fail"
    assert result.actual.startswith("no answer in 0.5 s; tried ")


def test_what_goes_while_the_network_moves_and_comes_back_passes():
    lab = chain(time_scale=10)
    lab.later(0.2, "edge", "deny icmp any any")
    lab.later(0.8, "edge", "no deny icmp any any")
    (result,) = run(lab, PING | {"within_s": 30})
    assert result.status == "pass"


def looks_at_the_reference(monkeypatch, lab):
    """Let the reference hold while edge has no route to 10.7.0.0/16; returns the results of all looks."""
    looks = []

    def observe(testcase, view):
        looks.append("route 10.7.0.0/16 via 10.0.2.10" not in lab.nodes["edge"].lines)
        return Observation(holds=looks[-1], actual="")

    monkeypatch.setitem(KINDS, "reference", Kind(observe=observe, expected=lambda _: "no route", alone=True))
    return looks


def test_the_reference_is_looked_at_while_the_network_may_react_and_not_again(monkeypatch):
    lab = chain(time_scale=10)
    looks = looks_at_the_reference(monkeypatch, lab)
    began = time.monotonic()
    results = run(lab, PING, {"kind": "reference"})
    assert [result.status for result in results] == ["pass", "pass"]
    assert looks == [True]
    assert time.monotonic() - began >= 0.5


def test_what_the_reference_showed_before_the_network_reacted_does_not_count(monkeypatch):
    lab = chain(time_scale=10)
    looks = looks_at_the_reference(monkeypatch, lab)
    lab.later(0.3, "edge", "route 10.7.0.0/16 via 10.0.2.10")
    _, result = run(lab, PING, {"kind": "reference"})
    assert (result.status, looks[:2]) == ("fail", [True, False])


def test_a_network_that_nobody_changed_is_looked_at_once():
    lab = chain()
    (result,) = run(lab, PING, look_again=False)
    assert result.status == "pass"
    assert lab.prober.batches == [1]


def test_denied_needs_two_looks_in_a_row():
    lab = chain(edge="deny tcp 22 any")
    (result,) = run(lab, DENIED)
    assert result.status == "pass"
    assert lab.prober.batches == [1, 1]


def test_a_target_that_gets_its_address_later_is_waited_for():
    lab = chain(time_scale=10)
    lab.nodes["web"].lines = []
    lab.later(0.1, "web", "address e0 10.0.2.10")
    (result,) = run(lab, PING | {"within_s": 30})
    assert result.status == "pass"


def test_a_failure_says_how_often_and_how_long_it_was_tried():
    (result,) = run(chain(edge="deny any any any"), PING | {"within_s": 1})
    assert re.fullmatch(r"no answer in 0\.5 s; tried \d+ times in 0\.\d\d s \(\d\d\.\d lab s\)", result.actual)


def test_a_testcase_that_does_not_fit_the_network_is_not_waited_for():
    (result,) = run(chain(), PING | {"to": "nowhere", "within_s": 3000})
    assert result.status == "fail"
    assert result.duration_s < 0.3
    assert "tried" not in result.actual


def test_a_measurement_outside_the_band_is_repeated_once_at_least_and_at_most_three_times():
    for within_s, attempts in ((1, 2), (100_000, 3)):
        lab = chain()
        lab.prober.pause_s = 0.3
        run(lab, SENT | {"min_bps": 5000, "within_s": within_s})
        assert lab.prober.measurements == attempts


def test_what_is_denied_only_until_the_network_has_converged_does_not_pass():
    lab = chain(time_scale=10, edge="deny any any any")
    lab.later(0.2, "edge", "no deny any any any")
    denied, allowed = run(lab, DENIED | {"within_s": 5}, PING | {"within_s": 30})
    assert allowed.status == "pass"
    assert denied.status == "fail"


def test_a_denial_that_needs_time_is_waited_for():
    lab = chain(time_scale=10)
    lab.later(0.2, "edge", "deny tcp 22 any")
    (result,) = run(lab, DENIED | {"within_s": 30})
    assert result.status == "pass"


def test_a_denial_has_its_whole_time_after_the_second_look_at_what_must_hold():
    lab = chain(time_scale=10)
    lab.later(0.8, "edge", "deny tcp 22 any")
    denied, allowed = run(lab, DENIED | {"within_s": 5}, PING | {"within_s": 5})
    assert allowed.status == "pass"
    assert denied.status == "pass", denied.actual


def test_results_keep_the_order_of_the_testcases_whatever_the_order_of_running():
    lab = chain(edge="deny tcp 22 any")
    results = run(lab, SENT, DENIED, PING, SENT, {"kind": "config", "device": "web", "line": "address .*"})
    assert [result.name for result in results] == ["t0", "t1", "t2", "t3", "t4"]
    assert {result.status for result in results} == {"pass"}


def test_all_packets_of_a_look_go_in_one_batch_and_what_passed_is_done():
    lab = chain(time_scale=100)
    marking = {"kind": "marking", "from": "branch", "to": "web", "expected_dscp": 46, "within_s": 1}
    run(lab, PING, PING | {"to": "edge"}, PING | {"from": "web"}, marking)
    assert lab.prober.batches[0] == 4
    assert set(lab.prober.batches[1:-1]) == {1}
    assert lab.prober.batches[-1] == 3


def test_traffic_runs_after_everything_else():
    lab = chain(time_scale=10)
    lab.later(0.2, "edge", "route 10.7.0.0/16 via 10.0.2.10")
    order = []
    measure, probe = lab.prober.traffic, lab.prober.probe
    lab.prober.traffic = lambda *args, **more: (order.append("traffic"), measure(*args, **more))[1]
    lab.prober.probe = lambda *args, **more: (order.append("probe"), probe(*args, **more))[1]
    run(lab, SENT, PING, ROUTE)
    assert order == ["probe", "probe", "traffic"]


def test_stopping_at_the_first_failure_leaves_out_what_was_not_decided():
    lab = chain(time_scale=100)
    bad = {"kind": "config", "device": "web", "line": "("}
    results = run(lab, PING, ROUTE | {"within_s": 1000}, bad, DENIED, SENT, stop_at_first_failure=True)
    assert [(result.name, result.status) for result in results] == [("t0", "pass"), ("t2", "fail")]
    assert lab.prober.measurements == 0


def test_no_testcases_give_no_results():
    assert run(chain()) == []


def test_results_carry_role_intent_kind_and_time():
    (result,) = run(chain(), PING | {"role": "regression", "intent": 2})
    assert (result.kind, result.role, result.intent) == ("reachability", "regression", 2)
    assert result.duration_s >= 0
