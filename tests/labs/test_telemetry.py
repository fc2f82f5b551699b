"""Telemetry of a real network, when it does not go on."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.families.diagnose.telemetry import Telemetry
from tests.support.netns_networks import network


def test_who_asks_for_a_sample_after_the_end_is_told_so_and_does_not_wait_for_ever(deploy_task: Any) -> None:
    configs = {name: f"ip address add 10.1.0.{number}/24 dev eth0\n" for number, name in enumerate(("h1", "h2"), 1)}
    lab = deploy_task(network({"h1": "linux", "h2": "linux"}, ["h1 eth0 - h2 eth0"], configs))
    telemetry = Telemetry(lab, (), nodes=())
    telemetry.start()
    assert telemetry.await_sample() == ()
    telemetry.finish()
    with pytest.raises(LabError, match="no sample is taken any more"):
        telemetry.await_sample()
