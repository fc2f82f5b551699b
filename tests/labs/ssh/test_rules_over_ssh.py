"""Rules for commands on real devices: an IOS router, an FRR router and a Linux host, over the ANI and over SSH."""

from __future__ import annotations

import pytest

from pytest_netbench.ani.approval import ByProgram
from pytest_netbench.ani.interface import LabAni
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.errors import PolicyViolation
from pytest_netbench.model.agentsettings import CommandRule
from pytest_netbench.model.task import Budget
from tests.support.shell import Shell

RULES = (
    CommandRule(platforms=("cisco_ios",), deny=("write erase", "no router", "interface Loopback*", "hostname")),
    CommandRule(platforms=("frr", "linux"), deny=("ip route",)),
)


def opened(served, **settings) -> LabAni:
    return LabAni(served.lab, budget=Budget(calls=None, commands=None, wall_s=None), **settings)


@pytest.fixture
def ani(served):
    with_rules = opened(served, policy=Policy(commands=RULES))
    yield with_rules
    with_rules.close()
    assert with_rules.lab_error is None


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (["wr er"], "it stands for 'write erase', which the policy denies ('write erase')"),
        (["no router bg 65001"], "it stands for 'no router bgp 65001', which the policy denies ('no router')"),
        (["interface Gi0/0", "default router bgp 65001"], "it stands for 'no router bgp 65001'"),
        # the device would call it ambiguous; it is not tried
        (["no router os 1"], "which the policy denies ('no router')"),
        (["int lo5"], "it stands for 'interface loopback5', which the policy denies ('interface Loopback*')"),
        (["router bgp 65001\n int lo5"], "it stands for 'interface loopback5'"),
        (["host X"], "it stands for 'hostname x'"),
        (["do wr er"], "it stands for 'write erase'"),
        (["do copy flash:x running-config"], "which can run commands that the policy would not see"),
    ],
)
def test_an_abbreviated_ios_command_is_refused_as_what_it_stands_for(served, ani, commands, words):
    before = served.config("R1")
    with pytest.raises(PolicyViolation) as raised:
        ani.update_cfg("R1", commands)
    assert words in str(raised.value)
    assert served.config("R1") == before


def test_other_ios_commands_are_typed_as_ever(served, ani):
    assert [
        one["status"] for one in ani.update_cfg("R1", ["int g0/0", "desc uplink", "exit", "nonsense"])["results"]
    ] == ["success", "success", "success", "error"]
    assert "description uplink" in served.config("R1")
    assert ani.violations == {}


def test_lines_at_an_ios_prompt_are_checked(served, ani):
    from netmiko import ConnectHandler

    login = open_ssh(ani).hosts["R1"]
    connection = ConnectHandler(
        device_type="cisco_ios",
        host=login.host,
        port=login.port,
        username=login.username,
        password=login.password,
        secret=login.enable_secret,
    )
    try:
        connection.enable()
        said = {
            line: connection.send_command_timing(line)
            for line in ("tclsh", "wr er", "conf t", "no rout bg 65001", "int lo7", "router bg 65001", "bgp log", "end")
        }
    finally:
        connection.disconnect()
    refused = {line for line, words in said.items() if "% netbench: command" in words}
    assert refused == {"tclsh", "wr er", "no rout bg 65001", "int lo7"}
    assert "router bgp 65001" in served.config("R1")
    assert "interface Loopback7" not in served.config("R1")
    assert ani.violations == {"command": 4}


def test_lines_of_vtysh_and_of_a_shell_are_checked(served, ani):
    hosts = open_ssh(ani).hosts
    router, host = Shell(hosts["f1"]), Shell(hosts["h1"])
    try:
        router.type("", r"f1# $")
        shown = router.type("configure terminal\rip rou 203.0.113.0/24 10.1.0.2\rend\r", r"f1# $")
        assert "% netbench: command 'ip rou 203.0.113.0/24 10.1.0.2' is not permitted on 'f1'" in shown
        assert "203.0.113.0" not in served.config("f1")
        host.type("", r"# $")
        shown = host.type("true; /sbin/ip -4 r add 203.0.113.0/24 via 10.1.0.1\r", r"ip route'\)[\s\S]*# $")
        assert "is not permitted on 'h1'" in shown
        assert "203.0.113.0" not in ani.execute_cmd("h1", "ip -br addr; cat /proc/net/route")["output"]
    finally:
        router.client.close()
        host.client.close()
    assert ani.violations == {"command": 2}


def test_each_line_that_configures_is_approved_at_a_prompt(served, tmp_path):
    code = f"cat >> {tmp_path}/asked; echo >> {tmp_path}/asked; ! grep -q 198.18 {tmp_path}/asked"
    ani = opened(served, policy=Policy(), approver=ByProgram(["sh", "-c", code], timeout_s=20))
    hosts = open_ssh(ani).hosts
    router, host = Shell(hosts["f1"]), Shell(hosts["h1"])
    try:
        router.type("", r"f1# $")
        router.type("show version\rconfigure terminal\rip route 192.0.2.9/32 10.1.0.2\rend\r", r"f1# $")
        host.type("", r"# $")
        shown = host.type("ip route add 198.18.0.0/24 via 10.1.0.1\r", r"not made[\s\S]*# $")
    finally:
        router.client.close()
        host.client.close()
        ani.close()
    asked = (tmp_path / "asked").read_text()
    assert "ip route 192.0.2.9/32 10.1.0.2" in asked
    assert "show version" not in asked
    assert "the change on 'h1' was not approved, and was not made" in shown
    assert "192.0.2.9/32" in served.config("f1")
    assert ani.violations == {"approval": 1}


@pytest.mark.parametrize(
    "keys",
    ["{}\x0f", "\x18(\r\x18){}\x18e", "#{}\x1b1\x1b#"],
    ids=["operate-and-get-next", "macro", "insert-comment"],
)
def test_no_key_enters_a_line_past_the_guard(served, ani, keys):
    line = "ip route 203.0.113.0/24 10.1.0.2"
    router = Shell(open_ssh(ani).hosts["f1"])
    try:
        router.type("", r"f1# $")
        router.type("configure terminal\r", r"f1\(config\)# $")
        router.type(f"{keys.format(line)}\x15end\r", r"f1# $")
    finally:
        router.client.close()
    assert "203.0.113.0" not in served.config("f1")


def test_a_shell_has_no_such_keys_unless_it_is_told_to(ani):
    host = Shell(open_ssh(ani).hosts["h1"])
    try:
        host.type("", r"# $")
        host.type("echo entered-$((6*7))\x0f\x18(\r", r"entered-42\r\n[\s\S]*# $")  # by Enter
        for keys in ("\x0f", "\x18e", "\x1b1\x1b#"):
            typed = f"echo again-$((6*7)){keys}\x15echo over-$((1+1))\r"  # Ctrl-U takes away what is not entered
            assert "again-42" not in host.type(typed, r"over-2\r\n[\s\S]*# $")
    finally:
        host.client.close()
