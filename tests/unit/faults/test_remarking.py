"""A router that marks packets anew, on paper: where it fits, and what it does there."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.families.diagnose.briefing import assignment
from pytest_netbench.families.diagnose.uses import uses_of
from pytest_netbench.faults.builders import NetworkValue
from pytest_netbench.faults.remarking import DSCP_REMARKED
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_QOS
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, marked_flows
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of


def drawn(*services: str, shape: str = "tree", **parameters: Any) -> DrawnNetwork:
    given = {"shape": shape, "platform": "cisco_ios", "services": services, "names": "drawn", **parameters}
    return draw_network(NetworkParameters.model_validate(given))


MARKED = drawn("qos", sizes={"hosts": 2})


@pytest.mark.parametrize("shape", ["campus", "clos", "dual-homed-isp", "isp", "leaf-spine", "line", "mesh", "ring"])
def test_routers_mark_what_comes_in_from_lans_and_nothing_else(shape: str) -> None:
    network = drawn("qos", shape=shape)
    lans = {(end.node, end.interface) for lan in network.lans for end in lan.attachments if end.node in network.routers}
    marking = {(one.node, name) for one in network.markings for name in one.interfaces}
    assert marking == {end for end in lans if network.is_managed(end[0])}
    configured = {
        (node, path[0].split()[1])
        for node, config in network.startup_configs.items()
        for path in config_paths(config)
        if path[-1].startswith("service-policy ")
    }
    assert configured == marking
    assert len({(one.port, one.dscp) for one in network.markings}) == 1


def test_the_marked_flows_are_those_of_hosts_behind_routers_that_mark() -> None:
    groups = marked_flows(MARKED)
    beyond = {flow for flow in MARKED.flows if MARKED.lan_of(flow[0]) != MARKED.lan_of(flow[1])}
    assert {(flow.source, flow.target) for group in groups for flow in group.flows()} == beyond < {*MARKED.flows}
    assert {(group.port, group.dscp) for group in groups} == {(one.port, one.dscp) for one in MARKED.markings}
    assert marked_flows(drawn()) == ()
    isp = drawn("qos", shape="dual-homed-isp")
    sources = {name for group in marked_flows(isp) for name in group.sources}
    gateways = {host: {*isp.routers} & {end.node for end in isp.lan_of(host).attachments} for host in isp.hosts}
    assert sources == {host for host in isp.hosts if all(map(isp.is_managed, gateways[host]))} < {*isp.hosts}


def test_it_is_where_other_routers_send_marked_packets_in_by_their_only_best_path() -> None:
    fault = fault_of("dscp-remarked")
    assert isinstance(fault, NetworkValue)
    assert list(fault.places(drawn())) == []
    places = list(fault.places(MARKED))
    ends = {(end.node, end.interface) for link in MARKED.transits for end in link.attachments}
    assert {(one.node, one.interface) for one in places} == ends, "a tree has no other paths"
    assert all(one.instead != one.right for one in places)
    for one in places:
        for flow in one.flows:
            assert (flow.source, flow.target) in MARKED.flows
            assert MARKED.lan_of(flow.source) != MARKED.lan_of(flow.target)


def test_it_is_not_where_packets_may_take_another_path() -> None:
    ring = drawn("qos", shape="ring", sizes={"routers": 4})
    near = {
        frozenset(end.node for lan in (ring.lan_of(flow.source), ring.lan_of(flow.target)) for end in lan.attachments)
        & {*ring.routers}
        for place in DSCP_REMARKED.places(ring)
        for flow in place.flows
    }
    links = {frozenset(end.node for end in link.attachments) for link in ring.transits}
    assert near == links, "routers at opposite sides of the ring have two paths"
    spines = drawn("qos", shape="leaf-spine", sizes={"spines": 2, "leaves": 2})
    assert list(DSCP_REMARKED.places(spines)) == []


def test_two_of_them_are_not_in_one_task_nor_one_beside_another_path() -> None:
    fault = DSCP_REMARKED
    touched = [fault.touches(place) for place in fault.places(MARKED)]
    assert frozenset.intersection(*touched)
    for name in ("ospf-cost-wrong", "link-down"):
        other = fault_of(name)
        network = drawn("qos", shape="ring")
        for place in fault.places(network):
            assert any(fault.touches(place) & other.touches(one) for one in other.places(network)), name


def test_it_is_drawn_only_if_marking_is_chosen() -> None:
    assert read_series("diagnose:services=qos,n=1").parameters.faults == (*DIAGNOSED, *OF_QOS)
    assert not {*OF_QOS} & {*read_series("diagnose:services=dns+web,n=1").parameters.faults}
    assert not {*OF_QOS} & {*read_series("troubleshoot:services=qos,n=1").parameters.faults}


def test_the_brief_has_what_is_marked_and_each_flow_counts_as_a_request() -> None:
    given = {"shapes": ("line",), "platforms": ("cisco_ios",), "services": ("qos",), "faults": OF_QOS, "level": "1"}
    task = DiagnoseGenerator().draw(DiagnoseParameters.model_validate({**given, "healthy": 1.0}), seed=1, index=0)
    payload = diagnose_of(task)
    one = payload.marked[0]
    assert "nft-dscp" in payload.needs, "also of a healthy network"
    assert uses_of(payload).count == sum(group.count for group in payload.marked) > 0
    assert f"those to UDP port {one.port} arrive with DSCP {one.dscp}," in assignment(payload)
    assert "DSCP" not in assignment(payload.model_copy(update={"marked": ()}))
