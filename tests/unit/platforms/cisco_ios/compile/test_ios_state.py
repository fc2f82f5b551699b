"""Changes from one desired state to the next: the commands for FRR, nft and ip."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.apply import links, nft
from pytest_netbench.platforms.cisco_ios.apply.frr import difference
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.compile.state import ACL_IN, FORWARD, FrrState, Link, NftState
from tests.support.ios import paper


def frr(*paths: tuple[str, ...], **keys: str) -> FrrState:
    plan = FrrState()
    for path in paths:
        plan.add("bgpd", *path, key=keys.get(path[-1].split()[-1], ""))
    return plan


def test_only_what_changed_is_said_and_removals_come_first():
    old = frr(("router bgp 1",), ("router bgp 1", "network 10.0.0.0/8"), ("router bgp 1", "timers bgp 1 3"))
    new = frr(("router bgp 1",), ("router bgp 1", "network 11.0.0.0/8"), ("router bgp 1", "timers bgp 1 3"))
    assert list(difference(old.of("bgpd"), new.of("bgpd"))) == [
        (("router bgp 1",), "no network 10.0.0.0/8"),
        (("router bgp 1",), "network 11.0.0.0/8"),
    ]


def test_a_section_that_goes_takes_its_lines_with_it():
    old = frr(("router bgp 1",), ("router bgp 1", "network 10.0.0.0/8"))
    assert list(difference(old.of("bgpd"), [])) == [((), "no router bgp 1")]


def test_a_line_with_a_key_is_replaced_without_being_taken_back():
    one, two = FrrState(), FrrState()
    one.add("bgpd", "router bgp 1", "neighbor 1.1.1.1 remote-as 2", key="neighbor 1.1.1.1")
    two.add("bgpd", "router bgp 1", "neighbor 1.1.1.1 remote-as 3", key="neighbor 1.1.1.1")
    assert list(difference(one.of("bgpd"), two.of("bgpd"))) == [(("router bgp 1",), "neighbor 1.1.1.1 remote-as 3")]


def test_nothing_is_said_twice():
    plan = frr(("router bgp 1",), ("router bgp 1", "network 10.0.0.0/8"))
    assert list(difference(plan.of("bgpd"), plan.of("bgpd"))) == []


def test_a_ruleset_keeps_the_values_of_its_counters():
    plan = NftState()
    plan.rule(ACL_IN, f"ip saddr 10.0.0.1 {plan.counter('inet', 'one')} drop")
    plan.rule(FORWARD, "accept")
    text = nft.text(plan, {("inet", "one"): (7, 700)})
    assert "counter one { packets 7 bytes 700 }" in text
    assert text.index("chain acl_in") < text.index("chain forward_zone")
    assert f"type filter hook prerouting priority {ACL_IN.priority}; policy accept;" in text


def test_a_new_primary_address_is_the_first_that_the_kernel_has():
    old = {"gi0-0": Link(addresses=("10.0.0.1/24", "10.0.1.1/24"))}
    new = {"gi0-0": Link(addresses=("10.0.2.1/24", "10.0.1.1/24", "2001:db8::1/64"))}
    lines = [line for _, line in links._changed(old, new, {})]
    assert lines[:2] == ["addr del 10.0.1.1/24 dev gi0-0", "addr del 10.0.0.1/24 dev gi0-0"]
    assert lines[2] == "addr add 10.0.2.1/24 dev gi0-0 brd +"


def test_the_same_config_compiles_to_the_same_state():
    lines = ("interface gi0/0", "ip address 10.0.0.1 255.255.255.0", "no shutdown", "ip route 0.0.0.0 0.0.0.0 10.0.0.2")
    one, two = (compile_state(device.grammar, device.config, device.facts) for device in (paper(*lines), paper(*lines)))
    assert one == two


def test_addresses_go_to_links_and_routes_to_frr():
    device = paper(
        "interface gi0/0",
        "ip address 10.0.0.1 255.255.255.0",
        "ipv6 address 2001:db8::1/64",
        "no shutdown",
        "interface loopback 0",
        "ip address 1.1.1.1 255.255.255.255",
        "ip route 0.0.0.0 0.0.0.0 gi0/0 10.0.0.2 5",
    )
    plan = compile_state(device.grammar, device.config, device.facts)
    assert plan.links["gi0-0"].addresses == ("10.0.0.1/24", "fe80::/64 eui-64", "2001:db8::1/64")
    assert (plan.links["gi0-0"].up, plan.links["gi0-1"].up) == (True, False)
    assert plan.links["lo0"].kind == "loopback"
    assert [line.path[-1] for line in plan.frr.of("staticd")] == ["ip route 0.0.0.0/0 10.0.0.2 gi0-0 5"]


def test_what_is_accepted_without_effect_is_listed():
    device = paper("interface gi0/0", "duplex full", "ntp server 10.0.0.9")
    listed = dict(compile_state(device.grammar, device.config, device.facts).unsupported)
    assert listed["duplex full"]
    assert "clock" in listed["ntp server 10.0.0.9"]
