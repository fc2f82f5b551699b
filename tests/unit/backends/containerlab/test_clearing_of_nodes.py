"""The network in which a task begins, in a lab that runs already."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.containerlab.attached.clearing import cleared, refuse
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.attaching.linux_changes import commands

NOW = """\
link lo up mtu 65536
address lo 127.0.0.1/8 scope host
address lo ::1/128 scope host noprefixroute
address lo 10.9.9.9/32
link eth0 up mtu 1500 address 02:00:00:00:00:01 type veth
address eth0 172.20.20.3/24 broadcast 172.20.20.255
address eth0 generated
link eth1 up mtu 9500 master br0 address 02:00:00:00:00:02 type veth
link br0 up mtu 1500 type bridge
route -4 default via 172.20.20.1 dev eth0
rule -4 pref 0 from all lookup local
rule -4 pref 100 from 10.0.0.0/8 lookup 7
neighbor 10.0.0.9 dev eth1 lladdr 02:00:00:00:00:03
sysctl net/ipv4/ip_forward=1
sysctl net/ipv4/conf/eth1/forwarding=1
sysctl net/ipv4/conf/eth1/rp_filter=2
sysctl net/ipv4/other=5
nft table ip x {
nft }
""".splitlines()


def test_a_task_begins_with_its_own_interfaces_up_and_empty_and_all_others_down() -> None:
    fresh = {"net/ipv4/ip_forward": "0", "net/ipv4/conf/default/rp_filter": "0"}
    empty = cleared(NOW, ["eth1"], fresh)
    assert [line for line in empty if not line.startswith("rule")] == [
        "link lo up mtu 65536",
        "address lo 127.0.0.1/8 scope host",
        "address lo ::1/128 scope host noprefixroute",
        "link eth0 down mtu 1500 address 02:00:00:00:00:01 type veth",
        "address eth0 generated",
        "link eth1 up mtu 1500 address 02:00:00:00:00:02 type veth",
        "link br0 down mtu 1500 type bridge",
        "sysctl net/ipv4/ip_forward=0",
        "sysctl net/ipv4/conf/eth1/forwarding=0",
        "sysctl net/ipv4/conf/eth1/rp_filter=0",
        "sysctl net/ipv4/other=5",
    ]
    typed = [" ".join(one.argv) for one in commands(NOW, empty)]
    assert "ip -4 rule delete pref 100 from 10.0.0.0/8 lookup 7" in typed
    assert "ip -4 rule add pref 32766 from all lookup main" in typed
    assert "ip link set dev eth0 down" in typed


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("qdisc eth1 qdisc netem 8001: root limit 1000", "r1: eth1 has a queue of kind netem, which could not be"),
        ('nft meta l4proto tcp xt match "comment"', "r1: it has rules of iptables that nft cannot write"),
    ],
)
def test_what_could_not_be_put_back_is_refused(line: str, refused: str) -> None:
    with pytest.raises(RequirementMissing, match=refused):
        refuse("r1", [*NOW, line], ["eth1"])


def test_queues_of_the_kernel_and_of_other_interfaces_are_not_refused() -> None:
    refuse("r1", [*NOW, "qdisc eth1 qdisc fq_codel 8001: root", "qdisc eth0 qdisc netem 8001: root"], ["eth1"])
