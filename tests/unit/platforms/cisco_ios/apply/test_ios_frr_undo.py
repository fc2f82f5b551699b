"""Which lines daemons are told when the desired state changes: what removes a line, and what replaces it."""

from __future__ import annotations

from dataclasses import replace

from pytest_netbench.platforms.cisco_ios.apply import frr
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import PaperDevice, Session, paper

_BGP = ("router bgp 65001", "neighbor 10.0.0.2 remote-as 65002")


def _told(before: PaperDevice, after: PaperDevice, daemon: str) -> list[str]:
    old, new = (compile_state(one.grammar, one.config, one.facts).frr.of(daemon) for one in (before, after))
    return [line for _, line in frr.difference(old, new)]


def test_a_line_that_says_no_is_removed_by_the_line_without_it():
    after = paper(*_BGP)
    for typed, undo in (
        ("no bgp fast-external-fallover", "bgp fast-external-failover"),
        ("no bgp client-to-client reflection", "bgp client-to-client reflection"),
    ):
        before = paper(*_BGP, typed)
        assert _told(before, after, "bgpd") == [undo]
        assert _told(after, before, "bgpd") == [f"no {undo}"]


def test_no_line_of_a_daemon_is_removed_by_no_no():
    lines = ["no bgp fast-external-fallover", "no bgp client-to-client reflection", "neighbor 10.0.0.2 send-community"]
    lines += ["router ospf 1", "no compatible rfc1583", "network 10.0.0.0 0.0.0.255 area 0"]
    lines += [
        "interface Gi0/0",
        "ip address 10.0.0.1 255.255.255.0",
        "no ip split-horizon",
        "router rip",
        "network 10.0.0.0",
    ]
    before = paper("interface Gi0/0", "ip address 10.0.0.1 255.255.255.0", *_BGP, *lines)
    for daemon in ("bgpd", "ospfd", "ripd", "zebra"):
        assert not [line for line in _told(before, paper(), daemon) if line.startswith("no no ")]


def test_ospf_filters_no_routes_of_a_source_that_ospfd_does_not_redistribute():
    config = ("access-list 1 permit any", "router ospf 1", "redistribute ospf 2 subnets", "redistribute static subnets")
    told = _told(paper(*config), paper(*config, "distribute-list 1 out"), "ospfd")
    assert [line.split(" out ")[1] for line in told if " out " in line] == ["static", "connected"]


def test_the_filter_of_a_redistribution_names_the_source_as_the_redistribution_does():
    config = ("access-list 1 permit any", "router ospf 1", "redistribute eigrp 5 subnets")
    told = _told(paper(*config), paper(*config, "distribute-list 1 out eigrp 5"), "ospfd")
    assert [line.split(" out ")[1] for line in told if " out " in line] == ["kernel"]


def test_an_external_neighbor_is_no_client_of_a_route_reflector_for_bgpd():
    """A reflector reflects between its internal neighbors only (RFC 4456, section 6); bgpd refuses the line."""
    asked = ("neighbor 10.0.0.2 remote-as 65002", "neighbor 10.0.0.3 remote-as 65001")
    clients = (f"neighbor 10.0.0.{host} route-reflector-client" for host in (2, 3))
    told = _told(paper(), paper("router bgp 65001", *asked, *clients), "bgpd")
    assert [line for line in told if "reflector" in line] == ["neighbor 10.0.0.3 route-reflector-client"]


def test_a_neighbors_own_list_is_used_and_not_the_one_for_all_neighbors():
    """bgpd has one list in each direction, and refuses a second one."""
    lists = ("access-list 1 permit any", "ip prefix-list P permit 0.0.0.0/0 le 32")
    told = _told(paper(), paper(*lists, *_BGP, "neighbor 10.0.0.2 prefix-list P in", "distribute-list 1 in"), "bgpd")
    assert [line for line in told if line.endswith(" in")] == ["neighbor 10.0.0.2 prefix-list P in"]


def test_what_bgpd_takes_back_by_its_own_word_is_told_so():
    before = paper(*_BGP, "neighbor 10.0.0.2 transport connection-mode passive")
    assert _told(before, paper(*_BGP), "bgpd") == ["no neighbor 10.0.0.2 passive"]


def test_dotted_numbers_of_systems_are_told_as_integers():
    prepended = paper("route-map RM permit 10", "set as-path prepend 1.1 65001")
    assert "set as-path prepend 65537 65001" in _told(paper(), prepended, "bgpd")


def test_of_two_maps_of_an_aggregate_the_last_one_counts():
    both = paper(*_BGP, "aggregate-address 10.8.0.0 255.255.0.0 attribute-map A route-map B")
    assert "aggregate-address 10.8.0.0/16 route-map B" in _told(paper(*_BGP), both, "bgpd")


def test_a_hold_time_is_none_or_at_least_three_seconds():
    lines = ("timers bgp 1 2", "neighbor 10.0.0.2 timers 0 0")
    told = _told(paper(*_BGP), paper(*_BGP, *lines), "bgpd")
    assert "timers bgp 1 3" in told
    assert "neighbor 10.0.0.2 timers 0 0" in told


def test_a_reserved_address_is_no_next_hop():
    told = _told(paper(), paper("route-map RM permit 10", "set ip next-hop 255.255.255.252"), "bgpd")
    assert not [line for line in told if "next-hop" in line]


def test_a_community_list_is_of_one_kind():
    session = Session(paper("ip community-list 1 permit 65001:1"))
    session.enter("configure terminal")
    assert "previously defined as standard community" in session.enter("ip community-list expanded 1 permit 65001:.*")


def test_a_prepended_path_is_taken_back_without_its_numbers():
    """bgpd knows the line's ``no`` with one number at most."""
    before = paper("route-map RM permit 10", "set as-path prepend 65001 65001")
    after = paper("route-map RM permit 10", "set as-path prepend 65001 65002")
    assert _told(before, after, "bgpd") == ["no set as-path prepend", "set as-path prepend 65001 65002"]


def test_a_form_that_sets_another_flag_of_a_neighbor_takes_the_first_one_back():
    for first, then in (("next-hop-self", "next-hop-self all"), ("remove-private-as", "remove-private-as all")):
        told = _told(paper(*_BGP, f"neighbor 10.0.0.2 {first}"), paper(*_BGP, f"neighbor 10.0.0.2 {then}"), "bgpd")
        assert told == [f"no neighbor 10.0.0.2 {first}".replace("-as", "-AS"), told[1]]


def test_an_aggregate_that_suppresses_all_has_no_map_of_what_it_suppresses():
    """bgpd refuses both together."""
    after = paper(*_BGP, "aggregate-address 10.8.0.0 255.255.0.0 summary-only suppress-map SOME")
    assert "aggregate-address 10.8.0.0/16 summary-only" in _told(paper(*_BGP), after, "bgpd")


def test_isis_redistributes_into_the_levels_that_it_has():
    process = ("router isis", "net 49.0001.0000.0000.0001.00", "redistribute static")
    told = _told(paper(), paper(*process), "isisd")
    assert "redistribute ipv4 static level-2" in told
    told = _told(paper(*process), paper(*process, "is-type level-1"), "isisd")
    assert told == ["no redistribute ipv4 static level-2", "is-type level-1"]


def test_ttl_security_is_only_of_external_neighbors_without_multihop():
    """Cisco IOS BGP Command Reference, neighbor ttl-security: neither for internal peers nor beside ebgp-multihop."""
    secured = "neighbor 10.0.0.2 ttl-security hops 2"
    assert secured in _told(paper(*_BGP), paper(*_BGP, secured), "bgpd")
    assert secured not in _told(paper(*_BGP), paper(*_BGP, secured, "neighbor 10.0.0.2 ebgp-multihop"), "bgpd")
    internal = ("router bgp 65002", _BGP[1], secured)
    assert secured not in _told(paper(), paper(*internal), "bgpd")


def test_an_external_summary_that_is_not_advertised_is_taken_back_whole():
    """The ``no`` with ``no-advertise`` only lets FRR advertise it."""
    four = ("router ospf 1", "router-id 1.1.1.1")
    before = paper(*four, "summary-address 10.8.0.0 255.255.0.0 not-advertise")
    assert _told(before, paper(*four), "ospfd") == ["no summary-address 10.8.0.0/16"]
    six = ("ipv6 unicast-routing", "ipv6 router ospf 1", "router-id 1.1.1.1")
    before = paper(*six, "summary-prefix 2001:DB8::/32 not-advertise")
    assert _told(before, paper(*six), "ospf6d") == ["no summary-address 2001:db8::/32"]


def test_a_bgpd_that_does_not_know_source_protocols_has_no_such_entry():
    after = paper("route-map RM permit 10", "match source-protocol static")
    for version, expected in (("8.4.4", []), ("10.2", ["match source-protocol static"])):
        state = compile_state(after.grammar, after.config, replace(after.facts, frr=version))
        told = [line for _, line in frr.difference([], state.frr.of("bgpd"))]
        assert [line for line in told if line.startswith("match")] == expected
        assert "route-map RM permit 10" in told or not expected
        assert ("match source-protocol static" in dict(state.unsupported)) is not bool(expected)
