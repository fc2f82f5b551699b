"""The shortest dead time that configs of either dialect set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.backends.netns.clock.timers import shortest_dead_s


@pytest.mark.parametrize(
    ("config", "dead_s"),
    [
        ("interface eth0\n ip ospf dead-interval 10\n", 10),
        ("interface eth0\n ip ospf hello-interval 2\n", 8),
        ("interface eth0\n ip ospf hello-interval 2\n ip ospf dead-interval 30\n", 30),
        ("interface eth0\n ip ospf hello-interval 2\ninterface eth1\n ip ospf dead-interval 30\n", 8),
        ("interface eth0\nip ospf hello-interval 2\nexit\n", 8),
        ("interface eth0\n ip ospf dead-interval minimal hello-multiplier 4\n", 1),
        ("interface eth0\n ipv6 ospf6 dead-interval 6\n", 6),
        ("interface Gi0/0\n ipv6 ospf hello-interval 1\n", 4),
        ("interface Gi0/0\n ospfv3 1 dead-interval 7\n", 7),
        ("router bgp 1\n timers bgp 3 9\n", 9),
        ("router bgp 1\n neighbor 10.0.0.2 timers 5 15\n", 15),
        ("router bgp 1\n timers bgp 0 0\n", None),
        ("interface eth0\n isis hello-interval 2\n isis hello-multiplier 3\n", 6),
        ("interface eth0\n isis hello-interval 2\n", 20),
        ("interface Gi0/0\n ip hold-time eigrp 1 6\n ip hello-interval eigrp 1 2\n", 6),
        ("router eigrp 1\n network 10.0.0.0\n", 15),
        ("interface Gi0/0\n standby 1 ip 10.0.0.1\n", 10),
        ("interface Gi0/0\n standby 1 ip 10.0.0.1\n standby 1 timers 1 3\n", 3),
        ("interface Gi0/0\n standby 1 timers msec 200 msec 750\n", 0.75),
        ("interface Gi0/0\n vrrp 1 ip 10.0.0.1\n", 3.6),
        ("interface Gi0/0\n vrrp 1 timers advertise msec 100\n", 0.36),
        ("interface eth0\n vrrp 5 advertisement-interval 500\n", 1.8),
        ("interface eth0\n ip ospf bfd\n", 0.9),
        ("router bgp 1\n neighbor 10.0.0.2 bfd\n", 0.9),
        ("router bgp 1\n neighbor 10.0.0.2 bfd 4 100 50\n", 0.4),
        ("interface Gi0/0\n bfd interval 50 min_rx 150 multiplier 5\n", 0.75),
        (
            (
                "bfd\n peer 10.0.0.2\n  detect-multiplier 5\n  receive-interval 200\n  transmit-interval 100\n"
                " exit\nexit\n"
            ),
            1.0,
        ),
        ("bfd\n profile fast\n  receive-interval 50\n  transmit-interval 50\n", 0.15),
        ("controller listen 6653\ncontroller switch s1 id 1 address 10.0.0.2\n", 4),
        ("ovs-vsctl add-br br0\novs-vsctl add-port br0 eth0 -- set-controller br0 tcp:10.0.0.1:6653\n", 10),
        ("! ip ospf dead-interval 1\nhostname R1\ninterface eth0\n ip address 10.0.0.1/24\n", None),
        ("", None),
    ],
)
def test_the_shortest_dead_time_of_a_config(config: str, dead_s: float | None) -> None:
    assert shortest_dead_s([config]) == pytest.approx(dead_s) if dead_s else shortest_dead_s([config]) is None


def test_a_load_balancer_gives_a_silent_web_server_up_after_four_seconds() -> None:
    assert shortest_dead_s([], ["web", "dns"]) is None
    assert shortest_dead_s(["router bgp 1\n timers bgp 3 9\n"], ["web", "lb"]) == 4
    assert shortest_dead_s(["router bgp 1\n timers bgp 1 3\n"], ["lb"]) == 3


def test_the_shortest_of_all_configs_counts() -> None:
    assert shortest_dead_s(["router bgp 1\n timers bgp 3 9\n", "", "interface e\n ip ospf dead-interval 5\n"]) == 5


@given(st.lists(st.text(alphabet="ip ospfdead-interval 0123456789\nbgptimersfmc!", max_size=200), max_size=3))
def test_no_text_is_too_strange(configs: list[str]) -> None:
    found = shortest_dead_s(configs)
    assert found is None or found > 0
