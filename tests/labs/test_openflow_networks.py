"""A leaf-spine of Open vSwitch with a controller, for real: its flows, what a look can do, and each of its faults."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.lab.capabilities import LINKS
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.support.ios import await_that

LATENT = ("controller-crashed", "southbound-port-blocked", "southbound-port-wrong")
WRONG = {"flow-rule-loop": 6, "flow-rule-shadowing": 6, **dict.fromkeys(LATENT, 0)}
"""By fault: how many of the twelve pings between four hosts are lost, if one to a host is."""


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    return draw_network(NetworkParameters(shape="sdn-leaf-spine", sizes={"hosts": 2}, managed_hosts=True))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:
    fields = {"task_name": "sdn", "slug": "sdn", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


def lost(lab: Any, network: DrawnNetwork) -> list[tuple[str, str]]:
    pairs = network.flows
    probes = [Probe(source=one, target=network.addresses[other], timeout_s=0.3) for one, other in pairs]
    return [pair for pair, result in zip(pairs, lab.prober.probe(probes), strict=True) if not result.delivered]


def configs(lab: Any) -> dict[str, str]:
    return {name: lab.driver(name).running_config(node) for name, node in lab.nodes.items()}


def asked(lab: Any, node: str, command: str) -> str:
    text: str = lab.driver(node).execute(lab.nodes[node], command)
    return text


def await_programmed(lab: Any) -> None:
    """Wait until the controller has told all four switches their flows."""
    await_that(
        lambda: asked(lab, "controller1", "controller status").count(" programmed\n") == 4,
        lambda: asked(lab, "controller1", "controller status"),
    )


def test_all_hosts_reach_each_other_by_icmp_and_by_tcp_and_the_switches_are_connected(lab: Any, network: Any) -> None:
    assert not lost(lab, network)
    port = {"protocol": "tcp", "port": 80}
    assert lab.prober.probe([Probe(source="h1x1", target=network.addresses["h2x2"], listen_on="h2x2", **port)])[
        0
    ].delivered
    assert "is_connected: true" in asked(lab, "leaf1", "ovs-vsctl show")
    assert 1.0 <= lab.time_scale <= 8.0, "the controller gives up a switch that is silent for four seconds"
    config = configs(lab)["leaf1"].splitlines()
    assert " controller tcp:100.64.0.1:6653 max_backoff 1000 connection_mode out-of-band" in config
    assert " flow priority=100,arp,arp_tpa=10.0.1.10 actions=output:3" in config


def test_a_kernel_s_own_tcp_passes_although_the_switches_forward_in_user_space(lab: Any) -> None:
    server = "import socket; s = socket.create_server(('10.0.2.10', 5000)); c = s.accept()[0]; c.sendall(bytes(200000))"
    lab.nodes["h2x1"].start(["/usr/bin/python3", "-c", server], lab_time=False)
    client = """
import socket, time
for _ in range(100):
    try:
        c = socket.create_connection(("10.0.2.10", 5000), timeout=5)
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
total = 0
while data := c.recv(65536):
    total += len(data)
print(total)
"""
    done = lab.nodes["h1x1"].run(["/usr/bin/python3", "-c", client])
    assert (done.stdout.strip(), done.stderr) == ("200000", "")


def test_a_look_reads_the_switch_and_cannot_change_it(lab: Any) -> None:
    before = configs(lab)["leaf1"]
    assert "priority=50,ip,dl_dst=02:00:5e:00:00:01" in asked(lab, "leaf1", "ovs-ofctl dump-flows br0 | grep /24")
    trace = "ovs-appctl ofproto/trace br0 in_port=3,ip,dl_dst=02:00:5e:00:00:01,nw_dst=10.0.2.10,nw_ttl=64"
    assert "output:" in asked(lab, "leaf1", trace)
    for command in (
        "ovs-vsctl set bridge br0 fail_mode=standalone",
        "/usr/bin/ovs-vsctl set bridge br0 fail_mode=standalone",
        "ovs-vsctl show -- set bridge br0 fail_mode=standalone",
        "ovs-ofctl del-flows br0",
        "/usr/bin/ovs-ofctl del-flows unix:/run/openvswitch/br0.mgmt",
        "ovs-appctl exit",
        "umount /run/openvswitch; ovs-vsctl del-br br0",
    ):
        assert "exit status" in asked(lab, "leaf1", command), command
    assert "conf.db" not in asked(lab, "leaf1", "ls -R /run/openvswitch")
    assert configs(lab)["leaf1"] == before


def test_the_controller_finds_another_way_when_a_cable_is_cut(lab: Any, network: Any) -> None:
    before = configs(lab)
    links = lab.capability(LINKS)
    for interface in ("eth1", "eth2"):
        links.cut("leaf1", interface)
        try:
            await_that(lambda: configs(lab)["leaf1"] != before["leaf1"] or not lost(lab, network), lambda: "no change")
            await_that(lambda: not lost(lab, network), lambda: str(lost(lab, network)))
        finally:
            links.restore("leaf1", interface)
        await_that(lambda: configs(lab) == before, lambda: "the flows are not as before")


@pytest.mark.parametrize("name", WRONG)
def test_each_fault_takes_effect_and_its_repair_restores_all(name: str, lab: Any, network: DrawnNetwork) -> None:
    fault: Any = fault_of(name)
    fitting = [one for one in fault.places(network) if getattr(one, "match", "ip,").startswith("ip,")]
    one = random.Random(name).choice(fitting)
    before = configs(lab)
    with pytest.raises(FaultHasNoEffect):
        fault.observe(one, lab)
    inject_all([(fault, one)], lab)
    await_effects([(fault, one)], lab)
    assert bool(lost(lab, network)) is bool(WRONG[name])
    for node, commands in fault.recover(one).items():
        statuses = lab.driver(node).apply(lab.nodes[node], commands)
        assert [status.status for status in statuses] == ["success"] * len(commands), statuses
    await_programmed(lab)
    assert not lost(lab, network)
    assert configs(lab) == before
    with pytest.raises(FaultHasNoEffect):
        fault.observe(one, lab)


def test_no_age_and_no_history_tells_which_rule_was_injected(lab: Any, network: DrawnNetwork) -> None:
    fault: Any = fault_of("flow-rule-shadowing")
    one = next(iter(fault.places(network)))
    inject_all([(fault, one)], lab)
    try:
        flows = asked(lab, one.node, "ovs-ofctl dump-flows br0").splitlines()[1:]
        ages = [float(line.partition("duration=")[2].partition("s")[0]) for line in flows]
        assert len(ages) > 3
        assert max(ages) - min(ages) < 0.05 * lab.time_scale
        history = lab.nodes[one.node].run(["ovsdb-tool", "show-log", "/run/openvswitch/conf.db"]).stdout
        assert "ovs-vsctl" not in history
    finally:
        for node, commands in fault.recover(one).items():
            lab.driver(node).apply(lab.nodes[node], commands)


def test_intents_can_be_changed_and_wrong_ones_are_refused(lab: Any, network: DrawnNetwork) -> None:
    driver, node = lab.driver("controller1"), lab.nodes["controller1"]
    intent = "controller host 10.0.2.11 mac 02:00:0a:00:02:0b switch leaf2 port 4"
    before = configs(lab)
    answers = driver.apply(node, [f"no {intent}", "controller host 10.0.2.11", "controller link leaf1 9 leaf7 1"])
    assert [(one.status, one.message) for one in answers] == [
        ("success", ""),
        ("error", "expected 'host ADDRESS mac MAC switch SWITCH port PORT'"),
        ("error", "there is no switch 'leaf7'"),
    ]
    await_that(lambda: len(lost(lab, network)) == 6, lambda: str(lost(lab, network)))
    assert driver.apply(node, [intent])[0].status == "success"
    await_that(lambda: configs(lab) == before and not lost(lab, network), lambda: "not as before")


def test_a_switch_and_the_controller_boot_anew(lab: Any, network: DrawnNetwork) -> None:
    before = configs(lab)
    for name in ("leaf1", "controller1"):
        lab.driver(name).reboot(lab.nodes[name], network.startup_configs[name])
        await_programmed(lab)
        await_that(lambda: configs(lab) == before, lambda: "not as before")
    assert not lost(lab, network)


def test_what_an_agent_ends_is_no_error_of_the_lab(lab: Any, network: DrawnNetwork) -> None:
    switch, node = lab.driver("leaf2"), lab.nodes["leaf2"]
    assert switch.apply(node, ["ovs-appctl -t /run/openvswitch/ovs-vswitchd.*.ctl exit"])[0].status == "success"
    assert "bridge br0\n" in switch.running_config(node)
    assert " ! leaf2: the flows of br0 cannot be read" in switch.running_config(node)
    switch.apply(node, ["rm -rf /run/openvswitch"])
    assert switch.running_config(node).splitlines()[-1].startswith("! leaf2: the database of Open vSwitch does not")
    assert "exit status" in asked(lab, "leaf2", "ovs-vsctl show")
    driver, host = lab.driver("controller1"), lab.nodes["controller1"]
    for command in ("rm -f /etc/openflow-controller.conf", "controller restart", "rm -rf /run/openflow-controller"):
        driver.apply(host, [command])
    assert driver.running_config(host).startswith("controller\ninterface eth0\n")
    assert driver.execute(host, "controller status") == "The controller does not run.\n"
