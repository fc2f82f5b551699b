"""DHCP on hosts of a real network: what clients get, and each fault of it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.families.diagnose.serving import Serving
from pytest_netbench.faults.dhcp import configured, served_lans
from pytest_netbench.faults.injecting import inject_all
from pytest_netbench.generators.default_faults import OF_DHCP
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.linux.dhcp import SCRIPT
from tests.support.ios import await_that


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    given = {"shape": "star", "platform": "frr", "services": ("dns", "dhcp"), "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate({**given, "sizes": {"hosts": 3}}))


@pytest.fixture(scope="module")
def payload(network: DrawnNetwork) -> Diagnose:
    fields = {**network.fields(), "flows": flow_groups(network), "faults": (), "fault_types": OF_DHCP}
    return Diagnose.model_validate(fields)


@pytest.fixture(scope="module")
def lab(payload: Diagnose, deploy_task: Any) -> Any:
    fields = {name: getattr(payload, name) for name in type(payload).model_fields}
    return deploy_task(Task.model_validate({"task_name": "dhcp", "slug": "dhcp", "family": "diagnose", **fields}))


def configs(lab: Any) -> dict[str, str]:
    return {name: lab.driver(name).running_config(node) for name, node in lab.nodes.items()}


def holds(fault: Any, place: Any, lab: Any) -> bool:
    try:
        fault.observe(place, lab)
    except FaultHasNoEffect:
        return False
    return True


def reaches(lab: Any, network: DrawnNetwork, source: str, target: str) -> bool:
    probe = Probe(source=source, target=network.addresses[target], protocol="icmp", timeout_s=1.0)
    return all(result.delivered for result in lab.prober.probe([probe]))


def test_clients_have_what_the_network_was_drawn_with_when_the_lab_is_ready(
    lab: Any, network: DrawnNetwork, payload: Diagnose
) -> None:
    lans = list(served_lans(network))
    assert len(lans) == 2
    for one in lans:
        for client in one.clients:
            found = configured(lab, client.node, client.interface)
            length = one.lan.prefix.partition("/")[2]
            assert found == ((f"{client.address}/{length}",), one.lan.gateway, one.config.resolver)
    Serving(lab, payload).await_healthy()


@pytest.mark.parametrize("name", OF_DHCP)
def test_a_fault_reaches_clients_and_they_have_all_again_afterwards(
    name: str, lab: Any, network: DrawnNetwork, payload: Diagnose
) -> None:
    fault: Any = fault_of(name)
    place = next(iter(fault.places(network)))
    client = next(iter(place.clients))
    far = next(host for host in network.hosts if network.lan_of(host) != network.lan_of(client))
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)
    assert reaches(lab, network, client, far)
    healthy = configs(lab)
    inject_all([(fault, place)], lab)
    try:
        assert holds(fault, place, lab)
        is_of_names = name == "dhcp-dns-spoofed"
        assert reaches(lab, network, client, far) is is_of_names
        assert not is_of_names or Serving(lab, payload).failures()
    finally:
        fault.undo(place, lab)
    await_that(lambda: configs(lab) == healthy, lambda: f"after {name} a config differs")
    assert reaches(lab, network, client, far)


def test_a_rogue_server_leaves_nothing_on_its_host_and_the_right_one_runs(lab: Any, network: DrawnNetwork) -> None:
    fault: Any = fault_of("dhcp-dns-spoofed")
    place = next(iter(fault.places(network)))
    files = "find /etc /run /tmp /var -type f"
    before = lab.nodes[place.node].run(["/bin/sh", "-c", files]).stdout
    inject_all([(fault, place)], lab)
    assert lab.driver(place.server).server_runs(lab.nodes[place.server], "dhcp")
    assert lab.driver(place.node).server_runs(lab.nodes[place.node], "dns")
    fault.undo(place, lab)
    assert lab.nodes[place.node].run(["/bin/sh", "-c", files]).stdout == before
    assert not lab.driver(place.node).server_runs(lab.nodes[place.node], "dhcp")
    await_that(lambda: not holds(fault, place, lab), lambda: "the client keeps to the rogue server")


def test_no_time_of_a_file_tells_who_asked(lab: Any, network: DrawnNetwork) -> None:
    before = time.time()
    inject_all([], lab)
    script = "stat -L -c '%Z %Y' /etc/resolv.conf /etc/udhcpc/default.script /etc/dnsmasq-dhcp.conf 2>/dev/null; true"
    for one in served_lans(network):
        for host in (one.server, *one.clients):
            times = lab.driver(host.node).execute(lab.nodes[host.node], script).split()
            assert len(times) >= 4
            assert all(int(second) >= int(before) for second in times)


def test_an_agent_that_may_change_a_client_cannot_change_the_script_that_root_runs(
    lab: Any, network: DrawnNetwork
) -> None:
    client = next(served_lans(network)).clients[0].node
    (status,) = lab.driver(client).apply(lab.nodes[client], [f"echo touch /tmp/x > {SCRIPT}"])
    assert status.status == "error"
    assert "Read-only file system" in status.message


def test_a_client_has_its_address_again_after_a_reboot(lab: Any, network: DrawnNetwork) -> None:
    client = next(served_lans(network)).clients[0]
    healthy = configs(lab)
    lab.capability(NODES).reboot(client.node)
    await_that(lambda: configs(lab) == healthy, lambda: f"{client.node} has another config after a reboot")
