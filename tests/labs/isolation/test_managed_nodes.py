"""Only managed nodes of a real lab can be changed, whatever interface an agent uses; observed ones can be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.client import JsonRpcAni
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.errors import AniError
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Budget
from pytest_netbench.rpccodes import Code
from tests.support.netns_networks import network
from tests.support.shell import Shell

PLATFORMS = {
    "R1": "cisco_ios",
    "f1": "frr",
    "h1": "linux",
    "R2": "cisco_ios",
    "f2": "frr",
    "h2": "linux",
    "R3": "cisco_ios",
    "f3": "frr",
    "h3": "linux",
}
MANAGED, OBSERVED, FOREIGN = ("R1", "f1", "h1"), ("R2", "f2", "h2"), ("R3", "f3", "h3")
CONTROL = {**dict.fromkeys(OBSERVED, "observed"), **dict.fromkeys(FOREIGN, "foreign")}
LINKS = [
    "R1 Gi0/0 - h1 eth0",
    "R1 Gi0/1 - R2 Gi0/0",
    "R1 Gi0/2 - R3 Gi0/0",
    "R1 Gi0/3 - f1 eth0",
    "f1 eth1 - f2 eth0",
    "f1 eth2 - f3 eth0",
    "R2 Gi0/1 - h2 eth0",
    "R3 Gi0/1 - h3 eth0",
]


def ios(*addresses: str, **routes: str) -> str:
    lines = [
        f"interface Gi0/{n}\n ip address {address} 255.255.255.0\n no shutdown" for n, address in enumerate(addresses)
    ]
    return "\n".join([*lines, *(f"ip route {prefix} 255.255.255.0 {hop}" for prefix, hop in routes.items()), ""])


def frr(*addresses: str) -> str:
    lines = [f"interface eth{n}\n ip address {address}/24" for n, address in enumerate(addresses)]
    return "\n".join([*lines, ""])


def linux(address: str, gateway: str) -> str:
    return f"ip address add {address}/24 dev eth0\nip route add default via {gateway}\n"


CONFIGS = {
    "R1": ios(
        "10.0.1.1",
        "10.0.2.1",
        "10.0.3.1",
        "10.0.4.1",
        **{"10.0.5.0": "10.0.4.2", "10.0.6.0": "10.0.4.2", "10.0.7.0": "10.0.2.2", "10.0.8.0": "10.0.3.2"},
    ),
    "R2": ios("10.0.2.2", "10.0.7.1") + "ip route 0.0.0.0 0.0.0.0 10.0.2.1\n",
    "R3": ios("10.0.3.2", "10.0.8.1")
    + "ip route 0.0.0.0 0.0.0.0 10.0.3.1\nline vty 0 4\n password lab\n login\n transport input all\n",
    "f1": frr("10.0.4.2", "10.0.5.1", "10.0.6.1") + "ip route 0.0.0.0/0 10.0.4.1\n",
    "f2": frr("10.0.5.2") + "ip route 0.0.0.0/0 10.0.5.1\n",
    "f3": frr("10.0.6.2") + "ip route 0.0.0.0/0 10.0.6.1\n",
    "h1": linux("10.0.1.2", "10.0.1.1"),
    "h2": linux("10.0.7.2", "10.0.7.1"),
    "h3": linux("10.0.8.2", "10.0.8.1"),
}
CHANGES = {
    "cisco_ios": ["interface GigabitEthernet0/0", "shutdown"],
    "frr": ["ip route 192.0.2.0/24 Null0"],
    "linux": ["ip route add prohibit 192.0.2.0/24"],
}
KEPT = {"cisco_ios": "ip route 192.0.2.0 255.255.255.0 Null0", "frr": "ip route 192.0.2.0/24 Null0"}
KEPT["linux"] = "ip route add prohibit 192.0.2.0/24"
LOOKS = {"cisco_ios": "show ip interface brief", "frr": "show interface brief", "linux": "ip address show"}
ADDRESSES = {"R1": "10.0.1.1", "R2": "10.0.2.2", "R3": "10.0.3.2", "f2": "10.0.5.2", "f3": "10.0.6.2", "h3": "10.0.8.2"}


@dataclass(frozen=True)
class Place:
    """A lab whose nodes are managed, observed and foreign, and interfaces to it."""

    lab: Any
    ani: AgentInterface
    client: JsonRpcAni

    def configs(self) -> dict[str, str]:
        """The running configs, as the evaluation reads them."""
        return dict(TaskEvaluation(self.lab).final_configs())

    def shell(self, device: str) -> Shell:
        """A login."""
        assert self.ani.ssh is not None
        return Shell(self.ani.ssh.hosts[device])


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """The lab; one for the tests of this module."""
    backend = parts.load("backends", "netns")()
    wanted = network(PLATFORMS, LINKS, CONFIGS, CONTROL)
    lack = backend.lacks(request_of(wanted))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    lab = backend.deploy(request_of(wanted))
    try:
        ani = AgentInterface(lab, policy=Policy(), budget=Budget(calls=None, commands=None, wall_s=None))
        try:
            open_ssh(ani)
            with serve(ani) as server, JsonRpcAni(server.path) as client:
                yield Place(lab, ani, client)
        finally:
            ani.close()
        assert ani.lab_error is None
    finally:
        lab.destroy()


@pytest.fixture
def unchanged(place: Place) -> Iterator[None]:
    """Nodes that are not managed are as they were before the test."""
    before = place.configs()
    yield
    after = place.configs()
    assert {name: after[name] for name in CONTROL} == {name: before[name] for name in CONTROL}


@pytest.fixture(params=["ani", "client"], ids=["in process", "json-rpc"])
def ani(place: Place, request: pytest.FixtureRequest) -> Any:
    return getattr(place, request.param)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("device", [*OBSERVED, *FOREIGN])
def test_a_solution_that_changes_another_node_is_refused(ani, device):
    with pytest.raises(AniError, match=rf"device '{device}' is {CONTROL[device]}") as caught:
        ani.update_cfg(device, CHANGES[PLATFORMS[device]])
    assert caught.value.code == Code.POLICY_DENIED


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("device", FOREIGN)
def test_a_foreign_node_is_not_accessible(place, ani, device):
    with pytest.raises(AniError, match=rf"device '{device}' is foreign"):
        ani.get_running_cfg(device)
    with pytest.raises(AniError, match=rf"device '{device}' is foreign"):
        ani.execute_cmd(device, LOOKS[PLATFORMS[device]])
    assert device not in place.ani.ssh.hosts


@pytest.mark.parametrize("device", OBSERVED)
def test_an_observed_node_can_be_looked_at(ani, device):
    assert "10.0." in ani.get_running_cfg(device)["running_config"]
    assert "10.0." in ani.execute_cmd(device, LOOKS[PLATFORMS[device]])["output"]


@pytest.mark.parametrize(
    ("device", "command", "seen"),
    [
        ("R2", "ping 10.0.1.1", "!!!!"),
        ("f2", "ping 10.0.1.1", " 0% packet loss"),
        ("h2", "ping -c 2 -i 0.2 10.0.1.2", " 0% packet loss"),
        ("h2", "ping -c 2 -i 0.2 10.0.8.2", " 0% packet loss"),
        ("h2", "traceroute -n -q 1 -w 1 10.0.1.2", "10.0.2.1"),
    ],
)
def test_packets_are_sent_from_an_observed_node(ani, device, command, seen):
    assert seen in ani.execute_cmd(device, command)["output"]


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("device", MANAGED)
def test_a_managed_node_is_configured(place, ani, device):
    line = KEPT[PLATFORMS[device]]
    undo = line.replace("add", "del") if device == "h1" else f"no {line}"
    assert ani.update_cfg(device, [line])["results"][0]["status"] == "success"
    assert "192.0.2.0" in place.configs()[device]
    ani.update_cfg(device, [undo])
    assert "192.0.2.0" not in place.configs()[device]


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "command",
    [
        "ip route add prohibit 192.0.2.0/24",
        "ip link set eth0 down",
        "ip address del 10.0.7.2/24 dev eth0",
        "nft add table ip x",
        "tc qdisc add dev eth0 root tbf rate 8kbit burst 1600 latency 50ms",
        "sysctl -w net.ipv4.ip_forward=1",
        "echo 1 > /proc/sys/net/ipv4/ip_forward",
        "unshare -rn ip link set eth0 down",
    ],
)
def test_neither_a_command_nor_a_login_changes_an_observed_host(place, command):
    before = place.ani.execute_cmd("h2", "cat /proc/sys/net/ipv4/ip_forward; ip -br link; tc qdisc show")
    place.ani.execute_cmd("h2", command)
    host = place.shell("h2")
    host.type("", r"\$ $|# $")
    host.type(f"{command}; echo over-$?\r", r"over-\d")
    host.client.close()
    host = place.shell("h2")
    host.run(command)
    host.client.close()
    after = place.ani.execute_cmd("h2", "cat /proc/sys/net/ipv4/ip_forward; ip -br link; tc qdisc show")
    assert after == before


def test_a_login_to_an_observed_host_looks_and_sends_packets(place):
    host = place.shell("h2")
    host.type("", r"\$ $|# $")
    assert "10.0.7.2" in host.type("ip -4 -br address; echo over-$?\r", r"over-\d")
    assert " 0% packet loss" in host.type("ping -c 1 10.0.1.2; echo over-$?\r", r"over-\d")
    assert "10.0.7.1" in host.run("ip route")[0]
    host.client.close()


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "line",
    [
        "configure terminal",
        "conf t",
        "configure terminal file-lock",
        "  conf term",
        "enable",
        "en",
        "write memory",
        "clear ip route 0.0.0.0/0",
        "debug ospf event",
    ],
)
def test_a_login_to_an_observed_frr_router_configures_nothing(place, line):
    router = place.shell("f2")
    router.type("", r"f2> $")
    seen = router.type(f"{line}\r", r"f2> $")
    assert "%" in seen
    router.type("ip route 192.0.2.0/24 Null0\r", r"f2> $")
    assert "10.0.5.2" in router.type("show interface brief\r", r"10\.0\.5\.2[\s\S]*f2> $")
    router.client.close()


def test_a_login_to_an_observed_router_says_why_it_does_not_configure(place):
    router = place.shell("f2")
    router.type("", r"f2> $")
    assert "% netbench: device 'f2' is observed" in router.type("configure terminal\r", r"observed[\s\S]*f2> $")
    assert "% netbench: device 'f2' is observed" in router.run("configure terminal")[0]
    assert "ip address 10.0.5.2/24" in router.run("show running-config")[0]
    router.client.close()


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "line",
    [
        "configure terminal",
        "conf t",
        "reload",
        "clear ip route *",
        "write memory",
        "copy running-config startup-config",
        "configure replace flash:x force",
        "write erase",
    ],
)
def test_a_login_to_an_observed_ios_router_changes_nothing(place, line):
    router = place.shell("R2")
    secret = place.ani.ssh.hosts["R2"].enable_secret
    router.type("", r"R2>$")
    router.type("enable\r", r"assword: $")
    router.type(f"{secret}\r", r"R2#$")
    assert "%" in router.type(f"{line}\r", r"R2#$")
    assert "R2(" not in router.type("interface GigabitEthernet0/0\rshutdown\rend\r", r"end[\s\S]*R2#$")
    assert "10.0.2.2" in router.type("show ip interface brief\r", r"10\.0\.7\.1[\s\S]*R2#$")
    router.client.close()


def test_a_login_to_an_observed_ios_router_says_why_it_does_not_configure(place):
    router = place.shell("R2")
    output, _ = router.run("enable\n\nconfigure terminal")
    assert "R2(" not in output
    router.client.close()
    router = place.shell("R2")
    router.type("", r"R2>$")
    router.type("enable\r", r"assword: $")
    router.type(f"{place.ani.ssh.hosts['R2'].enable_secret}\r", r"R2#$")
    assert "% netbench: device 'R2' is observed" in router.type("configure terminal\r", r"observed[\s\S]*R2#$")
    router.client.close()


@pytest.mark.usefixtures("unchanged")
def test_no_file_is_copied_to_an_observed_ios_router(place, tmp_path):
    router = place.shell("R2")
    with pytest.raises(Exception, match=r"(?i)channel closed|EOF|subsystem|rejected"):
        router.client.open_sftp()
    router.client.close()
    assert "ip scp server enable" not in place.configs()["R2"]
    assert "ip scp server enable" in place.configs()["R1"]


def test_a_login_to_a_managed_router_configures(place):
    router = place.shell("f1")
    router.type("", r"f1# $")
    router.type("configure terminal\rip route 198.51.100.0/24 Null0\rend\r", r"f1# $")
    assert "198.51.100.0/24" in place.configs()["f1"]
    router.type("configure terminal\rno ip route 198.51.100.0/24 Null0\rend\r", r"f1# $")
    router.client.close()


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("target", FOREIGN)
def test_no_node_reaches_a_login_of_a_foreign_node(place, target):
    address = ADDRESSES[target]
    (status,) = place.ani.update_cfg("h1", [f"ping -c 1 -W 2 {address}"])["results"]
    assert status["status"] == "success", status
    ports = "21 22 23 80 443 830 $(seq 2600 2625)"
    knock = f"for p in {ports}; do timeout 2 bash -c '</dev/tcp/{address}/'$p 2>/dev/null && echo open-$p; done; true"
    assert "open-" not in place.ani.execute_cmd("h2", knock)["output"]
    host = place.shell("h1")
    assert "open-" not in host.run(knock)[0]
    host.client.close()


@pytest.mark.usefixtures("unchanged")
def test_a_managed_host_cannot_enter_another_node(place):
    tries = [
        "vtysh -N f3 -c 'configure terminal'",
        "ip netns exec f3 ip link set eth0 down",
        "for p in /proc/[0-9]*; do nsenter -t ${p#/proc/} -n ip link set eth9 down 2>/dev/null && exit 0; done; exit 1",
    ]
    host = place.shell("h1")
    for line in tries:
        assert [one["status"] for one in place.ani.update_cfg("h1", [line])["results"]] == ["error"], line
        assert host.run(line)[1] != 0, line
    host.client.close()
