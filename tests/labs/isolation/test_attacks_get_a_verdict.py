"""Whatever an agent sends, its trial ends with a verdict in time: no infrastructure error, no hang."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import Brief, TrialRecord

Verdict = Callable[..., TrialRecord]


def passed(record: TrialRecord) -> dict[str, bool]:
    return {result.name: result.status == "pass" for result in record.testcase_results}


def test_an_agent_that_does_nothing_passes(verdict_on: Verdict) -> None:
    assert passed(verdict_on(lambda ani, brief: None)) == {"near": True, "far": True}


@pytest.mark.parametrize("size", [(70_000, 24), (24, 70_000), (2**31 - 1, 2**31 - 1), (0, 0)])
def test_a_terminal_of_any_size_ends_nothing(verdict_on: Verdict, size: tuple[int, int]) -> None:
    def attack(_ani: Any, brief: Brief) -> None:
        import paramiko

        for login in brief.ssh.hosts.values():
            with contextlib.closing(paramiko.SSHClient()) as client:
                client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
                client.connect(
                    login.host, login.port, login.username, login.password, look_for_keys=False, allow_agent=False
                )
                shell = client.invoke_shell(width=size[0], height=size[1])
                shell.settimeout(10)
                shell.recv(100)
                shell.resize_pty(width=size[1], height=size[0])
                shell.send(b"\r\n")
                shell.recv(100)

    assert passed(verdict_on(attack, ssh=True)) == {"near": True, "far": True}


@pytest.mark.parametrize(
    "command",
    [
        "ip link set dev eth0 alias \"$(printf 'a\\001b\\033[2J')\"",
        "ip link add \"$(printf 'x\\001\\002y')\" type dummy",
        "ip link add \"$(printf 'x\\377\\376y')\" type dummy",
        "ip link add '\"\\' type dummy; ip link set '\"\\' alias '\"}],'",
        "ip link add \"$(printf 'q\\177')\" type dummy; ip address add 192.0.2.1/24 dev \"$(printf 'q\\177')\"",
        "n=$(printf 'd\\001'); ip link add $n type dummy; ip link set $n up; ip route add 192.0.2.0/24 dev $n",
    ],
)
def test_names_of_any_characters_can_be_read(verdict_on: Verdict, command: str) -> None:
    def attack(ani: Any, _brief: Brief) -> None:
        assert ani.update_cfg("h1", [command])["results"][0]["status"] == "success"
        ani.get_running_cfg("h1")
        ani.execute_cmd("h1", "ip address; ip route")

    record = verdict_on(attack)
    assert passed(record) == {"near": True, "far": True}
    record.model_dump_json()


@pytest.mark.parametrize(
    "line",
    [
        "interface range Loopback0 - 2147483647",
        "interface range Loopback0 - 99999999999999999999999999",
        "interface range Loopback5 - 4",
        "interface range " + ", ".join(f"Loopback{n * 1000} - {n * 1000 + 999}" for n in range(100)),
        "vlan 1-4094,1-4094",
        "vlan " + ",".join(["1-4094"] * 5000),
        "do " * 50_000 + "show version",
        "no " * 50_000 + "interface",
        "interface Loopback" + "9" * 5000,
        "ip route 10.0.0.0 255.0.0.0 " + "x" * 900_000,
        "banner motd " + "x" * 900_000,
        "access-list 100 permit ip any any " + "log " * 100_000,
        "do show running-config | include " + "(a+)+" * 30 + "b",
        "do show running-config | include (.*" + "(" * 2000,
        "do show running-config | include " + "a{9999}{9999}{9999}",
        "do ping 10.0.0.2 repeat 2147483647 timeout 3600",
        "do traceroute 192.0.2.1 timeout 3600 probe 65535",
        "\x00\x01\x02 \ud800 \u202e",
    ],
    ids=lambda line: line[:40].encode(errors="replace").decode(),
)
def test_a_line_of_ios_ends_in_its_time(verdict_on: Verdict, line: str) -> None:
    def attack(ani: Any, _brief: Brief) -> None:
        with contextlib.suppress(AniError):
            ani.update_cfg("R1", [line])
        with contextlib.suppress(AniError):
            ani.execute_cmd("R1", line)

    record = verdict_on(attack, within_s=30.0, budget={"wall_s": 10.0})
    assert passed(record)["near"]
