"""HSRP, VRRP, DHCP, IP SLA and tracking: the config and the desired state that typed lines give."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.config.passwords import hidden
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.pools import Leases, Pool
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed
from tests.support.ios import Session, paper, render

LAN = ("interface gi0/0", "ip address 10.0.0.1 255.255.255.0")


def plan(device):
    return compile_state(device.grammar, device.config, device.facts)


def services(device):
    return plan(device).services


def lines(device, *starts):
    return [line.strip() for line in render(device.config).splitlines() if line.strip().startswith(starts)]


def answer(device, *typed):
    """Return the device's answer to the last line."""
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in typed][-1]


def typed(device, *more):
    session = Session(device)
    session.enter("configure terminal")
    for line in more:
        assert session.enter(line) == "", line
    return device


# ---- HSRP and VRRP ----


def test_a_group_without_number_is_group_0_and_defaults_are_not_stored():
    device = paper(
        *LAN, "standby ip 10.0.0.254", "standby 0 priority 100", "standby timers 3 10", "standby authentication cisco"
    )
    assert lines(device, "standby") == ["standby 0 ip 10.0.0.254"]
    [group] = services(device)["fhrp"]["hsrp"]
    assert (group["group"], group["priority"], group["hello_ms"], group["hold_ms"], group["text"]) == (
        0,
        100,
        3000,
        10000,
        "cisco",
    )


def test_lines_of_a_group_stand_together_in_the_order_of_ios_whatever_the_order_of_typing():
    device = paper(
        *LAN,
        "standby 2 track 5 decrement 20",
        "standby 1 preempt",
        "standby 2 ip 10.0.0.253",
        "standby 1 priority 110",
        "standby 1 ip 10.0.0.254",
        "standby version 2",
        "vrrp 9 priority 90",
        "no vrrp 9 preempt",
        "vrrp 9 ip 10.0.0.252",
    )
    assert lines(device, "standby", "vrrp", "no vrrp") == [
        "standby version 2",
        "standby 1 ip 10.0.0.254",
        "standby 1 priority 110",
        "standby 1 preempt",
        "standby 2 ip 10.0.0.253",
        "standby 2 track 5 decrement 20",
        "vrrp 9 ip 10.0.0.252",
        "vrrp 9 priority 90",
        "no vrrp 9 preempt",
    ]


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("standby 1 timers msec 250 msec 750", "hold_ms", 750),
        ("standby 1 timers 1 3", "hello_ms", 1000),
        ("standby 1 preempt delay minimum 60", "preempt_delay_s", 60),
        ("standby 1 authentication text s3cret", "text", "s3cret"),
        ("standby 1 authentication md5 key-string k3y", "md5", "k3y"),
        (f"standby 1 authentication md5 key-string 7 {hidden('k3y')}", "md5", "k3y"),
        ("standby 1 mac-address 0200.0000.0001", "mac", "0200.0000.0001"),
        ("standby use-bia", "mac", "bia"),
        (
            "standby 1 track gi0/1 30",
            "tracks",
            [{"link": "gi0-1", "label": "GigabitEthernet0/1", "decrement": 30, "shutdown": False}],
        ),
        ("standby 1 track 7 shutdown", "tracks", [{"object": 7, "decrement": 0, "shutdown": True}]),
        ("standby 1 ip 10.0.0.200 secondary", "secondary", ["10.0.0.200"]),
    ],
)
def test_what_a_line_asks_of_the_group(line, field, value):
    [group] = services(paper(*LAN, "standby 1 ip 10.0.0.254", line))["fhrp"]["hsrp"]
    assert group[field] == value


def test_no_with_as_much_as_one_likes_takes_lines_back():
    device = paper(
        *LAN, "standby 1 ip 10.0.0.254", "standby 1 priority 110", "standby 1 track 5 decrement 20", "standby 1 preempt"
    )
    typed(device, "interface gi0/0", "no standby 1 priority", "no standby 1 track 5", "no standby 1 preempt")
    assert lines(device, "standby") == ["standby 1 ip 10.0.0.254"]
    typed(device, "interface gi0/0", "no standby 1")
    assert lines(device, "standby") == []
    assert "fhrp" not in services(device)


def test_an_address_that_is_taken_or_the_interface_s_own_is_refused():
    device = paper(*LAN, "standby 1 ip 10.0.0.254")
    assert answer(device, "interface gi0/0", "standby 2 ip 10.0.0.1") == "% Address cannot equal interface IP address\n"
    assert answer(device, "interface gi0/0", "standby 2 ip 10.0.0.254").startswith(
        "% 10.0.0.254 is already in use by group 1"
    )
    assert "% Invalid input" in answer(device, "interface gi0/0", "standby 300 ip 10.0.0.250")


def test_vrrp_preempts_unless_told_not_to_and_may_own_its_address():
    [group] = services(paper(*LAN, "vrrp 1 ip 10.0.0.1", "vrrp 1 timers advertise 3", "vrrp 1 authentication text pw"))[
        "fhrp"
    ]["vrrp"]
    assert (group["preempt"], group["interval_s"], group["text"], group["address"]) == (True, 3, "pw", "10.0.0.1")
    [quick] = services(paper(*LAN, "vrrp 1 ip 10.0.0.9", "vrrp 1 timers advertise msec 250"))["fhrp"]["vrrp"]
    assert quick["interval_s"] == 0.25
    device = paper(*LAN, "vrrp 1 ip 10.0.0.254", "no vrrp 1 preempt")
    assert services(device)["fhrp"]["vrrp"][0]["preempt"] is False
    typed(device, "interface gi0/0", "vrrp 1 preempt")
    assert lines(device, "vrrp", "no vrrp") == ["vrrp 1 ip 10.0.0.254"]


# ---- DHCP ----


POOL = ("ip dhcp pool LAN", "network 10.0.0.0 255.255.255.0", "default-router 10.0.0.1 10.0.0.2", "lease 0 12 30")


def test_a_pool_becomes_options_in_bytes():
    device = paper(
        *POOL,
        "domain-name lab.example",
        "option 150 ip 10.0.0.5",
        "option 43 hex f104.0a00.0001",
        'option 66 ascii "tftp"',
        "exit",
    )
    [pool] = services(device)["dhcp"]["pools"]
    assert (pool["network"], pool["lease_s"]) == ("10.0.0.0/24", 45000)
    assert pool["options"] == {
        "3": "0a0000010a000002",
        "15": b"lab.example".hex(),
        "150": "0a000005",
        "43": "f1040a000001",
        "66": b"tftp".hex(),
    }


@pytest.mark.parametrize("words", ["10.0.0.0 255.0.0.0", "10.0.0.0 /8", "10.0.0.0", "10.1.2.3 /8"])
def test_a_network_is_stored_with_its_mask_however_it_is_written(words):
    assert lines(paper("ip dhcp pool P", f"network {words}"), "network") == ["network 10.0.0.0 255.0.0.0"]


def test_a_host_pool_needs_a_client_and_has_its_address_for_ever():
    device = paper("ip dhcp pool P", "host 10.0.0.9 255.255.255.0")
    assert "dhcp" not in services(device)
    typed(device, "ip dhcp pool P", "hardware-address 0200.0000.0001")
    [pool] = services(device)["dhcp"]["pools"]
    assert (pool["address"], pool["client"], pool["lease_s"]) == ("10.0.0.9", "01020000000001", None)


def test_exclusions_pings_and_relays_are_the_service_s():
    device = paper(
        *POOL,
        "exit",
        "ip dhcp excluded-address 10.0.0.1",
        "ip dhcp excluded-address 10.0.0.5 10.0.0.9",
        "ip dhcp ping packets 0",
        *LAN,
        "ip helper-address 192.0.2.1",
        "ip helper-address 192.0.2.2",
    )
    service = services(device)["dhcp"]
    assert service["excluded"] == [["10.0.0.1", "10.0.0.1"], ["10.0.0.5", "10.0.0.9"]]
    assert (service["relays"], service["ping_packets"]) == ({"gi0-0": ["192.0.2.1", "192.0.2.2"]}, 0)
    assert "dhcp" not in services(typed(device, "no service dhcp"))


def test_a_range_that_runs_backwards_is_refused():
    assert answer(paper(), "ip dhcp excluded-address 10.0.0.9 10.0.0.1").startswith("% Range start address is greater")


def test_a_subinterface_without_a_vlan_asks_for_no_address_by_dhcp():
    device = paper("interface gi0/0", "no shutdown", "interface gi0/0.10", "ip address dhcp")
    assert "dhcp_client" not in services(device)
    typed(device, "interface gi0/0.10", "encapsulation dot1Q 10", "ip address dhcp")
    assert services(device)["dhcp_client"]["interfaces"][0]["interface"] == "gi0-0.10"


def test_an_address_by_dhcp_takes_the_place_of_others_and_gives_way_to_them():
    device = paper(*LAN, "ip address dhcp")
    assert lines(device, "ip address") == ["ip address dhcp"]
    found = plan(device)
    assert found.services["dhcp_client"]["interfaces"][0]["interface"] == "gi0-0"
    assert "staticd" in found.frr.daemons
    typed(device, "interface gi0/0", "ip address 10.0.0.1 255.255.255.0")
    assert lines(device, "ip address") == ["ip address 10.0.0.1 255.255.255.0"]
    typed(device, "interface gi0/0", "ip address dhcp", "no ip address dhcp")
    assert lines(device, "ip address", "no ip address")[0] == "no ip address"


# ---- IP SLA and tracking ----


SLA = (
    "ip sla 1",
    "icmp-echo 10.0.0.2 source-ip 10.0.0.1",
    "frequency 5",
    "exit",
    "ip sla schedule 1 life forever start-time now",
)


def test_an_operation_has_the_defaults_of_ios_and_runs_when_it_is_scheduled():
    [operation] = services(paper(*SLA))["sla"]["operations"]
    assert (operation["target"], operation["source"], operation["frequency_s"]) == ("10.0.0.2", "10.0.0.1", 5)
    assert (operation["timeout_ms"], operation["threshold_ms"], operation["scheduled"], operation["life_s"]) == (
        5000,
        5000,
        True,
        None,
    )
    [idle] = services(paper(*SLA[:4]))["sla"]["operations"]
    assert idle["scheduled"] is False
    later = services(paper(*SLA[:4], "ip sla schedule 1 start-time after 0:01:30"))["sla"]["operations"][0]
    assert (later["start_s"], later["life_s"]) == (90, 3600)


def test_times_that_do_not_fit_each_other_are_refused():
    device = paper("ip sla 1", "icmp-echo 10.0.0.2")
    assert (
        answer(device, "ip sla 1", "timeout 1000") == "%Illegal Value: Cannot set Timeout to be less than Threshold\n"
    )
    assert answer(device, "ip sla 1", "frequency 2") == "%Illegal Value: Cannot set Frequency to be less than Timeout\n"
    assert "% Invalid input" in answer(paper(), "ip sla 2", "frequency 5")
    assert answer(paper(), "ip sla schedule 3 start-time now") == "%Entry not configured\n"


def test_an_operation_that_is_deleted_takes_its_schedule_along():
    device = typed(paper(*SLA), "no ip sla 1")
    assert lines(device, "ip sla") == []
    assert "sla" not in services(device)


def test_schedules_stand_behind_their_operations():
    device = paper(*SLA, "ip sla 2", "icmp-echo 10.0.0.3", "exit", "ip sla schedule 2 start-time now life forever")
    assert lines(device, "ip sla") == [
        "ip sla 1",
        "ip sla schedule 1 life forever start-time now",
        "ip sla 2",
        "ip sla schedule 2 life forever start-time now",
    ]


def test_tracked_objects_of_every_kind():
    device = paper(
        *SLA,
        "track 1 ip sla 1 reachability",
        "delay down 10 up 5",
        "track 2 interface gi0/1 line-protocol",
        "track 3 ip route 10.9.0.0 255.255.0.0 reachability",
        "track 4 list boolean or",
        "object 1",
        "object 2 not",
    )
    tracks = services(device)["sla"]["tracks"]
    assert [(track["number"], track["kind"]) for track in tracks] == [
        (1, "sla"),
        (2, "link"),
        (3, "route"),
        (4, "list"),
    ]
    assert (tracks[0]["delay_up_s"], tracks[0]["delay_down_s"]) == (5, 10)
    assert (tracks[2]["prefix"], tracks[3]["objects"]) == ("10.9.0.0/16", [[1, False, 1], [2, True, 1]])


def test_a_list_may_count_weights_or_a_share():
    device = paper(
        "track 5 list threshold weight",
        "object 1 weight 20",
        "object 2 weight 10",
        "threshold weight up 20 down 10",
        "track 6 list threshold percentage",
        "object 1",
        "object 2",
        "threshold percentage up 60",
        "track 7 ip route 10.9.0.0/16 reachability",
    )
    weights, share, route = services(device)["sla"]["tracks"]
    assert (weights["what"], weights["up"], weights["down"]) == ("weight", 20, 10)
    assert weights["objects"] == [[1, False, 20], [2, False, 10]]
    assert (share["what"], share["up"], share["down"]) == ("percentage", 60, 59)
    assert route["prefix"] == "10.9.0.0/16"
    assert lines(device, "track 7") == ["track 7 ip route 10.9.0.0 255.255.0.0 reachability"]
    assert "% Invalid input" in answer(device, "track 6", "threshold weight up 5")


def test_an_object_is_changed_by_deleting_it_first_and_entered_again_by_its_number():
    device = paper("track 1 interface gi0/1 line-protocol")
    assert answer(device, "track 1 ip sla 5") == "% Cannot change tracked object 1 - delete old config first\n"
    typed(device, "track 1", "delay up 3")
    assert services(device)["sla"]["tracks"][0]["delay_up_s"] == 3
    assert answer(device, "track 9") == "% Incomplete command.\n"
    assert "% Invalid input" in answer(device, "track 1", "object 5")
    typed(device, "no track 1")
    assert lines(device, "track") == []


def test_a_tracked_route_is_the_service_s_to_install_and_not_the_plan_s():
    device = paper(
        *SLA,
        "track 1 ip sla 1",
        "exit",
        "ip route 0.0.0.0 0.0.0.0 10.0.0.2 5 track 1",
        "ip route 10.9.0.0 255.255.0.0 10.0.0.3",
    )
    found = plan(device)
    assert [line.path for line in found.frr.of("staticd")] == [("ip route 10.9.0.0/16 10.0.0.3",)]
    [route] = found.services["sla"]["routes"]
    assert (route["track"], route["up"], route["down"]) == (
        1,
        "ip route 0.0.0.0/0 10.0.0.2 5",
        "no ip route 0.0.0.0/0 10.0.0.2 5",
    )


def test_a_running_config_with_all_of_it_is_read_back_byte_for_byte():
    device = paper(
        *POOL,
        "exit",
        *SLA,
        "track 1 ip sla 1",
        "exit",
        *LAN,
        "no shutdown",
        "standby version 2",
        "standby 500 ip 10.0.0.254",
        "standby 500 track 1 decrement 20",
        "vrrp 3 ip 10.0.0.253",
        "no vrrp 3 preempt",
        "interface gi0/1",
        "ip address dhcp",
        "ip helper-address 192.0.2.9",
    )
    text = render(device.config)
    assert render(paper(startup=text).config) == text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(65, "00:01:05"), (90_000, "1d01h"), (700_000, "1w1d"), (40_000_000, "1y14w"), (86_399.9, "23:59:59")],
)
def test_spans_of_time_are_written_as_ios_does(seconds, words):
    assert elapsed(seconds) == words


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((*LAN, "standby 1 preempt delay"), "% Incomplete command."),
        ((*LAN, "standby 1 ip 224.0.0.1"), "% Invalid IP address"),
        ((*LAN, "vrrp 1 ip 0.0.0.0"), "% Invalid IP address"),
        (("track 1 interface gi0/0 line-protocol", "delay"), "% Incomplete command."),
        (("ip sla 1", "icmp-echo 10.0.0.2", "ip sla schedule 1"), "% Incomplete command."),
    ],
)
def test_lines_that_say_too_little_or_nonsense_are_refused(lines, words):
    assert answer(paper(), *lines) == f"{words}\n"


def test_a_reserved_address_is_for_its_client_alone():
    device = paper(
        *POOL, "address 10.0.0.9 client-id 01aa.bbcc.ddee.ff", "address 10.0.0.8 hardware-address 0200.0000.0001"
    )
    service = services(device)["dhcp"]
    made = Leases()
    made.take_over([Pool.read(pool) for pool in service["pools"]], service["excluded"])
    for client, mac, address in (
        (bytes.fromhex("01aabbccddeeff"), bytes(6), "10.0.0.9"),
        (b"\x01\x02\0\0\0\0\x01", b"\x02\0\0\0\0\x01", "10.0.0.8"),
        (b"someone", bytes(6), "10.0.0.1"),
    ):
        assert made.choose(made.pool_for(client, mac, "10.0.0.1"), client, "10.0.0.9", 0.0) == address
    assert made.options(made.pools[0]) == made.options(made.pools[-1])


@pytest.mark.parametrize("line", ["track 2 rtr 1 reachability", "track 2 ip sla 1 reachability"])
def test_the_old_word_for_an_operation_is_stored_as_the_new_one(line):
    assert lines(paper(line), "track") == ["track 2 ip sla 1 reachability"]
