"""Routers of a real network mark packets, and one marks them anew."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.families.diagnose.captures import Captures
from pytest_netbench.families.diagnose.measuring import CapturePacketsParams
from pytest_netbench.families.diagnose.serving import Serving
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.faults.remarking import DSCP_REMARKED
from pytest_netbench.generators.default_faults import OF_QOS
from pytest_netbench.generators.networks import NetworkParameters, draw_network, flow_groups, marked_flows
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.task import Task


def test_packets_arrive_as_marked_until_a_router_marks_them_anew(deploy_task: Any) -> None:
    given = {"shape": "line", "platform": "cisco_ios", "services": ("qos",), "sizes": {"routers": 2, "hosts": 1}}
    network = draw_network(NetworkParameters.model_validate(given))
    marked = marked_flows(network)
    flows = {"flows": flow_groups(network), "marked": marked, "faults": (), "fault_types": OF_QOS}
    fields = {**network.fields(), **flows}
    lab = deploy_task(Task.model_validate({"task_name": "qos", "slug": "qos", "family": "diagnose", **fields}))
    serving = Serving(lab, Diagnose.model_validate(fields))
    serving.await_healthy()
    fault, place = DSCP_REMARKED, next(iter(DSCP_REMARKED.places(network)))
    healthy = lab.driver(place.node).running_config(lab.nodes[place.node])
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    assert [left for check in fault.change(place).checks for left in check(lab)] != [], (
        "a policy without an effect is no fault"
    )

    inject_all([(fault, place)], lab)
    await_effects([(fault, place)], lab)
    source, target = place.flows[0].source, place.flows[0].target
    assert [left for check in fault.change(place).checks for left in check(lab)] == []
    (failure,) = serving.failures()
    assert failure.startswith(f"{source} ")
    assert failure.endswith(f"DSCP {place.instead}")
    shown = lab.driver(place.node).execute(lab.nodes[place.node], f"show policy-map interface {place.interface} input")
    assert "Service-policy input: FROM-CORE" in shown
    assert "Packets marked 0" not in shown
    interface = network.lan_of(target).attachments[-1].interface
    params = CapturePacketsParams(node=target, interface=interface, filter="udp", packets=2, verbose=True)
    seen: list[str] = []
    captures = Captures(lab, {target: (interface,)})
    capturing = threading.Thread(target=lambda: seen.extend(captures.method.answer(params).packets))  # type: ignore[attr-defined]
    capturing.start()
    while capturing.is_alive():
        serving.failures()
    assert len(seen) == 2
    for line in seen:
        assert f"(tos 0x{4 * place.instead:x}, ttl " in line
        assert f".{place.port}: UDP, length " in line

    for node, commands in fault.recover(place).items():
        assert {one.status for one in lab.driver(node).apply(lab.nodes[node], commands)} == {"success"}
    assert serving.lasting_failures() == ()
    assert lab.driver(place.node).running_config(lab.nodes[place.node]) == healthy
