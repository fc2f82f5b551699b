"""SSH to devices of a network that stands still between requests: a line entered is a request, and none can hang it."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Budget
from tests.labs.ssh.conftest import Served
from tests.support.netns_networks import network
from tests.support.shell import Shell

CONFIGS = {
    "R1": "interface Gi0/0\n ip address 10.0.0.1 255.255.255.0\n no shutdown\n",
    "R2": "interface Gi0/0\n ip address 10.0.0.2 255.255.255.0\n no shutdown\n",
    "f1": "interface eth0\n ip address 10.1.0.1/24\n",
    "h1": "ip address add 10.1.0.2/24 dev eth0\n",
    "s1": "ovs-vsctl add-br br0 -- add-port br0 eth0\n",
    "h2": "ip address add 10.2.0.2/24 dev eth0\n",
}
PLATFORMS = {"R1": "cisco_ios", "R2": "cisco_ios", "f1": "frr", "h1": "linux", "h2": "linux"}
LINKS = ("R1 Gi0/0 - R2 Gi0/0", "f1 eth0 - h1 eth0")
SWITCHED = ("h2 eth0 - s1 eth0",)
UNCERTAIN_S = 3.0
THINKS_S = 2.0


@contextmanager
def standing(kinds: dict[str, str], links: tuple[str, ...]) -> Iterator[Served]:
    backend = parts.load("backends", "netns")()
    configs = {name: CONFIGS[name] for name in kinds}
    wanted = request_of(network(kinds, links, configs, time_scale=20), clock="calls")
    lack = backend.lacks(wanted)
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    lab = backend.deploy(wanted)
    try:
        ani = AgentInterface(lab, policy=Policy(), budget=Budget(calls=None, commands=None, wall_s=None))
        try:
            access = open_ssh(ani)
            lab.turns.begin()
            yield Served(lab, ani, access)
        finally:
            ani.close()
        assert ani.lab_error is None
    finally:
        lab.destroy()


@pytest.fixture(scope="module")
def still() -> Iterator[Served]:
    """A lab that stands still but for requests."""
    kinds = {name: PLATFORMS[name] for name in ("R1", "R2", "f1", "h1")}
    with standing(kinds, LINKS) as served:
        yield served


@pytest.fixture
def shell(still: Served) -> Iterator[Any]:
    shells = []

    def login(device: str) -> Shell:
        shells.append(Shell(still[device]))
        shells[-1].channel.settimeout(60)
        return shells[-1]

    yield login
    for one in shells:
        one.client.close()


def settled(served: Served) -> float:
    """The lab's clock once no turn is under way."""
    served.lab.turns.await_turn(60)
    return served.lab.turns.lab_s()


def entered(served: Served, line: str) -> dict[str, Any]:
    """The step of the trace for the last such line, once it is there."""
    ends_at = time.monotonic() + 60
    while time.monotonic() < ends_at:
        steps = [one.data for one in served.ani.steps if one.data.get("method") == "console"]
        found = [one for one in steps if one["params"]["line"] == line]
        if found:
            return found[-1]
        time.sleep(0.05)
    raise AssertionError(f"{line!r} has no step")


PROMPTS = {"h1": r"# $", "f1": r"f1# $", "R1": r"R1[>#]$"}
READS = {"h1": "ip address", "f1": "show interface brief", "R1": "show ip interface brief"}


@pytest.mark.parametrize("device", PROMPTS)
def test_keys_and_tab_are_free_and_a_line_takes_its_charge(still: Served, shell: Any, device: str) -> None:
    one = shell(device)
    one.type("", PROMPTS[device])
    before = settled(still)
    for key in READS[device]:
        one.type(key, re.escape(key))
    time.sleep(THINKS_S)
    assert settled(still) == before, "no key lets the network move"
    one.type("\x15" + READS[device] + "\r", rf"10\.(0|1)\.0\.[12][\s\S]*{PROMPTS[device]}")
    took = entered(still, READS[device])["lab_s"]
    after = settled(still)
    assert 5.0 <= took <= 5.0 + UNCERTAIN_S
    assert after - before == pytest.approx(took, abs=0.05)
    time.sleep(THINKS_S)
    assert settled(still) == after


def test_tab_is_answered_also_if_daemons_are_to_be_asked(still: Served, shell: Any) -> None:
    router = shell("f1")
    router.type("", r"f1# $")
    before = settled(still)
    router.type("show interface et\t", "eth0 ")
    assert settled(still) - before < 2
    router.type("\x15", "")
    host = shell("h1")
    host.type("", r"# $")
    before = settled(still)
    host.type("cat /etc/hostn\t", "/etc/hostname ")
    assert settled(still) == before
    router = shell("R1")
    router.type("", r"R1>$")
    before = settled(still)
    router.type("sh\t", "show ")
    router.type("ip interface bri?", "brief")
    assert settled(still) == before


def test_a_line_that_configures_takes_the_charge_of_a_change(still: Served, shell: Any) -> None:
    router = shell("f1")
    router.type("", r"f1# $")
    router.type("configure terminal\r", r"f1\(config\)# $")
    router.type("ip route 198.51.100.0/24 10.1.0.2\r", r"f1\(config\)# $")
    assert entered(still, "ip route 198.51.100.0/24 10.1.0.2")["lab_s"] >= 20
    assert entered(still, "configure terminal")["lab_s"] < 5
    router.type("end\r", r"f1# $")
    device = shell("R1")
    device.type("enable\r", "Password: ")
    device.type(f"{still['R1'].enable_secret}\r", r"R1#$")
    device.type("configure terminal\r", r"\(config\)#$")
    device.type("interface Loopback3\r", r"\(config-if\)#$")
    device.type("ip address 192.0.2.3 255.255.255.255\r", r"\(config-if\)#$")
    assert entered(still, "ip address 192.0.2.3 255.255.255.255")["lab_s"] >= 20
    device.type("end\r", r"R1#$")
    assert "192.0.2.3" in device.type("show ip interface brief\r", r"Loopback3.*[\s\S]*R1#$")


def test_what_an_agent_leaves_behind_stands_still_between_its_lines(still: Served, shell: Any) -> None:
    host = shell("h1")
    host.type("", r"# $")
    host.type("(while :; do echo x >> /tmp/left; /usr/bin/sleep 0.1; done) &\r", r"# $")
    entered(still, "(while :; do echo x >> /tmp/left; /usr/bin/sleep 0.1; done) &")
    settled(still)

    def lines() -> int:
        seen = host.type("wc -l < /tmp/left\r", r"\d+\r\n[\s\S]*# $")
        settled(still)
        return int(re.findall(r"^(\d+)\r$", seen, re.MULTILINE)[-1])

    first = lines()
    second = lines()
    time.sleep(3)
    third = lines()
    host.type("kill %1\r", r"# $")
    assert first < second
    assert abs((third - second) - (second - first)) < 15, "three seconds of thinking would be thirty lines"


@pytest.mark.parametrize("line", ["ping 10.1.0.1", "tail -f /dev/null", "cat"])
def test_a_line_that_never_ends_is_interrupted_and_lets_others_have_turns(
    still: Served, shell: Any, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr("pytest_netbench.ani.guard.LONGEST_LINE_S", 3.0)
    host = shell("h1")
    host.type("", r"# $")
    host.channel.sendall(f"{line}\r".encode())
    time.sleep(0.5)
    with ThreadPoolExecutor(1) as pool:
        began = time.monotonic()
        other = pool.submit(still.ani.execute_cmd, "f1", "show version")
        assert "FRRouting" in other.result(timeout=30)["output"]
        assert 1 < time.monotonic() - began < 15
    assert "^C" in host.type("", r"# $")
    assert entered(still, line)["lab_s"] >= 3
    assert "over-7" in host.type("echo over-$((3 + 4))\r", r"over-7[\s\S]*# $")


def test_a_command_of_ios_that_never_ends_is_interrupted(
    still: Served, shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_netbench.ani.guard.LONGEST_LINE_S", 3.0)
    router = shell("R1")
    router.type("", r"R1>$")
    began = time.monotonic()
    seen = router.type("ping 10.0.0.77 repeat 1000\r", r"R1>$")
    assert seen.count(".") < 100
    assert time.monotonic() - began < 30
    assert 3 <= entered(still, "ping 10.0.0.77 repeat 1000")["lab_s"] < 10


def test_control_c_ends_a_line_at_once(still: Served, shell: Any) -> None:
    host = shell("h1")
    host.type("", r"# $")
    host.type("ping 10.1.0.1\r", r"icmp_seq=2 ")
    began = time.monotonic()
    assert "ping statistics" in host.type("\x03", r"# $")
    assert time.monotonic() - began < 10


def test_an_editor_waits_for_keys_while_the_network_stands_still(still: Served, shell: Any) -> None:
    host = shell("h1")
    host.type("", r"# $")
    # a program in raw mode, as vi and less are
    raw = "import sys,tty,termios;a=termios.tcgetattr(0);tty.setraw(0);k='';print('ready',end='',flush=True)\\n"
    raw += "while k!='q':\\n k=sys.stdin.read(1);print('<'+k+'>',end='',flush=True)\\ntermios.tcsetattr(0,0,a)\\n"
    host.type(f'printf "{raw}" > /tmp/raw.py\r', r"# $")
    host.type("python3 /tmp/raw.py\r", r"ready$")
    entered(still, "python3 /tmp/raw.py")
    before = settled(still)
    time.sleep(THINKS_S)
    assert settled(still) == before, "it waits for keys"
    assert "FRRouting" in still.ani.execute_cmd("f1", "show version")["output"]
    assert host.type("a", r"<a>$")
    assert settled(still) - before < 15
    host.type("q", r"<q>[\s\S]*# $")


def test_lines_that_are_pasted_run_one_after_the_other(still: Served, shell: Any) -> None:
    host = shell("h1")
    host.type("", r"# $")
    seen = host.type("ping -c 2 10.1.0.1\recho b-$((1 + 1))\recho c-$((1 + 2))\r", r"c-3[\s\S]*# $")
    assert "2 packets transmitted" in seen
    assert seen.index("2 packets") < seen.index("\nb-2") < seen.index("\nc-3")
    assert entered(still, "echo c-$((1 + 2))")["lab_s"] >= 5


def test_a_page_of_ios_waits_while_the_network_stands_still(still: Served, shell: Any) -> None:
    router = shell("R1")
    router.type("", r"R1>$")
    router.type("terminal length 5\r", r"R1>$")
    router.type("show interfaces\r", r"--More--")
    before = settled(still)
    time.sleep(THINKS_S)
    assert settled(still) == before
    assert "FRRouting" in still.ani.execute_cmd("f1", "show version")["output"]
    router.type("q", r"R1>$")


def test_two_logins_have_turns_one_at_a_time(still: Served, shell: Any) -> None:
    hosts = [shell("h1"), shell("f1"), shell("R1")]
    waits = [r"# $", r"f1# $", r"R1>$"]
    for one, prompt in zip(hosts, waits, strict=True):
        one.type("", prompt)
    began = settled(still)
    threads = [
        threading.Thread(target=one.type, args=(f"{READS[name]}\r", prompt), daemon=True)
        for name, one, prompt in zip(("h1", "f1", "R1"), hosts, waits, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    for name in ("h1", "f1", "R1"):
        entered(still, READS[name])
    assert 15 <= settled(still) - began <= 15 + 3 * UNCERTAIN_S


def test_the_ssh_client_of_openssh_runs_one_command(still: Served, tmp_path: Any) -> None:
    login = still["h1"]
    askpass = tmp_path / "askpass"
    askpass.write_text(f"#!/bin/sh\necho {login.password}\n")
    askpass.chmod(0o700)
    before = settled(still)
    done = subprocess.run(
        ["ssh", "-p", str(login.port), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
         "-o", "PubkeyAuthentication=no", f"{login.username}@{login.host}", "ip -br address show eth0"],
        env={"SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "10.1.0.2/24" in done.stdout, done.stderr
    assert 5 <= settled(still) - before <= 5 + UNCERTAIN_S


def test_a_login_that_is_broken_off_within_a_line_leaves_the_turn_to_others(still: Served, shell: Any) -> None:
    host = shell("h1")
    host.type("", r"# $")
    host.type("ping 10.1.0.1\r", r"icmp_seq=1 ")
    host.client.close()
    assert "FRRouting" in still.ani.execute_cmd("f1", "show version")["output"]


def test_a_switch_of_openvswitch_answers_too() -> None:
    with standing({"h2": "linux", "s1": "openvswitch"}, SWITCHED) as served:
        switch = Shell(served["s1"])
        switch.channel.settimeout(60)
        switch.type("", r"# $")
        before = settled(served)
        switch.type("ovs-vsctl list-ports br0\r", r"eth0\r\n[\s\S]*# $")
        assert entered(served, "ovs-vsctl list-ports br0")["lab_s"] >= 5
        assert 5 <= settled(served) - before <= 5 + 2 * UNCERTAIN_S
        switch.client.close()
