"""The commands between two states of a kernel's configuration."""

from __future__ import annotations

from pytest_netbench.backends.containerlab.attached.state import Link, State, commands, differences

LOOPBACK = ("inet 127.0.0.1/8 scope host",)


def state(**fields):
    links = {"lo": Link(mtu=65536), "eth0": Link(), "eth1": Link(mtu=9500)}
    return State(**{"links": links, "addresses": {"lo": LOOPBACK}, **fields})


def test_equal_states_need_no_commands_and_a_journal_gives_a_state_back():
    one = state(
        routes=["-4 default via 10.0.0.1 dev eth0"], sysctls={"net/ipv4/ip_forward": "1"}, ruleset=["table ip x {", "}"]
    )
    again = State.of(one.plain())
    assert commands(one, again) == []
    assert again.lines() == one.lines()


def test_what_is_too_much_goes_and_what_is_missing_comes_back():
    now = state(
        links={"lo": Link(mtu=65536), "eth0": Link(up=False), "eth1": Link(), "x": Link()},
        addresses={"lo": LOOPBACK, "eth1": ["inet 192.0.2.1/24 scope global"]},
        routes=["-4 default via 192.0.2.2 dev eth1"],
        rules=("-4 0: from all lookup local", "-4 100: from 10.0.0.0/8 lookup 7"),
    )
    wanted = state(
        addresses={"lo": LOOPBACK, "eth1": ["inet 10.0.0.2/24 broadcast 10.0.0.255 scope global"]},
        routes=["-4 default via 172.20.20.1 dev eth0"],
        rules=("-4 0: from all lookup local",),
        neighbors=["10.0.0.9 dev eth1 lladdr 02:00:00:00:00:01"],
    )
    assert commands(now, wanted) == [
        "ip link delete x",
        "ip link set eth0 up",
        "ip link set eth1 mtu 9500",
        "ip address delete 192.0.2.1/24 dev eth1",
        "ip address add 10.0.0.2/24 broadcast 10.0.0.255 scope global dev eth1",
        "ip -4 rule delete from 10.0.0.0/8 lookup 7 pref 100",
        "ip -4 route delete default via 192.0.2.2 dev eth1",
        "ip -4 route replace default via 172.20.20.1 dev eth0",
        "ip neigh replace 10.0.0.9 dev eth1 lladdr 02:00:00:00:00:01 nud permanent",
    ]


def test_addresses_after_the_first_that_differs_are_added_anew_so_that_their_order_is_kept():
    now = state(addresses={"lo": LOOPBACK, "eth1": ["inet 10.0.0.1/24 scope global", "inet 10.0.0.3/24 scope global"]})
    wanted = state(addresses={"lo": LOOPBACK, "eth1": [f"inet 10.0.0.{n}/24 scope global" for n in (1, 2, 3)]})
    assert commands(now, wanted) == [
        "ip address delete 10.0.0.3/24 dev eth1",
        "ip address add 10.0.0.2/24 scope global dev eth1",
        "ip address add 10.0.0.3/24 scope global dev eth1",
    ]


def test_variables_of_all_interfaces_are_set_before_those_of_one():
    paths = ["net/ipv4/conf/eth1/rp_filter", "net/ipv4/conf/all/rp_filter"]
    now, wanted = (state(sysctls=dict.fromkeys(paths, value)) for value in "01")
    assert commands(now, wanted) == [
        "echo 1 > /proc/sys/net/ipv4/conf/all/rp_filter",
        "echo 1 > /proc/sys/net/ipv4/conf/eth1/rp_filter",
    ]


def test_a_task_begins_with_its_own_interfaces_up_and_empty_and_all_others_down():
    saved = state(
        links={"lo": Link(mtu=65536), "eth0": Link(), "eth1": Link(mtu=9500, master="br0"), "br0": Link()},
        addresses={"lo": [*LOOPBACK, "inet 10.9.9.9/32 scope global"], "eth0": ["inet 172.20.20.3/24 scope global"]},
        routes=["-4 default via 172.20.20.1 dev eth0"],
        sysctls={
            "net/ipv4/ip_forward": "1",
            "net/ipv4/conf/eth1/forwarding": "1",
            "net/ipv4/conf/eth1/rp_filter": "2",
            "net/ipv4/other": "5",
        },
        ruleset=["table ip x {", "}"],
    )
    fresh = {"net/ipv4/ip_forward": "0", "net/ipv4/conf/default/rp_filter": "0"}
    empty = saved.emptied(["eth1"], fresh, {})
    assert empty.lines() == [
        "link br0 down mtu 1500",
        "link eth0 down mtu 1500",
        "link eth1 up mtu 1500",
        "link lo up mtu 65536",
        "address lo inet 127.0.0.1/8 scope host",
        *(f"rule {one}" for one in empty.rules),
        "sysctl net/ipv4/conf/eth1/forwarding 0",
        "sysctl net/ipv4/conf/eth1/rp_filter 0",
        "sysctl net/ipv4/ip_forward 0",
        "sysctl net/ipv4/other 5",
    ]


def test_differences_are_shown_as_lines():
    assert differences(["a", "b"], ["b", "c"]) == ["- a", "+ c"]
