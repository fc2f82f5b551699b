"""Rules for commands on real devices: an IOS router, an FRR router and a Linux host, over the ANI and over SSH."""

from __future__ import annotations

import re
import time

import pytest

from pytest_netbench.ani.approval import ByProgram
from pytest_netbench.ani.interface import AgentInterface
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


def opened(served, **settings) -> AgentInterface:
    return AgentInterface(served.lab, budget=Budget(calls=None, commands=None, wall_s=None), **settings)


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


TRICKS = {
    "operate-and-get-next": "{}\x0f",
    "macro": "\x18(\r\x18){}\x18e",
    "insert-comment": "#{}\x1b1\x1b#",
    "erase before the cursor": "{}\x01\x15\r",
    "quote what erases": "{}\x01\x16\r",
    "begin a sequence": "{}\x01\x1b[\r",
    "begin an argument": "{}\x01\x1b[1;5\r",
    "help inside a word": "i?p? {}\r",
    "wider than the terminal": "{}" + " " * 100 + "tag 5\x05\r",
    "search": "!{}\x03\x12203.0.113\r",
    "yank": "!{}\x15\x19\x01\x04\r",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_no_key_enters_a_line_past_the_guard(served, ani, trick):
    network = f"203.0.113.{list(TRICKS).index(trick)}/32"
    line = f"ip route {network} 10.1.0.2"
    keys = TRICKS[trick].format(line.removeprefix("ip ") if trick == "help inside a word" else line)
    router = Shell(open_ssh(ani).hosts["f1"])
    try:
        router.type("", r"f1# $")
        router.type("configure terminal\r", r"f1\(config\)# $")
        for key in re.findall(r".[^\x00-\x1f]*", keys, re.DOTALL):
            router.type(key, "")
            time.sleep(0.1)
        time.sleep(0.4)  # Ctrl-C would take away the keys that answer a refusal
        router.type("\x03", r"f1\(config\)# $")
        router.type("end\r", r"f1# $")
    finally:
        router.client.close()
    assert network not in served.config("f1")


@pytest.mark.parametrize(
    ("keys", "entered"),
    [
        ("show vrf\x1b[D\x1b[D\x1b[D\x04\x04\x04version", "show version"),
        ("sh\tver\t", "show version"),
        ("show ?version", "show version"),
        ("how version\x01s", "show version"),
        ("show ip route 10.1.0.2 json nothing\x15show versiom\x7fn", "show version"),
        ("echo " + "x" * 200 + "y\x1b[D\x04z", "echo " + "x" * 200 + "z"),
    ],
    ids=["cursor", "completion", "help", "insertion", "correction", "wider than the terminal"],
)
def test_a_line_that_was_edited_is_entered_and_recorded_as_it_is_seen(served, ani, keys, entered):
    router = Shell(open_ssh(ani).hosts["f1"])
    try:
        router.type("", r"f1# $")
        for key in re.findall(r".[^\x00-\x1f?]*", keys):
            router.type(key, "")
            time.sleep(0.1)
        assert ("FRRouting" if "version" in entered else "xz\r\n") in router.type("\r", r"\n[\s\S]+f1# $")
        router.leave()
    finally:
        router.client.close()
    assert [step.data["params"]["line"].strip() for step in ani.steps if step.kind == "ani"] == [entered, "exit"]


def test_a_line_that_nobody_can_read_is_not_entered(served, ani):
    router = Shell(open_ssh(ani).hosts["f1"])
    try:
        router.type("", r"f1# $")
        router.type("show version\x12nothing such", r"failed reverse")
        assert "cannot be read off the screen" in router.type("\r", r"f1# $")
    finally:
        router.client.close()
    assert [step for step in ani.steps if step.kind == "ani"] == []


@pytest.mark.parametrize("erase", ["", "\x15", "\x7f" * 40], ids=["refused", "erased", "deleted"])
def test_no_haste_enters_a_line_past_the_guard(served, ani, erase):
    """vtysh reads keys itself, or leaves it to the terminal while a command runs; the line lies across both."""
    router = Shell(open_ssh(ani).hosts["f1"])
    try:
        router.type("", r"f1# $")
        for last in range(1, 31):
            router.type(f"configure terminal\rip route 198.51.100.{last}/32 10.1.0.2", "")
            if erase:
                time.sleep(last / 10_000)
            router.type(f"{erase}\rend\r", r"f1# $")
    finally:
        router.client.close()
    assert "198.51.100." not in served.config("f1")


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
