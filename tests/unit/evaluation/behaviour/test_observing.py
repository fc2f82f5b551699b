"""How often flows are tried. The number of probes of each batch shows it."""

from __future__ import annotations

import pytest

from pytest_netbench.evaluation.behaviour.observing import BATCH, Observer
from pytest_netbench.evaluation.observation import View
from pytest_netbench.lab.devices import Devices
from pytest_netbench.model.reference import ReferenceFlow
from tests.support.behaviours import ALLOWED, DENIED
from tests.support.memory_lab import chain

COUNT = 2 * BATCH + 50


@pytest.fixture
def lab():
    return chain(edge="deny tcp 22 any")


def flows(lab):
    (target, *_) = lab.prober.addresses("web")
    ssh = ReferenceFlow(source="branch", target=target, target_node="web", protocol="tcp", port=22)
    return [ssh] * COUNT


def observer(lab):
    return Observer(View(lab, Devices(lab)))


def test_the_first_look_tries_again_in_batches_what_did_not_get_through(lab):
    assert observer(lab).thoroughly(flows(lab), seed=1) == [DENIED] * COUNT
    assert lab.prober.batches == [COUNT, BATCH, BATCH, 50]


def test_a_later_look_tries_again_only_what_differs_from_the_first(lab):
    earlier = [DENIED] * (COUNT - 2) + [ALLOWED] * 2
    assert observer(lab).thoroughly(flows(lab), seed=2, earlier=earlier) == [DENIED] * COUNT
    assert lab.prober.batches == [COUNT, 2]


def test_who_listens_for_one_flow_does_not_answer_another_that_asks_whether_anybody_does(lab):
    (target, *_) = lab.prober.addresses("web")
    heard = ReferenceFlow(source="branch", target=target, target_node="web", protocol="tcp", port=80)
    asked = ReferenceFlow(source="branch", target=target, protocol="tcp", port=80)
    other = ReferenceFlow(source="branch", target=target, protocol="tcp", port=81)
    observer(lab).at_once([heard, asked, other])
    assert lab.prober.batches == [2, 1]
