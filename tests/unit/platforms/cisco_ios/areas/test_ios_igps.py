"""Compilation of OSPF, RIP, EIGRP, IS-IS and static lines."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

UP = ("interface gi0/0", "ip address 10.1.2.1 255.255.255.0", "no shutdown", "exit")
OTHER = ("interface gi0/1", "ip address 172.16.5.1 255.255.255.0", "no shutdown", "exit")


def lines(device, daemon, section=""):
    plan = compile_state(device.grammar, device.config, device.facts)
    return [line.path[-1] for line in plan.frr.of(daemon) if line.path[:-1] == ((section,) if section else ())]


def says(device, line):
    session = Session(device)
    session.enter("configure terminal")
    *above, last = line
    for one in above:
        session.enter(one)
    return session.enter(last).strip().splitlines()[-1]


def running(device, opening):
    text = device.running_config().splitlines()
    start = text.index(opening)
    end = next(at for at in range(start + 1, len(text)) if not text[at].startswith(" "))
    return [line.strip() for line in text[start + 1 : end]]


# -- OSPF ------------------------------------------------------------------------------------------------------------


def test_the_most_specific_network_statement_gives_the_area():
    device = paper(*UP, "router ospf 1", "network 10.0.0.0 0.255.255.255 area 0", "network 10.1.2.0 0.0.0.255 area 7")
    assert "ip ospf area 0.0.0.7" in lines(device, "ospfd", "interface gi0-0")


def test_an_interface_line_beats_network_statements():
    device = paper(*UP, "router ospf 1", "network 10.0.0.0 0.255.255.255 area 0", "interface gi0/0", "ip ospf 1 area 5")
    assert "ip ospf area 0.0.0.5" in lines(device, "ospfd", "interface gi0-0")


def test_an_interface_that_names_a_process_brings_it_into_being():
    device = paper(*UP, "interface gi0/0", "ip ospf 12 area 0")
    assert "router ospf 12" in device.running_config()


def test_a_process_that_goes_takes_its_interfaces_along():
    device = paper(*UP, "interface gi0/0", "ip ospf 12 area 0", "ip ospf cost 3", "no router ospf 12")
    assert "ospf 12" not in device.running_config()
    assert " ip ospf cost 3\n" in device.running_config()


def test_a_saved_process_of_a_vrf_that_an_interface_names_before_comes_back():
    saved = paper(
        "ip vrf RED",
        "router ospf 5 vrf RED",
        "router ospf 7",
        "interface gi0/0",
        "ip vrf forwarding RED",
        "ip ospf 5 area 0",
    ).running_config()
    assert "router ospf 5 vrf RED\n" in saved
    assert paper(startup=saved).running_config() == saved


def test_an_interface_outside_its_process_is_listed_as_without_effect():
    device = paper("ip vrf RED", "router ospf 5 vrf RED", *UP, "interface gi0/0", "ip ospf 5 area 0")
    unsupported = compile_state(device.grammar, device.config, device.facts).unsupported
    assert unsupported == [("ip ospf 5 area 0", "GigabitEthernet0/0 is in no VRF in which there is such a process")]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("network 10.1.2.1 0.0.0.255 area 0", "network 10.1.2.0 0.0.0.255 area 0"),
        ("network 10.1.2.1 255.255.255.0 area 0", "network 10.1.2.0 0.0.0.255 area 0"),
        ("network 10.1.2.1 0.0.0.0 area 0.0.0.1", "network 10.1.2.1 0.0.0.0 area 0.0.0.1"),
    ],
)
def test_network_statements_lose_host_bits_and_masks_become_wildcards(typed, kept):
    assert running(paper(*UP, "router ospf 1", typed), "router ospf 1") == [kept]


@pytest.mark.parametrize(
    ("interface", "extra", "cost"),
    [
        ("gi0/0", (), 1),
        ("gi0/0", ("bandwidth 10000",), 10),
        ("gi0/0", ("ip ospf cost 77",), 77),
        ("serial0/0/0", (), 64),
        ("loopback0", (), 1),
    ],
)
def test_costs_are_those_of_ios(interface, extra, cost):
    device = paper(
        "router ospf 1",
        "network 0.0.0.0 255.255.255.255 area 0",
        f"interface {interface}",
        "ip address 10.9.9.1 255.255.255.0",
        "no shutdown",
        *extra,
        interfaces=("Gi0/0", "Serial0/0/0"),
    )
    name = {"gi0/0": "gi0-0", "serial0/0/0": "se0-0-0", "loopback0": "lo0"}[interface]
    assert f"ip ospf cost {cost}" in lines(device, "ospfd", f"interface {name}")


def test_the_reference_bandwidth_scales_all_costs_but_those_of_loopbacks():
    device = paper(
        *UP,
        "interface lo0",
        "ip address 1.1.1.1 255.255.255.255",
        "router ospf 1",
        "auto-cost reference-bandwidth 10000",
        "network 0.0.0.0 255.255.255.255 area 0",
    )
    assert "ip ospf cost 10" in lines(device, "ospfd", "interface gi0-0")
    assert "ip ospf cost 1" in lines(device, "ospfd", "interface lo0")


def test_dead_intervals_follow_hellos_unless_they_are_configured():
    device = paper(
        *UP, "interface gi0/0", "ip ospf hello-interval 3", "router ospf 1", "network 10.0.0.0 0.255.255.255 area 0"
    )
    assert "ip ospf dead-interval 12" in lines(device, "ospfd", "interface gi0-0")


def test_serial_lines_are_point_to_point():
    device = paper(
        "interface serial0/0/0",
        "ip address 10.0.0.1 255.255.255.252",
        "no shutdown",
        "ip ospf 1 area 0",
        interfaces=("Serial0/0/0",),
    )
    assert "ip ospf network point-to-point" in lines(device, "ospfd", "interface se0-0-0")


def test_the_highest_loopback_is_the_router_id():
    device = paper(
        *UP,
        "interface lo0",
        "ip address 1.1.1.1 255.255.255.255",
        "interface lo1",
        "ip address 2.2.2.2 255.255.255.255",
        "router ospf 1",
    )
    assert "ospf router-id 2.2.2.2" in lines(device, "ospfd", "router ospf")


def test_a_router_id_once_chosen_stays():
    device = paper(*UP, "router ospf 1")
    device.live["chosen"] = compile_state(device.grammar, device.config, device.facts).chosen
    session = Session(device)
    for line in ("configure terminal", "interface lo9", "ip address 9.9.9.9 255.255.255.255"):
        session.enter(line)
    assert "ospf router-id 10.1.2.1" in lines(device, "ospfd", "router ospf")


def test_passive_by_default_keeps_exceptions_and_forgets_them_without():
    device = paper(
        *UP, "router ospf 1", "passive-interface gi0/1", "passive-interface default", "no passive-interface gi0/0"
    )
    assert running(device, "router ospf 1") == ["passive-interface default", "no passive-interface GigabitEthernet0/0"]
    session = Session(device)
    for line in ("configure terminal", "router ospf 1", "no passive-interface default"):
        assert not session.enter(line)
    assert running(device, "router ospf 1") == []


def test_options_of_a_virtual_link_add_up_and_go_one_by_one():
    link = "area 1 virtual-link 2.2.2.2"
    device = paper("router ospf 1", link, f"{link} hello-interval 5", f"{link} authentication message-digest")
    assert running(device, "router ospf 1") == [f"{link} authentication message-digest hello-interval 5"]
    session = Session(device)
    for line in ("configure terminal", "router ospf 1", f"no {link} hello-interval 5"):
        assert not session.enter(line)
    assert running(device, "router ospf 1") == [f"{link} authentication message-digest"]


def test_redistribution_without_subnets_is_held_to_whole_classes():
    device = paper(*UP, "router ospf 1", "redistribute static metric 5")
    assert "redistribute static metric 5 metric-type 2 route-map netbench-ospf-static" in lines(
        device, "ospfd", "router ospf"
    )
    assert "match ip address prefix-list netbench-classful" in lines(
        device, "ospfd", "route-map netbench-ospf-static permit 1000"
    )


def test_taking_an_option_of_a_redistribution_away_keeps_the_rest():
    device = paper("router ospf 1", "redistribute static metric 5 subnets", "no redistribute static metric 5")
    assert running(device, "router ospf 1") == ["redistribute static subnets"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (
            ("router ospf 1", "exit", "router ospf 2"),
            "% OSPF: process 1 runs already, and this device runs one process in each VRF",
        ),
        (("router ospf 1", "area 0 stub"), "% OSPF: Backbone can not be configured as stub area"),
        (("router ospf 1", "area 1 nssa", "area 1 stub"), "% OSPF: Area cannot be stub as it is configured as NSSA"),
        (
            ("router ospf 1", "area 1 stub", "area 1 virtual-link 1.1.1.1"),
            "% OSPF: Area is a stub or NSSA so virtual links are not allowed",
        ),
        (
            ("router ospf 1", "network 10.0.0.0 0.255.0.255 area 0"),
            "%OSPF: Invalid address/mask combination (discontiguous mask)",
        ),
        (("ipv6 router ospf 1",), "% IPv6 routing not enabled"),
        (("ip route 10.0.0.1 255.0.0.0 10.1.1.1",), "%Inconsistent address and mask"),
        (("ipv6 route 2001:db8::/32 fe80::1",), "% Interface has to be specified for a link-local nexthop"),
    ],
)
def test_what_cannot_be_is_refused_in_words(typed, words):
    assert says(paper(), typed) == words


def test_a_next_hop_of_ones_own_is_refused():
    assert (
        says(paper(*UP), ("ip route 10.9.0.0 255.255.0.0 10.1.2.1",)) == "%Invalid next hop address (it's this router)"
    )


# -- the others ------------------------------------------------------------------------------------------------------


def test_networks_of_rip_are_classful():
    device = paper(*UP, *OTHER, "router rip", "network 10.1.2.3")
    assert running(device, "router rip") == ["network 10.0.0.0"]
    assert "network gi0-0" in lines(device, "ripd", "router rip")
    assert "network gi0-1" not in lines(device, "ripd", "router rip")


def test_rip_without_a_version_sends_the_old_one_and_hears_both():
    device = paper(*UP, "router rip", "network 10.0.0.0")
    assert lines(device, "ripd", "interface gi0-0") == ["ip rip send version 1", "ip rip receive version 1 2"]


def test_rip_summarizes_at_the_border_of_a_class_unless_told_not_to():
    base = (*UP, *OTHER, "router rip", "version 2", "network 10.0.0.0", "network 172.16.0.0")
    border = lines(paper(*base), "ripd", "router rip")
    assert {"route 10.0.0.0/8", "route 172.16.0.0/16", "distribute-list prefix netbench-rip-gi0-0 out gi0-0"} <= set(
        border
    )
    assert "route 10.0.0.0/8" not in lines(paper(*base, "no auto-summary"), "ripd", "router rip")


def test_rip_is_told_of_another_protocol_only_with_a_metric():
    base = (*UP, "router rip", "version 2", "network 10.0.0.0")
    assert "redistribute ospf metric 1" not in lines(paper(*base, "redistribute ospf 1"), "ripd", "router rip")
    assert "redistribute ospf metric 3" in lines(paper(*base, "redistribute ospf 1 metric 3"), "ripd", "router rip")
    assert "redistribute static metric 1" in lines(paper(*base, "redistribute static"), "ripd", "router rip")


def test_eigrp_takes_part_where_a_network_matches_and_computes_with_bandwidth_and_delay():
    device = paper(
        *UP,
        *OTHER,
        "interface gi0/0",
        "bandwidth 1544",
        "delay 2000",
        "router eigrp 9",
        "network 10.1.2.0 0.0.0.255",
        "passive-interface default",
        "no passive-interface gi0/0",
    )
    config = compile_state(device.grammar, device.config, device.facts).services["eigrp"]
    assert [(i["name"], i["passive"], i["bandwidth"], i["delay"]) for i in config["interfaces"]] == [
        ("gi0-0", False, 1544, 2000)
    ]


def test_isis_uses_narrow_metrics_and_both_levels_until_told_otherwise():
    device = paper(*UP, "interface gi0/0", "ip router isis", "router isis", "net 49.0001.0000.0000.0001.00")
    assert {"is-type level-1-2", "metric-style narrow"} <= set(lines(device, "isisd", "router isis isis"))
    assert "ip router isis isis" in lines(device, "isisd", "interface gi0-0")


def test_ospf_for_ipv6_runs_where_interfaces_say():
    device = paper("ipv6 unicast-routing", *UP, "interface gi0/0", "ipv6 address 2001:db8::1/64", "ipv6 ospf 3 area 1")
    assert "ipv6 router ospf 3" in device.running_config()
    assert "ipv6 ospf6 area 0.0.0.1" in lines(device, "ospf6d", "interface gi0-0")


def test_static_routes_say_next_hop_before_interface_to_frr():
    device = paper("ip route 10.5.0.0 255.255.0.0 gi0/1 10.1.1.1 200 name spare", "ipv6 route ::/0 gi0/1 fe80::1")
    assert lines(device, "staticd") == ["ip route 10.5.0.0/16 10.1.1.1 gi0-1 200", "ipv6 route ::/0 fe80::1 gi0-1"]


@pytest.mark.parametrize("opening", ["router ospf 1", "router rip", "router eigrp 1", "router isis"])
def test_a_process_with_nothing_in_it_asks_for_nothing_impossible(opening):
    device = paper(opening)
    compile_state(device.grammar, device.config, device.facts)
    assert opening in device.running_config()


def test_an_option_of_redistribution_goes_as_a_whole_whatever_it_said():
    device = paper(
        "router isis",
        "redistribute static metric-type internal metric 5",
        "no redistribute static metric-type external route-map X",
    )
    assert " redistribute static metric 5\n" in device.running_config()


def test_interfaces_leave_a_process_of_ripng_that_goes():
    device = paper(
        "ipv6 unicast-routing",
        "interface gi0/0",
        "ipv6 rip NET enable",
        "ipv6 rip NET default-information only",
        "no ipv6 router rip NET",
    )
    assert "rip NET" not in device.running_config()


def test_eigrp_refuses_distribute_lists_because_its_service_has_none():
    session = Session(paper("router eigrp 100", "network 10.0.0.0"))
    said = [session.enter(line) for line in ("configure terminal", "router eigrp 100", "distribute-list 1 in")]
    assert "% Invalid input" in said[-1]


def test_no_area_asks_for_frrs_eigrp_daemon():
    device = paper("access-list 1 permit any", "router eigrp 100", "network 10.0.0.0", "passive-interface default")
    assert "eigrpd" not in compile_state(device.grammar, device.config, device.facts).frr.daemons


def test_nets_of_a_process_have_one_system_id():
    """The message is that of IOS in the error patterns of Cisco's unicon (``%CLNS: System ID``)."""
    device = paper("router isis", "net 49.0001.0000.0000.0001.00")
    session = Session(device)
    session.enter("configure terminal")
    session.enter("router isis")
    assert session.enter("net 49.0002.0000.0000.0001.00") == ""
    refused = session.enter("net 49.0003.0000.0000.0002.00")
    assert refused == "%CLNS: System ID (0000.0000.0001) must not change when defining additional area addresses\n"
    session.enter("no net 49.0001.0000.0000.0001.00")
    session.enter("no net 49.0002.0000.0000.0001.00")
    assert session.enter("net 49.0003.0000.0000.0002.00") == ""
