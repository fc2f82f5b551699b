"""Which startup lines of a Linux node need no program."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.netns.supervisor.settings import understood


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  # a remark with $(anything)",
        "ip address add 10.0.0.1/24 dev lo",
        "ip a add 10.0.0.1 dev lo",
        "ip -6 addr add 2001:db8::1/64 dev lo",
        "ip route add default via 10.0.0.1",
        "ip route add 10.1.0.0/16 via 10.0.0.1 dev lo",
        "ip route add 2001:db8:1::/48 via 2001:db8::2",
        "ip -6 route add default via 2001:db8::2",
        "ip route add 10.2.0.0/16 dev lo",
        "ip link set lo up",
        "ip link set dev lo down",
        "sysctl -w net.ipv4.ip_forward=1",
        "sysctl -qw net.ipv6.conf.all.forwarding=1",
    ],
)
def test_a_plain_line_needs_no_program(line: str) -> None:
    assert understood(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        "ip address add 10.0.0.1/24 dev lo && true",
        "ip address add 10.0.0.1/24 dev lo \\",
        "ip address add 10.0.0.1/24 dev $DEV",
        "ip address add 10.0.0.1/24 dev lo scope link",
        "ip address del 10.0.0.1/24 dev lo",
        "ip -4 route add default via 2001:db8::2",
        "ip -6 route add default via 10.0.0.1",
        "ip route add default dev lo",
        "ip route add 10.0.0.0/8 via 10.0.0.1 metric 5",
        "ip -o link",
        "sysctl -w kernel.hostname=x",
        "sysctl -w net.ipv4.ip_local_port_range='1 2'",
        "sysctl -w net.../x=1",
        "if true; then",
        "nft -f /etc/rules",
        "true",
    ],
)
def test_what_only_a_program_can_do_is_left_to_it(line: str) -> None:
    assert understood(line) is None


@pytest.mark.parametrize(
    "line",
    ["ip address add 10.0.0.300/24 dev lo", "ip address add 10.0.0.1/33 dev lo", "ip a add 10.0.0.1/24 dev nope0"],
)
def test_what_cannot_work_is_left_to_the_program_that_says_why(line: str) -> None:
    with pytest.raises(OSError, match=r"."):
        understood(line)
