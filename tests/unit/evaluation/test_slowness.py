"""Waiting longer on a busy machine."""

from __future__ import annotations

import pytest

from pytest_netbench.evaluation import slowness as module
from pytest_netbench.evaluation.slowness import slowness
from pytest_netbench.evaluation.waiting import longest_wait_s
from pytest_netbench.model.testcase import ReachabilityTestcase


@pytest.mark.parametrize(("load", "factor"), [(0.0, 1.0), (4.0, 1.0), (10.0, 2.5), (400.0, 8.0)])
def test_it_grows_with_the_load_of_each_core(monkeypatch, load, factor):
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(module.os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert slowness() == factor


def test_a_testcase_has_more_time_on_a_busy_machine(monkeypatch):
    testcase = ReachabilityTestcase.model_validate(
        {"name": "a reaches b", "kind": "reachability", "from": "a", "to": "b", "within_s": 1.0}
    )
    quiet_s = longest_wait_s(testcase, 20.0)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(module.os, "getloadavg", lambda: (12.0, 0.0, 0.0))
    assert longest_wait_s(testcase, 20.0) == pytest.approx(3 * quiet_s)
