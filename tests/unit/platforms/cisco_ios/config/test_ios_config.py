"""The running config: edits and printing."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.session.session import Session
from tests.support.ios import paper


def section(device, head: str) -> list[str]:
    """Return the lines below ``head`` in the running config."""
    lines = device.running_config().splitlines()
    start = lines.index(head) + 1
    return [line.strip() for line in lines[start:] if line.startswith(" ")][
        : next((at for at, line in enumerate(lines[start:]) if not line.startswith(" ")), 0)
    ]


def test_ports_of_a_router_start_shut_down_and_those_of_a_switch_do_not():
    assert section(paper(), "interface GigabitEthernet0/0") == ["no ip address", "shutdown"]
    assert "shutdown" not in paper(role="switch").running_config()


def test_a_port_that_a_startup_config_mentions_is_up_unless_it_says_otherwise():
    device = paper(startup="interface Gi0/0\n ip address 10.0.0.1 255.0.0.0\n!\ninterface Gi0/1\n shutdown\n")
    assert section(device, "interface GigabitEthernet0/0") == ["ip address 10.0.0.1 255.0.0.0"]
    assert section(device, "interface GigabitEthernet0/1") == ["no ip address", "shutdown"]


def test_a_new_primary_address_takes_the_place_of_the_old_one_and_secondaries_add_up():
    device = paper(
        "interface gi0/0",
        "ip address 10.0.0.1 255.255.255.0",
        "ip address 10.0.1.1 255.255.255.0 secondary",
        "ip address 10.0.2.1 255.255.255.0",
    )
    assert section(device, "interface GigabitEthernet0/0")[:2] == [
        "ip address 10.0.1.1 255.255.255.0 secondary",
        "ip address 10.0.2.1 255.255.255.0",
    ]


@pytest.mark.parametrize("line", ["no ip address", "default ip address", "no ip address 10.0.0.1 255.255.255.0"])
def test_an_interface_without_address_says_so(line):
    device = paper("interface gi0/0", "ip address 10.0.0.1 255.255.255.0", line)
    assert section(device, "interface GigabitEthernet0/0")[0] == "no ip address"


def test_what_holds_anyway_is_no_line_and_its_no_form_is():
    assert "redirects" not in paper("interface gi0/0", "ip redirects").running_config()
    assert " no ip redirects" in paper("interface gi0/0", "no ip redirects").running_config()
    assert "redirects" not in paper("interface gi0/0", "no ip redirects", "ip redirects").running_config()
    assert "redirects" not in paper("interface gi0/0", "no ip redirects", "default ip redirects").running_config()


def test_no_removes_every_line_that_agrees_with_what_was_typed():
    routes = [
        "ip route 10.0.0.0 255.0.0.0 1.1.1.1",
        "ip route 10.0.0.0 255.0.0.0 2.2.2.2 9",
        "ip route 11.0.0.0 255.0.0.0 2.2.2.2",
    ]
    left = paper(*routes, "no ip route 10.0.0.0 255.0.0.0").running_config()
    assert "ip route 10" not in left
    assert "ip route 11" in left
    left = paper(*routes, "no ip route 10.0.0.0 255.0.0.0 1.1.1.1").running_config()
    assert "2.2.2.2 9" in left
    assert "1.1.1.1" not in left


def test_another_distance_replaces_the_line():
    text = paper("ip route 10.0.0.0 255.0.0.0 1.1.1.1", "ip route 10.0.0.0 255.0.0.0 1.1.1.1 200").running_config()
    assert text.count("ip route") == 1


def test_lines_stand_in_the_order_of_ios_whatever_the_order_of_typing():
    text = paper(
        "line vty 0 4", "ip route 10.0.0.0 255.0.0.0 1.1.1.1", "interface loopback 1", "hostname X", "banner motd #hi#"
    ).running_config()
    places = [
        text.index(word)
        for word in (
            "hostname",
            "interface Loopback1",
            "interface GigabitEthernet0/0",
            "ip route",
            "banner",
            "line vty",
        )
    ]
    assert places == sorted(places)


def test_both_kinds_of_timestamps_stand_together():
    lines = paper("service timestamps log datetime msec", "service timestamps debug datetime msec").running_config()
    assert "!\nservice timestamps debug datetime msec\nservice timestamps log datetime msec\n!\n" in lines


def test_a_config_that_is_read_back_is_the_same():
    device = paper(
        "hostname edge",
        "interface loopback 5",
        "ip address 5.5.5.5 255.255.255.255",
        "description a  b",
        "interface gi0/1",
        "ip address 10.1.0.1 255.255.255.0",
        "no shutdown",
        "enable secret x",
        "banner motd #two\nlines#",
        "line vty 0 4",
        "password y",
    )
    text = device.running_config()
    assert paper(startup=text).running_config() == text


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["ip address 10.0.0.0 255.255.255.0"], "Bad mask /24 for address 10.0.0.0"),
        (["ip address 10.0.0.255 255.255.255.0"], "Bad mask /24 for address 10.0.0.255"),
        (["ip address 224.0.0.5 255.255.255.0"], "Not a valid host address - 224.0.0.5"),
    ],
)
def test_an_address_that_no_host_may_have_is_refused_in_the_words_of_ios(lines, said):
    session = Session(paper("interface gi0/0"))
    session.enter("configure terminal")
    session.enter("interface gi0/0")
    assert session.enter(lines[0]).strip() == said


def test_a_subnet_that_another_interface_has_is_refused():
    session = Session(paper("interface gi0/0", "ip address 10.0.0.1 255.255.255.0"))
    for line in ("configure terminal", "interface gi0/1"):
        session.enter(line)
    assert (
        session.enter("ip address 10.0.0.129 255.255.255.128").strip()
        == "% 10.0.0.128 overlaps with GigabitEthernet0/0"
    )


def test_a_physical_interface_can_be_neither_made_nor_removed():
    session = Session(paper())
    session.enter("configure terminal")
    assert "% Invalid input detected" in session.enter("interface gi0/7")
    assert "% Removal of physical interfaces is not permitted" in session.enter("no interface gi0/0")


def test_ports_of_a_startup_config_that_have_no_cable_are_there():
    device = paper(startup="interface FastEthernet0/5\n no ip address\n shutdown\n")
    assert "interface FastEthernet0/5" in device.running_config()


def test_a_startup_config_is_rejected_at_its_line_with_the_words_of_the_device():
    device = paper(startup="hostname x\r\ninterface gi0/0\r\n ip adress 1.1.1.1 255.0.0.0\r\n mtu 1400\r\nend\r\n")
    (refused,) = device.refused_startup_lines
    assert (refused.node, refused.line_number, refused.line) == ("R1", 3, " ip adress 1.1.1.1 255.0.0.0")
    assert refused.message == "% Invalid input detected at '^' marker. (at 'adress')"
    assert "mtu 1400" in device.running_config()


def test_what_stands_below_a_refused_line_of_a_startup_config_is_not_applied_elsewhere():
    device = paper(startup="interface gi0/0\n mtu 1400\nrouter nonsense\n mtu 1300\nhostname x\n")
    assert [one.line_number for one in device.refused_startup_lines] == [3, 4]
    assert "mtu 1400" in device.running_config()
    assert "hostname x" in device.running_config()


def test_equal_secrets_are_equal_lines_and_do_not_show_the_secret():
    one, two = (paper("enable secret opensesame").running_config() for _ in range(2))
    assert one == two
    assert "opensesame" not in one


def test_a_user_is_one_line_and_no_with_the_name_removes_it():
    lines = paper(
        "username bob secret x", "username bob password y", "username al secret z", "no username al"
    ).running_config()
    assert [line for line in lines.splitlines() if line.startswith("username")] == ["username bob password 0 y"]


def test_a_neighbor_of_bgp_goes_with_all_its_lines_when_no_names_it():
    device = paper(
        "router bgp 1", "neighbor 10.0.0.2 remote-as 2", "neighbor 10.0.0.2 description x", "no neighbor 10.0.0.2"
    )
    assert "neighbor 10" not in device.running_config()


_STATIC = (
    "ip route 10.0.0.0 255.0.0.0 192.0.2.1",
    "ip route 10.0.0.0 255.0.0.0 Serial0/0/0 192.0.2.1 200 name BACKUP",
    "ip route 10.0.0.0 255.0.0.0 Serial0/0/0",
    "ip route 10.0.0.0 255.0.0.0 192.0.2.2 90 tag 7",
    "ip route vrf RED 10.0.0.0 255.0.0.0 192.0.2.1",
    "ip route 11.0.0.0 255.0.0.0 192.0.2.1",
)


@pytest.mark.parametrize(
    ("typed", "gone"),
    [
        ("10.0.0.0 255.0.0.0 192.0.2.1", {0}),  # not the route by an interface and this next hop
        ("10.0.0.0 255.0.0.0 Serial0/0/0", {2}),
        ("10.0.0.0 255.0.0.0 Serial0/0/0 192.0.2.1", {1}),  # distance and name may be left out
        ("10.0.0.0 255.0.0.0 Serial0/0/0 192.0.2.1 200", {1}),
        ("10.0.0.0 255.0.0.0 Serial0/0/0 192.0.2.1 100", set()),
        ("10.0.0.0 255.0.0.0 192.0.2.2", {3}),
        ("10.0.0.0 255.0.0.0 192.0.2.2 tag 7", {3}),
        ("10.0.0.0 255.0.0.0", {0, 1, 2, 3}),
        ("vrf RED 10.0.0.0 255.0.0.0 192.0.2.1", {4}),
        ("vrf RED 10.0.0.0 255.0.0.0", {4}),
    ],
)
def test_no_ip_route_removes_the_route_with_this_next_hop(typed, gone):
    # the reference and switch guides: the prefix, its mask and the address or interface identify a static route
    device = paper("ip vrf RED", "exit", *_STATIC, f"no ip route {typed}", interfaces=("Serial0/0/0",))
    left = device.running_config()
    assert {at for at, line in enumerate(_STATIC) if f"\n{line}\n" not in left} == gone


def test_no_ipv6_route_removes_the_route_with_this_next_hop():
    routes = ("ipv6 route 2001:DB8::/32 GigabitEthernet0/0 2001:DB9::1", "ipv6 route 2001:DB8::/32 2001:DB9::1 5")
    left = paper(*routes, "no ipv6 route 2001:DB8::/32 2001:DB9::1").running_config()
    assert (routes[0] in left, routes[1] in left) == (True, False)
