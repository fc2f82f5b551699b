from __future__ import annotations

import pytest

from pytest_netbench.errors import LabError, StartupConfigRejected
from pytest_netbench.lab.deployment import Paces, bring_up
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.ready import Ready
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import RefusedLine
from tests.support.memory_lab import MemoryDriver, MemoryLab

TOPOLOGY = Topology.model_validate({"nodes": [{"name": "R1"}], "links": []})
REFUSED = RefusedLine(node="R1", line_number=2, line="nonsense", message="% Unknown")


class Refusing(MemoryDriver):
    def boot(self, node, startup_config):
        super().boot(node, startup_config)
        return [REFUSED]


class Broken(MemoryDriver):
    def pending(self, nodes, *, excused=None):
        raise LabError("R1: no prompt")


class Ended(MemoryLab):
    ended = 0

    def destroy(self):
        self.ended += 1


def request(**fields):
    return LabRequest(
        name="x", topology=TOPOLOGY, dialects={"R1": "memory"}, startup_configs={"R1": "address e0 10.0.0.1"}, **fields
    )


def test_nodes_boot_and_the_pace_is_changed_as_often_as_it_differs():
    lab, paces = Ended(TOPOLOGY, {}), []
    done = bring_up(lab, request(), paces=Paces(steady=3, at_first=200, booting=1), set_pace=paces.append)
    assert (done.refused, done.readiness.missing, lab.nodes["R1"].lines) == ((), (), ["address e0 10.0.0.1"])
    assert paces == [200, 3]
    bring_up(lab, request(), paces=Paces(steady=200, at_first=200, booting=200), set_pace=paces.append)
    assert paces == [200, 3]
    assert not lab.ended


def test_a_refused_line_ends_a_strict_deployment_and_the_lab():
    lab = Ended(TOPOLOGY, {}, driver=Refusing())
    assert bring_up(lab, request(ready=Ready(until="boot"))).refused == (REFUSED,)
    assert not lab.ended
    with pytest.raises(StartupConfigRejected, match="R1: startup config line 2"):
        bring_up(lab, request(strict=True))
    assert lab.ended == 1


def test_a_lab_that_does_not_become_ready_is_destroyed():
    lab = Ended(TOPOLOGY, {}, driver=Broken())
    with pytest.raises(LabError, match="no prompt"):
        bring_up(lab, request())
    assert lab.ended == 1


class ByItself:
    """A driver of devices that come up by themselves."""

    name = "memory"
    pending = MemoryDriver.pending


def test_a_node_that_comes_up_by_itself_is_not_booted():
    lab = Ended(TOPOLOGY, {}, driver=ByItself())  # type: ignore[arg-type]
    assert bring_up(lab, request(ready=Ready(until="boot"))).refused == ()
    assert lab.nodes["R1"].lines == []
