"""A load balancer on a host of a real network: what hosts get of it, and each fault of it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.families.diagnose.serving import Serving
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.default_faults import OF_LB
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.clients import get
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import LoadBalancer
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.linux.balancer import LB_CONF, config_text
from tests.support.ios import await_that

URL = "http://www.corp.example/"


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    given = {"shape": "star", "platform": "frr", "services": ("dns", "web", "lb"), "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate(given))


@pytest.fixture(scope="module")
def payload(network: DrawnNetwork) -> Diagnose:
    fields = {**network.fields(), "flows": flow_groups(network), "faults": (), "fault_types": OF_LB}
    return Diagnose.model_validate(fields)


@pytest.fixture(scope="module")
def lab(payload: Diagnose, deploy_task: Any) -> Any:
    fields = {name: getattr(payload, name) for name in type(payload).model_fields}
    lab = deploy_task(Task.model_validate({"task_name": "lb", "slug": "lb", "family": "diagnose", **fields}))
    Serving(lab, payload).await_healthy()
    return lab


def balancer(network: DrawnNetwork) -> tuple[str, LoadBalancer]:
    found = ((node.name, one) for node in network.topology.nodes for one in node.services)
    return next((name, one) for name, one in found if isinstance(one, LoadBalancer))


def statuses(lab: Any, node: str, count: int) -> list[int | None]:
    return [get(lab.nodes[node], URL).status for _ in range(count)]


def test_requests_are_spread_over_all_servers_in_turn(lab: Any, network: DrawnNetwork) -> None:
    host, one = balancer(network)
    for server in one.servers:
        lab.driver(server).end_server(lab.nodes[server], "web")
        try:
            assert sorted(map(str, statuses(lab, host, 4))) == ["200", "200", "503", "503"], "each second one fails"
        finally:
            lab.driver(server).start_server(lab.nodes[server], "web")
        await_that(lambda: set(statuses(lab, host, 2)) == {200}, lambda: f"a server of {list(one.servers)} is not back")


@pytest.mark.parametrize("name", [name for name in OF_LB if name != "lb-server-slow"])  # see below
def test_a_fault_fails_requests_for_its_name_only_and_goes_away(
    name: str, lab: Any, network: DrawnNetwork, payload: Diagnose
) -> None:
    fault: Any = fault_of(name)
    place = next(iter(fault.places(network)))
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    before = lab.driver(place.node).running_config(lab.nodes[place.node])
    inject_all([(fault, place)], lab)
    try:
        await_effects([(fault, place)], lab)
        failed = Serving(lab, payload).failures()
    finally:
        fault.undo(place, lab)
    assert failed
    assert all(f" {URL}: " in one for one in failed), "each web server answers"
    assert lab.driver(place.node).running_config(lab.nodes[place.node]) == before
    Serving(lab, payload).await_healthy()
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)


def test_slow_web_servers_are_no_slow_load_balancer(lab: Any, network: DrawnNetwork) -> None:
    slow: Any = fault_of("lb-server-slow")
    (place,) = slow.places(network)
    _, one = balancer(network)
    for server in one.servers:
        lab.driver(server).throttle_server(lab.nodes[server], "web", stopped_s=3.0, running_s=0.01)
    with pytest.raises(FaultHasNoEffect):
        slow.observe(place, lab)
    for server in one.servers:
        lab.driver(server).throttle_server(lab.nodes[server], "web", stopped_s=0.0, running_s=0.0)
    slow.inject(place, lab)
    slow.observe(place, lab)
    slow.undo(place, lab)
    with pytest.raises(FaultHasNoEffect):
        slow.observe(place, lab)


def test_an_agent_that_may_change_its_host_cannot_change_what_root_runs(lab: Any, network: DrawnNetwork) -> None:
    host, _ = balancer(network)
    (status,) = lab.driver(host).apply(lab.nodes[host], [f"echo lua-load /tmp/x >> {LB_CONF}"])
    assert status.status == "error"
    assert "Read-only file system" in status.message


def test_its_config_is_shown_and_it_runs_again_after_a_reboot(
    lab: Any, network: DrawnNetwork, payload: Diagnose
) -> None:
    host, one = balancer(network)
    shown = lab.driver(host).running_config(lab.nodes[host])
    assert all(f"\n {line}\n" in shown for line in config_text(one).splitlines() if line)
    lab.capability(NODES).reboot(host)
    Serving(lab, payload).await_healthy()
