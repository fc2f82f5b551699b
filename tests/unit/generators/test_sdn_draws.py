"""Draws of networks of OpenFlow switches."""

from __future__ import annotations

import pytest

from pytest_netbench.generators.default_faults import DIAGNOSED, OF_RULES, OF_SWITCHES, TROUBLESHOT
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.troubleshoot import TroubleshootParameters
from pytest_netbench.model.task import digest_of

PINNED = "5c5099b6369177b2"


def test_their_faults_are_drawn_where_the_shape_is_asked_for_and_nowhere_else():
    assert DiagnoseParameters().faults == DIAGNOSED
    assert not {*OF_SWITCHES} & {*DIAGNOSED, *TROUBLESHOT}
    for model, usual, more in (
        (DiagnoseParameters, DIAGNOSED, OF_SWITCHES),
        (TroubleshootParameters, TROUBLESHOT, OF_RULES),
    ):
        asked = model(shapes=("sdn-leaf-spine",))
        assert asked.faults == (*usual, *more)
        assert asked.routings[-1] == "openflow"
        assert asked.platforms[-1] == "openvswitch"
        assert model.model_validate(asked.model_dump(mode="json")) == asked
    chosen = DiagnoseParameters(shapes=("sdn-leaf-spine",), faults=("flow-rule-loop",))
    assert chosen.faults == ("flow-rule-loop",)


def test_draws_are_those_that_were_published():
    series = read_series("diagnose:scenario=sdn,n=20,seed=11")
    assert digest_of([source.load().digest for source in series.sources()]) == PINNED


def test_a_draw_is_a_network_of_switches_with_a_controller_and_some_are_healthy():
    tasks = [source.load() for source in read_series("diagnose:scenario=sdn,size=1-3,n=40,seed=2").sources()]
    assert sum(task.drawn is not None and task.drawn.label == "healthy" for task in tasks) == 12
    for task in tasks:
        platforms = {node.platform or task.network.platform for node in task.network.topology.nodes}
        assert platforms == {"openflow_controller", "openvswitch", "linux"}
    drawn = {one.fault for task in tasks for one in task.payload.faults}  # type: ignore[attr-defined]
    assert len(drawn & {*OF_SWITCHES}) >= 4


@pytest.mark.parametrize("fault", OF_SWITCHES)
def test_each_fault_is_drawn_at_many_places(fault):
    series = read_series(f"diagnose:scenario=sdn,size=2,faults={fault},level=1,healthy=0,names=plain,n=40")
    nodes = {source.load().payload.faults[0].parameters["node"] for source in series.sources()}  # type: ignore[attr-defined]
    assert len(nodes) == 1 if fault in {"controller-crashed", "southbound-port-blocked"} else len(nodes) >= 4
