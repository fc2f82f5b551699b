"""Nodes that are reached by typed shells, with the drivers of Linux and of FRR."""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Endpoint, Link, Node, Topology
from pytest_netbench.platforms.frr import daemons
from pytest_netbench.platforms.frr.driver import FrrDriver
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS, LinuxDriver

WITHIN_S = 60


def topology(*names: str) -> Topology:
    ends = tuple(Endpoint(node=name, interface="eth1") for name in names)
    links = (Link(endpoints=ends),) if len(names) > 1 else ()
    return Topology(nodes=tuple(Node(name=name) for name in names), links=links)


@pytest.fixture
def host(new_host: Any) -> Any:
    return new_host()


@pytest.fixture
def node(host: Any) -> Iterator[ShellNode]:
    found = ShellNode(name="n", platform="linux", topology=topology("n"), connect=host.line)
    yield found
    found.close()


def test_trusted_programs_have_the_rights_of_root_in_the_host(node: ShellNode) -> None:
    done = node.run(
        ["sh", "-c", "id -u; sysctl -qw net.ipv4.ip_forward=1; sysctl -n net.ipv4.ip_forward; cat"], input="x"
    )
    assert done.stdout == "0\n1\nx"
    first, second = node.run_many([["echo", "a b"], ["false"]])
    assert (first.stdout, second.returncode) == ("a b\n", 1)


def test_files_are_written_and_read(node: ShellNode) -> None:
    text = "a 'b' $c ä\n" * 1000
    node.write_file("/run/new/folder/file", text, mode=0o600)
    assert node.read_file("/run/new/folder/file") == text
    node.write_file("/run/new/folder/file", "short", mode=0o644)
    assert node.run(["stat", "-c", "%a %s", "/run/new/folder/file"]).stdout == "644 5\n"
    with pytest.raises(LabError, match="n: /no/file: No such file or directory"):
        node.read_file("/no/file")


def test_an_agent_that_looks_has_no_rights(node: ShellNode) -> None:
    assert node.enforces_read_only
    done = node.shell("ip link set lo down; touch /etc/x; id -u; grep CapEff /proc/self/status", writable=False)
    assert done.stdout == "65534\nCapEff:\t0000000000000000\n"
    assert "not permitted" in done.stderr
    assert "touch" in done.stderr
    assert node.shell("nft list ruleset", writable=False, reads=PRIVILEGED_READS).returncode == 0
    refused = node.shell("nft flush ruleset", writable=False, reads=PRIVILEGED_READS)
    assert refused.returncode != 0


def test_an_agent_that_changes_has_the_hosts_network(node: ShellNode) -> None:
    assert node.shell("ip link add d0 type veth peer name d1 && ip -br link show d0", writable=True).stdout.startswith(
        "d0"
    )


def test_a_started_program_ends_with_the_node(node: ShellNode, host: Any) -> None:
    node.start(["sh", "-c", 'echo "$WORD"; exec sleep 601'], env={"WORD": "a b"}, name="sleeper")
    ends_at = time.monotonic() + 10
    while node.log("sleeper") != "a b\n":
        assert time.monotonic() < ends_at
    assert "sleep 601" in host.run("ps", "axo", "args")
    with pytest.raises(LabError, match="n: no-such-program cannot be started: there is no such program"):
        node.start(["no-such-program"])
    node.close()
    assert "sleep 601" not in host.run("ps", "axo", "args")
    assert "netbench" not in host.run("ls", "/tmp", "/run")


def test_a_program_on_a_terminal(node: ShellNode, host: Any) -> None:
    program = node.pty(["/usr/bin/env", "PS1=> ", "/bin/bash", "--norc", "-i"], writable=False, columns=100, rows=30)
    os.write(program.fd, b"stty size; id -u\n")
    heard, ends_at = b"", time.monotonic() + 20
    while b"30 100\r\n65534\r\n" not in heard:
        assert time.monotonic() < ends_at
        if select.select([program.fd], [], [], 0.1)[0]:
            heard += os.read(program.fd, 4096)
    program.close()
    single = ShellNode(name="n", platform="linux", topology=topology("n"), connect=host.line, has_one_line=True)
    with pytest.raises(RequirementMissing, match="one console only"):
        single.pty(["sh"], writable=True)
    single.close()


def test_interfaces_get_the_names_of_the_topology(new_host: Any, cable: Any) -> None:
    one, other = new_host(), new_host()
    cable(one, "ens4", other, "eth1")
    whole = topology("a", "b")
    node = ShellNode(name="a", platform="linux", topology=whole, connect=one.line, interfaces={"eth1": "ens4"})
    node.prepare()
    assert "eth1" in node.run(["ip", "-br", "link", "show", "up"]).stdout
    node.close()
    lacking = ShellNode(name="a", platform="linux", topology=whole, connect=new_host().line)
    with pytest.raises(LabError, match=r"a: the host has no interface eth1 \(it has lo[,)]"):
        lacking.prepare()
    lacking.close()


def test_interfaces_are_up_as_those_of_a_namespace_are(new_host: Any, cable: Any) -> None:
    one, other = new_host(), new_host()
    cable(one, "eth1", other, "eth1")
    other.run("ip", "link", "set", "eth1", "up")
    one.run("ip", "link", "set", "lo", "down")
    node = ShellNode(name="a", platform="linux", topology=topology("a", "b"), connect=one.line)
    node.prepare()
    assert {"lo", "eth1"} <= set(
        re.findall(r"^(\w+)", node.run(["ip", "-br", "link", "show", "up"]).stdout, re.MULTILINE)
    )
    node.close()


def test_the_driver_of_linux_boots_and_configures_a_host(node: ShellNode) -> None:
    driver = LinuxDriver()
    startup = "ip link add d0 type veth peer name d1\n"
    startup += "ip link set d1 up\nip link set d0 up\nno-such-command\nip address add 192.0.2.1/24 dev d0\n"
    (refused,) = driver.boot(node, startup)
    assert (refused.line_number, refused.line) == (4, "no-such-command")
    assert driver.routes(node, "192.0.2.0/24")[0].interfaces == ("d0",)
    good, bad = driver.apply(node, ["ip route add 198.51.100.0/24 via 192.0.2.9", "ip route add nonsense"])
    assert (good.status, bad.status) == ("success", "error")
    assert "198.51.100.0/24 via 192.0.2.9" in driver.running_config(node)
    assert "192.0.2.1/24" in driver.execute(node, "ip -br address show d0")
    assert driver.execute(node, "ip link set d0 down").endswith("[exit status 2]")


def test_a_host_that_was_switched_off_is_booted_from_its_startup_config(new_host: Any, cable: Any) -> None:
    """As a backend reboots a host: another machine stands at the same console, and nothing of the first is in it."""
    hosts, driver, startup = [new_host()], LinuxDriver(), "ip address add 192.0.2.1/24 dev eth1\n"
    cable(hosts[0], "eth1", new_host(), "eth1")

    def to_the_last_host() -> Any:
        return hosts[-1].line()

    node = ShellNode(name="a", platform="linux", topology=topology("a", "b"), connect=to_the_last_host)
    node.prepare()
    driver.boot(node, startup)
    booted = driver.running_config(node)
    driver.apply(node, ["ip address add 198.51.100.1/24 dev eth1", "nft add table ip mine"])
    node.start(["sleep", "605"])
    node.shell("true", writable=False)
    hosts[-1].close()
    hosts.append(new_host())
    cable(hosts[1], "eth1", new_host(), "eth1")
    node.forget()
    node.prepare()
    assert driver.reboot(node, startup) == []
    assert driver.running_config(node) == booted
    assert node.shell("id -u", writable=False).stdout == "65534\n"
    node.start(["sleep", "606"])
    assert "sleep 606" in hosts[1].run("ps", "axo", "args")
    node.close()
    assert "sleep 606" not in hosts[1].run("ps", "axo", "args")


@pytest.mark.skipif(daemons.directory() is None, reason=f"FRR is not installed (fix: {daemons.INSTALL_COMMAND})")
@pytest.mark.parametrize("has_one_line", [False, True])
def test_the_driver_of_frr_brings_up_ospf_between_hosts(new_host: Any, cable: Any, has_one_line: bool) -> None:
    one, other = new_host(), new_host()
    cable(one, "eth1", other, "eth1")
    whole, driver, nodes = topology("a", "b"), FrrDriver(), {}
    for number, (name, host) in enumerate({"a": one, "b": other}.items(), start=1):
        host.run("ip", "link", "set", "eth1", "up")
        node = ShellNode(name=name, platform="frr", topology=whole, connect=host.line, has_one_line=has_one_line)
        nodes[name] = node
        node.prepare()
        config = (
            f"hostname {name}\ninterface eth1\n ip address 10.0.0.{number}/24\n ip ospf network point-to-point\n"
            f" ip ospf hello-interval 1\n ip ospf dead-interval 4\n nonsense\ninterface lo\n"
            f" ip address 192.0.2.{number}/32\nrouter ospf\n network 0.0.0.0/0 area 0\n"
        )
        (refused,) = driver.boot(node, config)
        assert refused.line == "nonsense"
    ends_at = time.monotonic() + WITHIN_S
    while not driver.routes(nodes["a"], "192.0.2.2/32"):
        assert time.monotonic() < ends_at
        time.sleep(0.5)
    (status, *_) = driver.apply(nodes["a"], ["interface eth1", "description seen?"])
    assert status.status == "success"
    assert " description seen?" in driver.running_config(nodes["a"])
    assert "Full" in driver.execute(nodes["a"], "show ip ospf neighbor")
    assert "Unknown command" in driver.execute(nodes["a"], "configure terminal")
    assert driver.pending(nodes).missing == ()
    for node in nodes.values():
        node.close()
    assert "ospfd" not in one.run("ps", "axo", "args")
