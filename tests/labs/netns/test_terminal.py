"""The persistent session on a router: what an agent types there cannot leave it, nor end the lab."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import NetbenchError
from pytest_netbench.platforms.access import SandboxLimits
from tests.labs.netns.conftest import Deploy
from tests.support import host
from tests.support.netns_networks import ospf_pair

PLATFORM = parts.load("drivers", "frr")()
LIMITS = SandboxLimits(timeout_s=3.0)


@pytest.fixture(scope="module")
def routers(deploy: Deploy) -> Any:
    return deploy(ospf_pair())


@pytest.fixture(autouse=True)
def the_routers_are_as_they_were(routers: Any) -> Iterator[None]:
    node = routers.nodes["R1"]
    before = PLATFORM.running_config(node)
    yield
    assert PLATFORM.running_config(node) == before
    assert "Full" in PLATFORM.execute(node, "show ip ospf neighbor", limits=LIMITS)


@pytest.mark.parametrize(
    "command",
    [
        "start-shell",
        "start-shell bash -c 'touch /tmp/x'",
        "configure terminal",
        "conf t",
        "clear ip ospf process",
        "write memory",
        "copy running-config startup-config",
        "no router ospf",
        "terminal monitor",
        "show version\nconfigure terminal\nhostname evil",
        "show version\rconfigure terminal\rhostname evil",
        "show version \x1a",
        "\x03\x04\x1c",
        "show running-config | sh",
        "debug ospf packet all",
        "do show version",
        "enable",
        "disable",
        "exit",
        "quit",
        "end",
        "?",
        "show ?",
        "\x1b[A\x1b[A",
        "ssh 10.0.12.2",
        "telnet 10.0.12.2",
        "ping 127.0.0.1; sh",
        "ping -f 127.0.0.1",
        "traceroute `id`",
        "x" * 70_000,
    ],
)
def test_a_line_that_is_no_look_changes_nothing(routers: Any, command: str) -> None:
    started = time.monotonic()
    try:
        answer = PLATFORM.execute(routers.nodes["R1"], command, limits=LIMITS)
    except NetbenchError as error:
        answer = str(error)
    assert "uid=" not in answer
    assert time.monotonic() - started < 8


def test_the_sessions_process_has_no_capability_and_no_descriptor_of_the_lab(routers: Any) -> None:
    PLATFORM.execute(routers.nodes["R1"], "show version", limits=LIMITS)
    supervisors = set(host.descriptors(routers.supervisor_pid).values())
    sessions = [pid for pid in host.below(routers.supervisor_pid) if host.command_line(pid).startswith(b"vtysh")]
    assert sessions
    for pid in sessions:
        status = host.status(pid)
        assert status["CapEff"] == status["CapBnd"] == "0" * 16
        assert status["NoNewPrivs"] == "1"
        assert status["Seccomp"] == "2"
        assert not set(host.descriptors(pid).values()) & supervisors - {"/dev/null"}


def test_a_session_that_is_killed_is_opened_anew(routers: Any) -> None:
    node = routers.nodes["R1"]
    PLATFORM.execute(node, "show version", limits=LIMITS)
    node.run(["pkill", "-9", "vtysh"])
    first = PLATFORM.execute(node, "show version", limits=LIMITS)
    assert "FRRouting" in first or "ended" in first
    assert "FRRouting" in PLATFORM.execute(node, "show version", limits=LIMITS)
