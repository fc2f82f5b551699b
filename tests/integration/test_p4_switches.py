"""A fabric of P4 switches, for real: what it forwards, what agents read and change, and who cannot reach its API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.platforms.p4 import switch
from pytest_netbench.taskfile import load_task
from tests.labs.conftest import deploy_task  # noqa: F401  (a fixture)
from tests.support.task_list import TASKS

TASK = load_task(TASKS / "p4/new-subnet-over-two-spines.task.yaml")
SWITCHES = ("leaf1", "leaf2", "spine1", "spine2")
ADDRESSES = {"h1": "10.0.1.10", "h2": "10.0.2.10", "h3": "10.0.3.10"}


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:  # noqa: F811
    if (lack := switch.lack()) is not None:
        pytest.skip(f"{lack[0]} (fix: {lack[1]})")
    return deploy_task(TASK)


@pytest.fixture
def solved(lab: Any) -> Iterator[Any]:
    """The network with the ground truth; afterwards as it was."""
    before = configs(lab)
    for name in SWITCHES:
        enter(lab, name, *configuration_of(TASK).truth_of(name))
    yield lab
    for name in SWITCHES:
        lab.driver(name).reboot(lab.nodes[name], before[name])
    assert configs(lab) == before


def configs(lab: Any) -> dict[str, str]:
    return {name: lab.driver(name).running_config(lab.nodes[name]) for name in SWITCHES}


def enter(lab: Any, name: str, *commands: str) -> None:
    statuses = lab.driver(name).apply(lab.nodes[name], commands)
    assert [one.message for one in statuses if one.status == "error"] == []


def refusal(lab: Any, name: str, command: str) -> str:
    (status,) = lab.driver(name).apply(lab.nodes[name], [command])
    assert status.status == "error"
    text: str = status.message
    return text


def asked(lab: Any, name: str, command: str) -> str:
    text: str = lab.driver(name).execute(lab.nodes[name], command)
    return text


def delivered(lab: Any, pairs: Any, **options: Any) -> list[bool]:
    probes = [Probe(source=one, target=ADDRESSES[other], timeout_s=1.0, **options) for one, other in pairs]
    return [one.delivered for one in lab.prober.probe(probes)]


def flows(lab: Any, count: int = 24) -> list[bool]:
    """Whether flows of h1 to h3 that differ in their source ports arrive."""
    probes = [
        Probe(
            source="h1",
            target=ADDRESSES["h3"],
            protocol="tcp",
            port=80,
            source_port=21000 + number,
            listen_on="h3",
            timeout_s=1.0,
        )
        for number in range(count)
    ]
    return [one.delivered for one in lab.prober.probe(probes)]


def sent(lab: Any, name: str, port: int) -> int:
    """How many packets a switch has sent by a port."""
    return int(asked(lab, name, f"counter_read sent {port}").split()[1])


def test_the_fabric_forwards_what_it_has_entries_for_and_drops_the_rest(lab: Any) -> None:
    assert delivered(lab, [("h1", "h2"), ("h2", "h1")]) == [True, True]
    assert delivered(lab, [("h1", "h3"), ("h3", "h1")]) == [False, False]


def test_flows_are_spread_over_both_spines_and_each_arrives(solved: Any) -> None:
    before = [sent(solved, name, 1) for name in ("spine1", "spine2")]
    assert all(flows(solved))
    after = [sent(solved, name, 1) for name in ("spine1", "spine2")]
    assert all(now > then for now, then in zip(after, before, strict=True))
    assert all(delivered(solved, [("h1", "h3"), ("h3", "h1"), ("h2", "h3"), ("h3", "h2")]))


def test_a_missing_member_of_the_group_loses_the_flows_of_its_bucket_only(solved: Any) -> None:
    enter(solved, "leaf1", "table_delete ecmp_members 1 1")
    found = flows(solved)
    assert 0 < sum(found) < len(found)
    enter(solved, "leaf1", "table_add ecmp_members forward 1 1 => 02:00:00:02:02:00 1")
    assert all(flows(solved))


def test_routes_are_the_entries_with_the_interfaces_of_their_members(lab: Any) -> None:
    (route,) = lab.driver("leaf1").routes(lab.nodes["leaf1"], "10.0.2.0/24")
    assert (route.protocol, route.interfaces) == ("p4", ("eth0", "eth1"))
    (host,) = lab.driver("leaf1").routes(lab.nodes["leaf1"], "10.0.1.10/32")
    assert host.interfaces == ("eth2",)
    assert lab.driver("leaf1").routes(lab.nodes["leaf1"], "10.0.3.0/24") == []


def test_the_running_config_names_the_program_and_can_be_loaded_again(lab: Any) -> None:
    before = configs(lab)
    assert before["spine1"].splitlines()[0] == "program ipv4_fabric"
    refused = lab.driver("spine1").reboot(lab.nodes["spine1"], before["spine1"])
    assert (list(refused), configs(lab)) == ([], before)
    assert delivered(lab, [("h1", "h2")]) == [True]


def test_an_entry_is_changed_and_deleted_by_its_match_key(lab: Any) -> None:
    before = configs(lab)
    enter(lab, "spine1", "table_add FabricIngress.ipv4_lpm FabricIngress.forward 0x0a000900/24 => 0x020000000901 1")
    line = "table_add ipv4_lpm forward 10.0.9.0/24 => 02:00:00:00:09:01 1"
    assert line in configs(lab)["spine1"].splitlines()
    enter(lab, "spine1", "table_modify ipv4_lpm drop 10.0.9.0/24 =>")
    assert "table_add ipv4_lpm drop 10.0.9.0/24 =>" in configs(lab)["spine1"].splitlines()
    enter(lab, "spine1", "table_delete ipv4_lpm 10.0.9.0/24")
    enter(lab, "spine1", "table_set_default ipv4_lpm forward 02:00:00:00:09:01 1")
    assert "table_set_default ipv4_lpm forward 02:00:00:00:09:01 1" in configs(lab)["spine1"].splitlines()
    enter(lab, "spine1", "table_reset_default ipv4_lpm")
    assert configs(lab) == before


def test_a_table_is_cleared_and_filled_again(lab: Any) -> None:
    before = configs(lab)
    entries = [line for line in before["spine2"].splitlines() if line.startswith("table_add port_macs")]
    enter(lab, "spine2", "table_clear port_macs")
    assert asked(lab, "spine2", "table_num_entries port_macs") == "0 of 64\n"
    enter(lab, "spine2", *reversed(entries))
    assert configs(lab) == before


def test_registers_are_written_and_read(lab: Any) -> None:
    enter(lab, "spine1", "register_write last_received_us 40 281474976710655")
    assert asked(lab, "spine1", "register_read last_received_us 40") == "last_received_us[40]: 281474976710655\n"
    enter(lab, "spine1", "register_reset last_received_us", "counter_reset sent")
    assert asked(lab, "spine1", "register_read last_received_us 40") == "last_received_us[40]: 0\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("table_add ipv4_lpm forward 10.0.1.0/24 => 02:00:00:01:01:00 0", "has an entry with this match key already"),
        ("table_delete ipv4_lpm 10.9.0.0/16", "table ipv4_lpm has no entry with this match key"),
        ("table_add ipv4_lmp forward 10.0.1.0/24 => 1 0", "Did you mean 'ipv4_lpm'?"),
        ("table_add ipv4_lpm rewrite 10.0.1.0/24 => 1", "unknown action of table ipv4_lpm 'rewrite'"),
        (
            "table_add ipv4_lpm forward 10.0.8.0/24 => 1",
            "1 parameters were given, expected 2: mac (48 bits)",
        ),
        ("table_add ipv4_lpm forward 10.0.8.0/24 => 1 512", "512 does not fit port, which has 9 bits"),
        ("program ipv4_fabric", "the program of a running switch cannot be replaced"),
        ("register_write last_received_us 64 1", "has the indexes 0 to 63"),
        ("show_tables", "unknown command 'show_tables'"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(lab: Any, command: str, message: str) -> None:
    before = configs(lab)["spine1"]
    assert message in refusal(lab, "spine1", command)
    assert configs(lab)["spine1"] == before


def test_a_table_that_is_full_says_so(lab: Any) -> None:
    before = configs(lab)
    commands = [f"table_add port_macs rewrite {port} => 1" for port in range(2, 80)]
    statuses = lab.driver("spine1").apply(lab.nodes["spine1"], commands)
    refused = [one.message for one in statuses if one.status == "error"]
    assert set(refused) == {"table port_macs is full (TABLE_FULL)"}
    assert len(refused) == 2 + 78 - 64
    lab.driver("spine1").reboot(lab.nodes["spine1"], before["spine1"])


def test_read_only_commands_show_the_switch_and_change_nothing(lab: Any) -> None:
    before = configs(lab)
    answers = {line: asked(lab, "leaf1", line) for line in asked(lab, "leaf1", "help").split("\n") if " " not in line}
    assert "ipv4_lpm [hdr.ipv4.destination(lpm, 32)] size 1024\n" in answers["show_tables"]
    assert answers["show_ports"] == "0 eth0 up\n1 eth1 up\n2 eth2 up\n"
    assert answers["show_config"] == before["leaf1"]
    assert "control FabricIngress" in answers["show_program"]
    assert answers["show_log"]
    assert asked(lab, "spine1", "counter_read dropped") == "dropped: all are 0\n", "no host is at it"
    assert "table_add ipv4_lpm ecmp 10.0.2.0/24 => 1 2  # " in asked(lab, "leaf1", "table_dump ipv4_lpm")
    assert "  forward [mac(48), port(9)]\n" in asked(lab, "leaf1", "table_info ipv4_lpm")
    for command in ("table_clear ipv4_lpm", "table_delete ipv4_lpm 10.0.2.0/24", "sh", "show_log; reboot", ""):
        assert asked(lab, "leaf1", command) != ""
    assert configs(lab) == before


def test_the_tools_of_nika_answer_by_their_names(lab: Any) -> None:
    before = configs(lab)
    for theirs, ours in (
        ("bmv2_show_tables", "show_tables"),
        ("bmv2_table_dump ipv4_lpm", "table_dump ipv4_lpm"),
        ("bmv2_get_counter_arrays", "show_counters"),
        ("bmv2_counter_read sent 1", "counter_read sent 1"),
        ("bmv2_get_register_arrays", "show_registers"),
        ("bmv2_register_read last_received_us 40", "register_read last_received_us 40"),
        ("bmv2_read_p4_program", "show_program"),
        ("bmv2_get_log", "show_log"),
    ):
        assert asked(lab, "leaf2", theirs) == asked(lab, "leaf2", ours)
        assert "unknown" not in asked(lab, "leaf2", theirs)
    assert asked(lab, "leaf2", "bmv2_table_dump") == "usage: bmv2_table_dump TABLE\n"
    assert configs(lab) == before


def test_a_host_does_not_reach_the_runtime_api_of_its_switch(lab: Any) -> None:
    host, node = lab.nodes["h1"], lab.nodes["leaf1"]
    assert "127.0.0.1" in node.run(["ip", "-o", "addr"]).stdout
    assert "eth2" not in node.run(["ip", "-o", "addr"]).stdout, "the node has no address towards the host"
    (link,) = json.loads(node.run(["ip", "-j", "link", "show", "dev", "eth2"]).stdout)
    mac = link["address"]
    attempt = """
import socket, sys
link_local = (sys.argv[1], 9090, 0, socket.if_nametoindex("eth0"))
for place in (("127.0.0.1", 9090), ("10.0.1.1", 9090), link_local):
    try:
        with socket.socket(socket.AF_INET if len(place) == 2 else socket.AF_INET6) as one:
            one.settimeout(1)
            one.connect(place)
            print("connected to", place)
    except OSError:
        pass
"""
    octets = bytes.fromhex(mac.replace(":", ""))
    link_local = bytes([0xFE, 0x80, *[0] * 6, octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]])
    address = ":".join(link_local[at : at + 2].hex() for at in range(0, 16, 2))
    host.run(["ip", "neigh", "replace", "10.0.1.1", "lladdr", mac, "dev", "eth0"])
    # even if the node had the gateway's address, its filter admits nothing from links
    node.run(["ip", "address", "add", "10.0.1.1/24", "dev", "eth2"])
    try:
        done = host.run(["/usr/bin/python3", "-c", attempt, address])
    finally:
        node.run(["ip", "address", "delete", "10.0.1.1/24", "dev", "eth2"])
        host.run(["ip", "neigh", "delete", "10.0.1.1", "dev", "eth0"])
    assert (done.stdout, done.stderr) == ("", "")
