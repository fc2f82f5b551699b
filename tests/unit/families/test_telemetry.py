"""The telemetry of a diagnosis: what it does once its traffic has ended."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.families.diagnose.telemetry import Telemetry
from pytest_netbench.model.topology import Node, Topology
from tests.support.memory_lab import MemoryLab


@pytest.mark.timeout(30)
def test_a_sample_after_the_end_is_refused_and_not_waited_for() -> None:
    telemetry = Telemetry(MemoryLab(Topology(nodes=(Node(name="R1"),)), {}), (), nodes=())
    telemetry.start()
    assert telemetry.await_sample() == ()
    assert telemetry.finish() == ()
    with pytest.raises(LabError, match="no sample is taken any more"):
        telemetry.await_sample()
