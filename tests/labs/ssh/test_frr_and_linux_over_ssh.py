"""FRR routers and Linux hosts of a real lab over SSH: vtysh and a shell, in the sandbox."""

from __future__ import annotations

import pytest

from tests.support.shell import Shell


@pytest.fixture
def shell(served):
    shells = []

    def login(device: str) -> Shell:
        shells.append(Shell(served[device]))
        return shells[-1]

    yield login
    for one in shells:
        one.client.close()


def test_a_linux_host_gives_a_shell_that_may_change_its_network(served, shell):
    host = shell("h1")
    host.type("", r"# $")
    host.type("ip route add 192.0.2.0/24 via 10.1.0.1\r", r"# $")
    assert "192.0.2.0/24 via 10.1.0.1" in served.ani.execute_cmd("h1", "ip route")["output"]


def test_the_shell_sends_no_codes_around_its_prompt(shell):
    host = shell("h1")
    assert host.type("", r"# $") == "root@h1:~# "
    assert host.type("hostname\r", r"h1\r\n.*# $") == "hostname\r\nh1\r\nroot@h1:~# "


def test_a_linux_host_answers_one_command_with_its_status(shell):
    assert shell("h1").run("hostname; exit 3") == ("h1\n", 3)


def test_the_shell_is_in_the_sandbox(shell):
    host = shell("h1")
    host.type("", r"# $")
    seen = host.type("ls /work /root/.ssh; echo over-$?\r", r"over-\d")
    assert seen.count("No such file or directory") == 2


def test_the_shell_knows_the_size_of_the_window(shell):
    host = shell("h1")
    host.type("", r"# $")
    assert "50 132" in host.type("stty size\r", r"\d+ \d+\r\n")
    host.channel.resize_pty(width=90, height=30)
    assert "30 90" in host.type("sleep 0.2; stty size\r", r"\d+ \d+\r\n")


def test_control_c_ends_what_runs(shell):
    host = shell("h1")
    host.type("", r"# $")
    host.type("ping 10.1.0.1\r", r"icmp_seq=1 ")
    assert "ping statistics" in host.type("\x03", r"# $")


def test_vtysh_configures_a_router(served, shell):
    router = shell("f1")
    router.type("", r"f1# $")
    router.type("configure terminal\rip route 198.51.100.0/24 10.1.0.2\rend\r", r"f1# $")
    assert "ip route 198.51.100.0/24 10.1.0.2" in served.config("f1")


def test_vtysh_answers_a_question_mark_at_once(shell):
    router = shell("f1")
    router.type("", r"f1# $")
    assert "OSPF information" in router.type("show ip ospf?", r"f1# show ip ospf$")
    router.type("\x15", "")


def test_a_daemon_that_did_not_run_can_be_configured_at_once(served, shell):
    router = shell("f1")
    router.type("", r"f1# $")
    router.type("configure terminal\rrouter bgp 65001\rneighbor 10.1.0.2 remote-as 65002\rend\r", r"f1# $")
    config = served.config("f1")
    assert "router bgp 65001" in config
    assert " neighbor 10.1.0.2 remote-as 65002" in config


def test_a_router_answers_one_command(shell):
    output, status = shell("f1").run("show interface brief")
    assert (status, "10.1.0.1/24" in output) == (0, True)


def test_lines_are_recorded_and_told_apart(served, shell):
    router = shell("f1")
    router.type("", r"f1# $")
    before = len(served.ani.steps)
    router.type("configure terminal\rhostname f1\rend\rshow version\r", r"(?s)FRRouting.*f1# $")
    router.leave()
    steps = [step.data["params"] for step in served.ani.steps[before:]]
    kinds = {step["line"]: step["kind"] for step in steps}
    assert kinds["configure terminal"] == kinds["end"] == "session"
    assert kinds["hostname f1"] == "configure"
    assert kinds["show version"] == "read"


def test_whoever_leaves_without_a_word_leaves_no_process(served, shell):
    host = shell("h1")
    host.type("", r"# $")
    host.type("sleep 12345\r", "sleep 12345")
    host.client.close()
    node = served.lab.nodes["h1"]

    def sleeping() -> bool:
        return "12345" in node.run(["sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"]).stdout.replace(
            "sh -c cat", ""
        )

    other = shell("h1")
    for _ in range(100):
        if not sleeping():
            break
        other.type("true\r", r"# $")
    assert not sleeping()


def test_a_session_that_takes_too_much_memory_is_ended(shell):
    host = shell("h1")
    host.type("", r"# $")
    hog = "a=$(yes | head -c 100000000)"
    host.channel.sendall(f"({hog}; sleep 60) & ({hog}; sleep 60) & ({hog}; sleep 60) & wait\r".encode())
    while host.channel.recv(65536):
        pass
    assert host.channel.recv_exit_status() == 0
    assert shell("h1").run("hostname") == ("h1\n", 0)
