"""BGP lines: what can be typed, how it is stored, and its compilation for FRR."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

PEER = ("router bgp 65001", "neighbor 10.0.0.2 remote-as 65002")


def bgp_lines(device):
    """Return the lines of ``router bgp`` in the running config."""
    text = device.running_config()
    start = text.index("router bgp")
    return [line for line in text[start : text.index("\n!\n", start)].splitlines()[1:] if line.strip() != "!"]


def told(device, daemon="bgpd"):
    """Return FRR's lines without the lines of their sections."""
    return [line.path[-1] for line in compile_state(device.grammar, device.config, device.facts).frr.of(daemon)]


def typed(device, *lines):
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in lines]


def test_networks_are_printed_without_the_mask_that_their_class_has():
    device = paper(
        "router bgp 1",
        "network 10.1.2.3 mask 255.255.255.0",
        "network 172.16.0.0 mask 255.255.0.0",
        "network 192.168.7.0",
    )
    assert bgp_lines(device)[1:] == [
        " network 10.1.2.0 mask 255.255.255.0",
        " network 172.16.0.0",
        " network 192.168.7.0",
    ]
    assert {"network 10.1.2.0/24", "network 172.16.0.0/16", "network 192.168.7.0/24"} <= set(told(device))


def test_a_network_is_removed_however_it_was_typed():
    device = paper("router bgp 1", "network 172.16.0.0", "no network 172.16.0.0 mask 255.255.0.0")
    assert "network" not in "".join(bgp_lines(device))


@pytest.mark.parametrize(
    "line", ["neighbor 10.0.0.9 weight 5", "neighbor 10.0.0.9 activate", "neighbor GROUP next-hop-self"]
)
def test_nothing_is_said_of_a_neighbor_before_its_as(line):
    assert (
        typed(paper("router bgp 1"), "router bgp 1", line)[-1] == "% Specify remote-as or peer-group commands first\n"
    )


def test_a_router_is_no_neighbor_of_itself():
    device = paper("interface gi0/0", "ip address 10.0.0.1 255.255.255.0")
    assert (
        typed(device, "router bgp 1", "neighbor 10.0.0.1 remote-as 2")[-1]
        == "% Cannot configure the local system as neighbor\n"
    )


def test_there_is_one_process():
    assert typed(paper("router bgp 1"), "router bgp 2")[-1] == "BGP is already running; AS is 1\n"


def test_a_neighbor_goes_with_all_of_its_lines():
    device = paper(
        *PEER, "neighbor 10.0.0.2 weight 5", "neighbor 10.0.0.2 description x", "no neighbor 10.0.0.2 remote-as 65002"
    )
    assert bgp_lines(device) == [" bgp log-neighbor-changes"]


def test_the_first_family_takes_the_lines_about_ipv4_along():
    device = paper(*PEER, "neighbor 10.0.0.2 route-map X in", "network 10.0.0.0", "address-family ipv6")
    assert bgp_lines(device) == [
        " bgp log-neighbor-changes",
        " neighbor 10.0.0.2 remote-as 65002",
        " address-family ipv4",
        "  network 10.0.0.0",
        "  neighbor 10.0.0.2 activate",
        "  neighbor 10.0.0.2 route-map X in",
        " exit-address-family",
        " address-family ipv6",
        " exit-address-family",
    ]


def test_lines_about_routes_typed_at_the_process_go_into_its_family():
    device = paper(*PEER, "address-family ipv4", "exit-address-family", "neighbor 10.0.0.2 weight 7", "network 9.0.0.0")
    assert "  neighbor 10.0.0.2 weight 7" in bgp_lines(device)
    assert "  network 9.0.0.0" in bgp_lines(device)


def test_without_the_default_a_neighbor_is_inactive_until_it_is_activated():
    device = paper("router bgp 1", "no bgp default ipv4-unicast", "neighbor 10.0.0.2 remote-as 2")
    assert "neighbor 10.0.0.2 activate" not in told(device)
    typed(device, "router bgp 1", "address-family ipv4", "neighbor 10.0.0.2 activate")
    assert "neighbor 10.0.0.2 activate" in told(device)


def test_a_neighbor_may_be_taken_out_of_ipv4():
    device = paper(*PEER, "no neighbor 10.0.0.2 activate")
    assert " no neighbor 10.0.0.2 activate" in bgp_lines(device)
    assert "neighbor 10.0.0.2 activate" not in told(device)
    typed(device, "router bgp 65001", "neighbor 10.0.0.2 activate")
    assert "activate" not in "".join(bgp_lines(device))


def test_members_have_what_their_group_has_unless_they_say_otherwise():
    device = paper(
        "router bgp 1",
        "neighbor IN peer-group",
        "neighbor IN remote-as 1",
        "neighbor IN update-source loopback0",
        "neighbor IN weight 5",
        "neighbor 10.0.0.2 peer-group IN",
        "neighbor 10.0.0.3 peer-group IN",
        "neighbor 10.0.0.3 weight 9",
    )
    lines = told(device)
    assert {
        "neighbor 10.0.0.2 remote-as 1",
        "neighbor 10.0.0.2 update-source lo0",
        "neighbor 10.0.0.2 weight 5",
    } <= set(lines)
    assert "neighbor 10.0.0.3 weight 9" in lines
    assert "neighbor 10.0.0.3 weight 5" not in lines


def test_a_group_goes_with_its_members():
    device = paper(
        "router bgp 1",
        "neighbor IN peer-group",
        "neighbor IN remote-as 1",
        "neighbor 10.0.0.2 peer-group IN",
        "no neighbor IN peer-group",
    )
    assert bgp_lines(device) == [" bgp log-neighbor-changes"]


def test_a_member_needs_a_group_that_was_made_and_an_as():
    device = paper("router bgp 1", "neighbor EMPTY peer-group")
    answers = typed(device, "router bgp 1", "neighbor 10.0.0.2 peer-group NONE", "neighbor 10.0.0.2 peer-group EMPTY")
    assert answers[1:] == [
        "% Specify the peer-group first\n",
        "% Specify remote-as or peer-group remote AS first\n",
    ]


def test_frr_is_told_what_ios_does_by_default():
    lines = told(paper(*PEER))
    assert {
        "no bgp ebgp-requires-policy",
        "bgp network import-check",
        "maximum-paths 1",
        "distance bgp 20 200 200",
    } <= set(lines)
    assert "no neighbor 10.0.0.2 send-community standard" in lines


def test_passwords_may_be_hidden():
    assert "neighbor 10.0.0.2 password cisco" in told(paper(*PEER, "neighbor 10.0.0.2 password 7 094F471A1A0A"))


def test_a_redistributed_default_route_is_left_out_unless_asked_for():
    device = paper("router bgp 1", "redistribute static")
    assert "redistribute static route-map netbench-bgp-static" in told(device)
    typed(device, "router bgp 1", "default-information originate")
    assert "redistribute static" in told(device)


def test_a_distribute_list_of_the_process_is_one_of_every_neighbor():
    device = paper(*PEER, "ip prefix-list P permit 10.0.0.0/8", "router bgp 65001", "distribute-list prefix P in")
    assert "neighbor 10.0.0.2 prefix-list P in" in told(device)


def test_a_vrf_family_needs_its_vrf():
    device = paper("router bgp 1")
    assert (
        typed(device, "router bgp 1", "address-family ipv4 vrf RED")[-1]
        == "% VRF RED does not exist or does not have a RD.\n"
    )


def test_neighbors_of_a_vrf_are_configured_in_its_family():
    device = paper(
        "ip vrf RED",
        "rd 1:1",
        "router bgp 1",
        "address-family ipv4 vrf RED",
        "neighbor 10.0.0.2 remote-as 2",
        "neighbor 10.0.0.2 activate",
    )
    plan = compile_state(device.grammar, device.config, device.facts)
    paths = [line.path for line in plan.frr.of("bgpd")]
    assert ("router bgp 1 vrf RED", "neighbor 10.0.0.2 remote-as 2") in paths
    assert ("router bgp 1 vrf RED", "address-family ipv4 unicast", "neighbor 10.0.0.2 activate") in paths


def test_an_as_number_may_have_a_dot():
    assert "neighbor 10.0.0.2 remote-as 65546" in told(paper("router bgp 1.5", "neighbor 10.0.0.2 remote-as 1.10"))
    assert "router bgp 65541" in told(paper("router bgp 1.5"))


def test_automatic_summaries_and_synchronization_are_off_until_they_are_typed():
    device = paper("router bgp 1", "no auto-summary", "no synchronization")
    assert [line for line in bgp_lines(device) if "summary" in line or "sync" in line] == []
    typed(device, "router bgp 1", "auto-summary", "synchronization", "address-family ipv4")
    assert [line for line in bgp_lines(device) if "summary" in line or "sync" in line] == [
        "  auto-summary",
        "  synchronization",
    ]
    assert "synchronization" in [
        line for line, _ in compile_state(device.grammar, device.config, device.facts).unsupported
    ]


def test_a_classful_network_with_a_mask_is_one_without():
    device = paper(
        "router bgp 1", "auto-summary", "network 172.16.0.0 mask 255.255.0.0", "network 10.1.0.0 mask 255.255.0.0"
    )
    lines = told(device)
    assert "network 10.1.0.0/16" in lines
    assert "network 172.16.0.0/16" not in lines
    assert any(line.startswith("redistribute ospf") for line in lines)


def test_what_is_switched_off_stays_so_after_a_reload():
    lines = "router bgp 1\n no bgp log-neighbor-changes\n"
    assert bgp_lines(paper(startup=lines)) == [" no bgp log-neighbor-changes"]
    assert bgp_lines(paper(*lines.splitlines(), "bgp log-neighbor-changes")) == [" bgp log-neighbor-changes"]


@pytest.mark.parametrize("word", ["ipv4", "ipv6"])
def test_a_group_made_in_a_family_leaves_the_session_there(word):
    device = paper("router bgp 1")
    session = Session(device)
    for line in ("configure terminal", "router bgp 1", f"address-family {word}", "neighbor IN peer-group"):
        assert session.enter(line) == ""
    assert session.prompt == "R1(config-router-af)#"
    assert " neighbor IN peer-group" in bgp_lines(device)
    assert session.enter("no neighbor IN peer-group") == ""
    assert session.prompt == "R1(config-router-af)#"
    assert not any("IN" in line for line in bgp_lines(device))


def test_a_network_is_taken_back_by_its_whole_prefix():
    device = paper("router bgp 1", "network 172.18.0.0", "network 172.18.0.0 mask 255.255.255.0")
    typed(device, "router bgp 1", "no network 172.18.0.0 mask 255.255.0.0")
    assert [line for line in bgp_lines(device) if "network" in line] == [" network 172.18.0.0 mask 255.255.255.0"]
    typed(device, "router bgp 1", "no network 172.18.0.0")
    assert [line for line in bgp_lines(device) if "network" in line] == [" network 172.18.0.0 mask 255.255.255.0"]
    typed(device, "router bgp 1", "no network 172.18.0.0 mask 255.255.255.0")
    assert not [line for line in bgp_lines(device) if "network" in line]


def test_what_a_neighbor_says_of_an_own_aggregate_is_not_heard_and_the_rest_goes_on_to_its_route_map():
    own = ("aggregate-address 10.0.0.0 255.0.0.0", "neighbor 10.0.0.2 route-map IN in")
    device = paper("route-map IN permit 10", "set weight 7", "exit", *PEER, *own)
    lines = told(device)
    assert "ip prefix-list netbench-aggregates-ipv4 seq 1 permit 10.0.0.0/8" in lines
    assert "neighbor 10.0.0.2 route-map netbench-aggregates-ipv4-IN in" in lines
    assert {"match ip address prefix-list netbench-aggregates-ipv4", "call IN"} <= set(lines)
    typed(device, "router bgp 65001", "no aggregate-address 10.0.0.0 255.0.0.0")
    assert "neighbor 10.0.0.2 route-map IN in" in told(device)


def test_no_activate_of_an_unknown_neighbor_is_not_stored():
    process = ("router bgp 65001", "neighbor 10.0.0.2 remote-as 65002")
    without = paper(*process).running_config()
    assert paper(*process, "no neighbor 10.0.0.3 activate").running_config() == without
    assert "no neighbor 10.0.0.2 activate" in paper(*process, "no neighbor 10.0.0.2 activate").running_config()


def test_a_neighbor_that_leaves_its_group_in_a_family_is_not_active_there():
    process = ("router bgp 65001", "neighbor G peer-group", "neighbor 10.0.0.2 remote-as 65002", "address-family ipv6")
    without = paper(*process).running_config()
    member = "neighbor 10.0.0.2 peer-group G"
    assert paper(*process, member).running_config() != without
    assert paper(*process, member, f"no {member}").running_config() == without
