"""A drawn leaf-spine of P4 switches, for real: what it forwards, and each of its faults."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect, LabError
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.default_faults import OF_P4
from pytest_netbench.generators.faulty_networks import choices
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.capabilities import PROGRAMS
from pytest_netbench.platforms.p4 import switch
from tests.labs.conftest import deploy_task  # noqa: F401  (a fixture)
from tests.support.ios import await_that

OF_HOSTS_AND_CABLES = (
    "host-address-duplicate",
    "host-gateway-wrong",
    "host-mask-wrong",
    "link-down",
    "link-flapping",
    "host-address-missing",
    "host-address-wrong",
    "host-route-blackhole",
    "node-crashed",
    "host-mac-duplicate",
    "host-address-taken",
    "host-arp-denied",
    "interface-detached",
)
"""Those that ``diagnose`` draws in each network and that have a place in this one."""


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    parameters = {"shape": "p4-leaf-spine", "sizes": {"hosts": 3}, "names": "drawn", "managed_hosts": True, "seed": 5}
    return draw_network(NetworkParameters.model_validate(parameters))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:  # noqa: F811
    if (lack := switch.lack()) is not None:
        pytest.skip(f"{lack[0]} (fix: {lack[1]})")
    fields = {"task_name": "p4", "slug": "p4", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


def lost(lab: Any, network: DrawnNetwork) -> list[tuple[str, str]]:
    pairs = network.flows
    probes = [Probe(source=one, target=network.addresses[other], timeout_s=2.0) for one, other in pairs]
    return [pair for pair, result in zip(pairs, lab.prober.probe(probes), strict=True) if not result.delivered]


def configs(lab: Any, network: DrawnNetwork) -> dict[str, str]:
    names = [node.name for node in network.topology.nodes]
    return {name: lab.driver(name).running_config(lab.nodes[name]) for name in names}


def mend(lab: Any, fault: Any, one: Any) -> None:
    if not fault.repairable:
        fault.undo(one, lab)
    for node, commands in fault.recover(one).items():
        statuses = lab.driver(node).apply(lab.nodes[node], commands)
        assert [status.message for status in statuses if status.status == "error"] == []


def test_all_hosts_reach_each_other_by_icmp(lab: Any, network: DrawnNetwork) -> None:
    assert lost(lab, network) == []


def test_the_running_config_is_the_startup_config(lab: Any, network: DrawnNetwork) -> None:
    for node in network.topology.nodes:
        if network.platform_of(node.name) == "p4":
            running = lab.driver(node.name).running_config(lab.nodes[node.name]).splitlines()
            written = network.startup_configs[node.name].splitlines()
            assert {*written} <= {*running}
            # the running config has the defaults of all tables
            assert all(line.startswith("table_set_default") for line in {*running} - {*written})


@pytest.mark.parametrize("name", OF_P4)
def test_each_fault_takes_effect_three_times_and_its_repair_restores_all(
    name: str, lab: Any, network: DrawnNetwork
) -> None:
    fault: Any = fault_of(name)
    places = list(fault.places(network))
    before = configs(lab, network)
    for one in random.Random(name).sample(places, min(3, len(places))):
        if fault.repairable:
            with pytest.raises(FaultHasNoEffect):
                fault.observe(one, lab)
        inject_all([(fault, one)], lab)
        await_effects([(fault, one)], lab)
        broken = lost(lab, network)
        assert ((one.source, one.target) in broken) if hasattr(one, "source") else not broken
        mend(lab, fault, one)
        assert configs(lab, network) == before
        assert lost(lab, network) == []


def test_no_counter_tells_which_entry_was_changed(lab: Any, network: DrawnNetwork) -> None:
    fault: Any = fault_of("p4-entry-wrong")
    one = next(iter(fault.places(network)))
    lost(lab, network)
    inject_all([(fault, one)], lab)
    try:
        entries = lab.driver(one.node).execute(lab.nodes[one.node], "table_dump ipv4_lpm").splitlines()
        assert {line.partition("#")[2] for line in entries if line.startswith("table_add")} == {" 0 packets, 0 bytes"}
    finally:
        mend(lab, fault, one)


@pytest.mark.parametrize("name", OF_HOSTS_AND_CABLES)
def test_faults_of_hosts_and_cables_take_effect_there_too(name: str, lab: Any, network: DrawnNetwork) -> None:
    fault: Any = fault_of(name)
    one = random.Random(name).choice([choice.parameters for choice in choices(network, name, {})])
    before = configs(lab, network)
    inject_all([(fault, one)], lab)
    await_effects([(fault, one)], lab)
    broken = lost(lab, network)
    mend(lab, fault, one)
    await_that(lambda: not lost(lab, network), lambda: str(lost(lab, network)), within_s=40.0)
    assert configs(lab, network) == before
    assert broken or name in {"link-down", "link-flapping"}, "no ping may take the way over those"


def test_a_table_takes_as_many_entries_as_it_has_room_for_and_refuses_all_others(
    lab: Any, network: DrawnNetwork
) -> None:
    before = configs(lab, network)
    name = next(name for name in before if network.topology.node(name).role == "spine")
    commands = [f"table_add ipv4_lpm forward 198.18.{number >> 8}.{number & 255}/32 => 1 0" for number in range(3_000)]
    statuses = lab.driver(name).apply(lab.nodes[name], commands)
    refused = [one.message for one in statuses if one.status == "error"]
    assert set(refused) == {"table ipv4_lpm is full (TABLE_FULL)"}
    there = sum(line.startswith("table_add ipv4_lpm") for line in before[name].splitlines())
    assert len(refused) == 3_000 - (1024 - there)
    assert lost(lab, network) == []
    lab.driver(name).reboot(lab.nodes[name], before[name])
    assert configs(lab, network) == before


def test_a_switch_that_is_killed_is_an_error_of_the_lab_until_it_boots_again(lab: Any, network: DrawnNetwork) -> None:
    before = configs(lab, network)
    name = next(name for name in before if network.topology.node(name).role == "leaf")
    node, driver = lab.nodes[name], lab.driver(name)
    node.capability(PROGRAMS).signal(switch.NAME, 9)
    await_that(lambda: lost(lab, network), lambda: "packets still pass")
    for look in (driver.running_config, lambda node: driver.execute(node, "show_tables")):
        with pytest.raises(LabError, match=f"{name}: the P4 switch does not answer: "):
            look(node)
    driver.reboot(node, before[name])
    assert configs(lab, network) == before
    assert lost(lab, network) == []


def test_hosts_do_not_reach_the_runtime_api_of_any_switch(lab: Any, network: DrawnNetwork) -> None:
    gateways = [lan.gateway for lan in network.lans if lan.gateway is not None]
    asking = "import socket, sys\nfor place in sys.argv[1:]:\n    socket.create_connection((place, 9090), timeout=1)\n"
    for host in network.hosts:
        for address in (*gateways, "127.0.0.1"):
            done = lab.nodes[host].run(["/usr/bin/python3", "-c", asking, address])
            assert done.returncode != 0
            assert "timed out" in done.stderr or "refused" in done.stderr or "unreachable" in done.stderr
