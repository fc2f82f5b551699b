"""The linux platform against the kernel itself."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.linux import LinuxDriver

PLATFORM = LinuxDriver()
STARTUP = """# the gateway is not yet up
ip address add 10.0.0.1/24 dev eth0
ip -6 address add 2001:db8::1/64 dev eth0
ip route add default via 10.0.0.2
for net in 8 9; do
    ip route add 10.$net.0.0/16 via 10.0.0.2 metric 50
done
nft -f - <<'END'
table inet filter {
    chain input {
        type filter hook input priority 0; policy accept;
        ct state established,related accept
        tcp dport { 22, 80 } counter drop comment "no way"
    }
}
END
"""
CONFIG = """interface eth0
 address 10.0.0.1/24
 address 2001:db8::1/64
routes main
 default via 10.0.0.2 dev eth0
 10.8.0.0/16 via 10.0.0.2 dev eth0 metric 50
 10.9.0.0/16 via 10.0.0.2 dev eth0 metric 50
table inet filter
 chain input
  type filter hook input priority filter
  policy accept
  ct state established,related accept
  tcp dport { 22, 80 } counter drop comment "no way"
"""


@pytest.fixture(scope="module")
def lab(deploy):
    return deploy("linux", {"h1": STARTUP, "h2": "ip address add 10.0.0.2/24 dev eth0"}, cables=2)


@pytest.fixture(scope="module")
def host(lab):
    return lab.nodes["h1"]


def network_of(config: str) -> str:
    """The config without kernel settings: what a fresh node has of these is the backend's choice."""
    return "".join(f"{line}\n" for line in config.splitlines() if not line.startswith("sysctl "))


def test_the_running_config_is_one_hierarchical_text_of_what_differs(host):
    assert network_of(PLATFORM.running_config(host)) == CONFIG


def test_routes_are_told_in_the_neutral_form(host):
    [route] = PLATFORM.routes(host, "0.0.0.0/0")
    assert (route.protocol, route.next_hops, route.interfaces) == ("static", ("10.0.0.2",), ("eth0",))
    assert [route.protocol for route in PLATFORM.routes(host, "10.0.0.0/24")] == ["connected"]
    assert [route.metric for route in PLATFORM.routes(host, "10.9.0.0/16")] == [50]
    assert PLATFORM.routes(host, "10.9.0.0/17") == []


def test_commands_change_the_node_and_the_exit_status_decides(lab):
    node = lab.nodes["h2"]
    commands = [
        "ip link add br0 type bridge && ip link set eth1 master br0 && ip link set br0 up",
        (
            "tc qdisc add dev eth0 root handle 1: htb default 20\ntc class add dev eth0 parent 1: classid 1:10 htb rate"
            " 5mbit"
        ),
        (
            "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dst 10.0.0.0/24 match ip dport 53 0xffff"
            " flowid 1:10"
        ),
        "sysctl -w net.ipv4.conf.eth0.rp_filter=1",
        "ip route add 10.7.0.0/16 via 203.0.113.1",
        "false",
    ]
    statuses = PLATFORM.apply(node, commands)
    assert [status.status for status in statuses] == ["success"] * 4 + ["error"] * 2
    assert "Nexthop has invalid gateway" in statuses[4].message or "unreachable" in statuses[4].message
    assert statuses[5].message == "exit status 1"
    config = PLATFORM.running_config(node)
    assert " qdisc htb 1: root default 0x20\n class htb 1:10 root prio 0 rate 5Mbit ceil 5Mbit" in config
    assert (
        " filter parent 1: protocol ip pref 1 u32 flowid 1:10\n  match ip dst 10.0.0.0/24\n  match ip dport 53 0xffff\n"
        in config
    )
    assert "interface eth1\n master br0\n" in config
    assert "interface br0\n type bridge\n state up\n" in config
    assert "sysctl net.ipv4.conf.eth0.rp_filter = 1\n" in config


@pytest.mark.parametrize(
    "command",
    [
        "ip address add 10.9.9.9/24 dev eth0",
        "ip link set eth0 down",
        "ip route del default",
        "nft flush ruleset",
        "nft add table ip x",
        "iptables -A INPUT -j DROP",
        "tc qdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms",
        "sysctl -w net.ipv4.ip_default_ttl=7",
        "echo 7 > /proc/sys/net/ipv4/ip_default_ttl",
        "touch /etc/x",
    ],
)
def test_execute_cannot_change_a_node(host, command):
    before = PLATFORM.running_config(host)
    assert "[exit status " in PLATFORM.execute(host, command)
    assert PLATFORM.running_config(host) == before


def test_execute_answers_reads_that_need_a_capability(host):
    assert 'comment "no way"' in PLATFORM.execute(host, "nft list ruleset")
    assert "Chain INPUT" in PLATFORM.execute(host, "iptables -L -n")
    assert "1 received" in PLATFORM.execute(host, "ping -c 1 10.0.0.2")


def test_execute_is_bounded(host):
    assert "[ended after 0.3 s]" in PLATFORM.execute(host, "sleep 30", limits=SandboxLimits(timeout_s=0.3))
    assert "[output was cut at the limit]" in PLATFORM.execute(
        host, "yes", limits=SandboxLimits(output_bytes=500, timeout_s=5)
    )


@pytest.mark.parametrize(
    ("config", "number", "words"),
    [
        ("true\n\nip link set nope up\n", 3, 'Cannot find device "nope"'),
        ("if foo; fi\n", 1, "syntax error near unexpected token `fi'"),
        ("nft -f - <<END\ntable ip a {\n bogus\n}\nEND\n", 1, "/dev/stdin:2"),
    ],
)
def test_a_startup_config_that_fails_names_line_and_words(deploy, config, number, words):
    (refused,) = deploy("linux", {"h1": config, "h2": ""}).refused_startup_lines
    assert (refused.node, refused.line_number) == ("h1", number)
    assert refused.message.startswith(words)


def test_a_startup_config_goes_on_after_a_line_that_fails(deploy):
    config = "ip link set nope up\nip address add 10.0.0.1/24 dev eth0\nip link set gone up\n"
    lab = deploy("linux", {"h1": config, "h2": ""})
    assert [one.line_number for one in lab.refused_startup_lines] == [1, 3]
    assert lab.prober.addresses("h1") == ("10.0.0.1",)


def test_an_interface_that_the_startup_config_sets_down_stays_down(deploy):
    lab = deploy("linux", {"h1": "ip link set eth0 down", "h2": ""})
    assert network_of(PLATFORM.running_config(lab.nodes["h1"])) == "interface eth0\n state down\n"
