"""Each kind of testcase: when it passes, when it fails, and what it says."""

from types import SimpleNamespace

import pytest
from pydantic import TypeAdapter

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.testcases import KINDS, observe
from pytest_netbench.lab.devices import Devices
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.platforms.access import Completed
from tests.support.memory_lab import chain


def look(lab, **fields):
    testcase = TypeAdapter(Testcase).validate_python({"name": "t", **fields})
    (observation,) = observe([testcase], View(lab, Devices(lab)))
    return SimpleNamespace(**vars(observation), expected=KINDS[testcase.kind].expected(testcase))


# show


def test_show_searches_the_joined_output_of_its_commands_line_by_line():
    lab = chain()
    lab.nodes["web"].outputs = {"show a": "one\r\ntwo\r\n", "show b": "three"}
    result = look(lab, kind="show", device="web", commands=["show a", "show b"], expected_output="^two$")
    assert result.holds
    assert result.command == "web: show a; show b"
    assert result.actual == "matched 'two'"


def test_show_says_what_was_printed_instead():
    lab = chain()
    lab.nodes["web"].outputs = {"show a": "one"}
    result = look(lab, kind="show", device="web", commands=["show a"], expected_output="two")
    assert not result.holds
    assert result.expected == "output matches /two/"
    assert result.actual == "no match in:\none"


def test_show_of_something_that_must_not_be_there():
    lab = chain()
    lab.nodes["web"].outputs = {"show a": "one"}
    absent = {"kind": "show", "device": "web", "commands": ["show a"], "present": False}
    assert look(lab, **absent, expected_output="two").holds
    result = look(lab, **absent, expected_output="one")
    assert not result.holds
    assert result.expected == "output does not match /one/"
    assert result.actual == "matched 'one'"


def test_a_regular_expression_that_does_not_compile_fails_at_once():
    result = look(chain(), kind="show", device="web", commands=["x"], expected_output="[")
    assert not result.holds
    assert result.actual == "expected_output is not a regular expression: unterminated character set at position 0"
    assert result.final


def test_a_device_that_is_not_there_fails_at_once_and_names_the_known_ones():
    result = look(chain(), kind="show", device="wed", commands=["x"], expected_output="x")
    assert not result.holds
    assert result.actual == "unknown device 'wed' (known: 'branch', 'edge', 'web'). Did you mean 'web'?"
    assert result.expected == "output matches /x/"


# route


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"protocol": "static"}, True),
        ({"protocol": "STATIC", "next_hops": ["10.0.2.10"], "metric": 0, "distance": 1}, True),
        ({"next_hops": ["10.0.2.10", "e0"]}, True),
        ({"protocol": "ospf"}, False),
        ({"next_hops": ["10.0.2.11"]}, False),
        ({"next_hops": ["10.0.2.10", "10.0.2.11"]}, False),
        ({"next_hops": ["10.0.2.10", "e7"]}, False),
        ({"next_hops": []}, False),
        ({"metric": 20}, False),
        ({"distance": 110}, False),
        ({"present": False}, False),
        ({"present": False, "protocol": "ospf"}, True),
        ({"present": False, "next_hops": ["10.0.1.1"]}, True),
    ],
)
def test_route_compares_the_fields_that_are_given(fields, holds):
    assert look(chain(), kind="route", device="edge", prefix="10.9.0.0/16", **fields).holds is holds


def test_next_hops_are_compared_as_a_set():
    lab = chain(edge="route 10.8.0.0/16 via 10.0.2.10 ospf 20 110\nroute 10.8.0.0/16 via 10.0.1.10 ospf 20 110")
    fields = {"kind": "route", "device": "edge", "prefix": "10.8.0.0/16"}
    assert look(lab, **fields, next_hops=["10.0.1.10", "10.0.2.10"]).holds
    assert not look(lab, **fields, next_hops=["10.0.1.10"]).holds


def test_route_says_what_is_installed_instead():
    result = look(
        chain(),
        kind="route",
        device="edge",
        prefix="10.9.0.0/16",
        protocol="ospf",
        next_hops=["10.0.1.10"],
        distance=110,
    )
    assert result.expected == "10.9.0.0/16 ospf via 10.0.1.10 distance 110: installed on edge"
    assert result.actual == "10.9.0.0/16 static via 10.0.2.10 dev e0 metric 0 distance 1"


def test_route_says_that_there_is_none():
    result = look(chain(), kind="route", device="web", prefix="10.9.0.0/16")
    assert result.actual == "no route to 10.9.0.0/16 installed"
    assert result.command == "web: routes to 10.9.0.0/16"


def test_a_prefix_that_is_none_fails_at_once():
    result = look(chain(), kind="route", device="web", prefix="10.9.0.1/16")
    assert result.actual == "prefix '10.9.0.1/16' is not a network: 10.9.0.1/16 has host bits set"


# reachability


def test_a_packet_that_gets_through():
    result = look(chain(), kind="reachability", **{"from": "branch", "to": "web"})
    assert result.holds
    assert result.command == "probe icmp from branch to 10.0.2.10 (web)"
    assert result.expected == "icmp echo from branch to web: allowed"
    assert result.actual == "got through (1 of 1 replies, 0.1 ms)"


def test_a_packet_that_is_dropped_says_so():
    lab = chain(edge="deny tcp 443 any")
    result = look(lab, kind="reachability", protocol="tcp", port=443, **{"from": "branch", "to": "web"})
    assert not result.holds
    assert result.command == "probe tcp 443 from branch to 10.0.2.10 (web), web listening on 443"
    assert result.expected == "tcp port 443 from branch to web: allowed"
    assert result.actual == "no answer in 0.5 s"


def test_what_is_dropped_is_denied():
    lab = chain(edge="deny tcp 22 any")
    result = look(
        lab, kind="reachability", protocol="tcp", port=22, expected="denied", **{"from": "branch", "to": "web"}
    )
    assert result.holds
    assert result.actual == "no answer in 0.5 s"


def test_what_gets_through_although_denied():
    result = look(
        chain(), kind="reachability", protocol="udp", port=53, expected="denied", **{"from": "branch", "to": "web"}
    )
    assert not result.holds
    assert result.expected == "udp port 53 from branch to web: denied"
    assert result.actual == "got through (1 of 1 replies, 0.1 ms)"


def test_an_address_of_a_node_is_listened_on_by_that_node():
    result = look(chain(), kind="reachability", protocol="tcp", port=80, **{"from": "branch", "to": "10.0.2.10"})
    assert result.holds


def test_an_address_nobody_has_needs_a_listener_to_be_named():
    fields = {"kind": "reachability", "protocol": "tcp", "port": 80, "from": "branch", "to": "203.0.113.1"}
    assert not look(chain(), **fields).holds
    result = look(chain(), **fields, listen_on="web", listen_port=8080)
    assert result.command == "probe tcp 80 from branch to 203.0.113.1, web listening on 8080"


@pytest.mark.parametrize(("seen", "holds"), [("203.0.113.1", True), ("10.0.1.10", False)])
def test_the_source_that_the_listener_sees_is_compared(seen, holds):
    lab = chain(edge="snat 203.0.113.1")
    result = look(
        lab, kind="reachability", protocol="tcp", port=80, seen_source=seen, **{"from": "branch", "to": "web"}
    )
    assert result.holds is holds
    assert result.expected == f"tcp port 80 from branch to web: allowed, seen as coming from {seen}"
    if not holds:
        assert ", but seen as from 203.0.113.1" in result.actual


@pytest.mark.parametrize(
    ("fields", "actual"),
    [
        (
            {"from": "branch", "to": "wep"},
            "unknown node 'wep' (known: 'branch', 'edge', 'web'). Did you mean 'web'? It is not an address either.",
        ),
        (
            {"from": "brunch", "to": "web"},
            "unknown node 'brunch' (known: 'branch', 'edge', 'web'). Did you mean 'branch'?",
        ),
        ({"from": "branch", "to": "web", "protocol": "tcp"}, "tcp needs a port"),
        ({"from": "branch", "to": "web", "protocol": "segment"}, "segment needs a port"),
        (
            {"from": "branch", "to": "203.0.113.1", "protocol": "unreachable"},
            "no node has the address 203.0.113.1, and nothing would answer there (to one icmp error of no session)",
        ),
        ({"from": "branch", "to": "web", "listen_on": "x"}, "unknown node 'x' (known: 'branch', 'edge', 'web')."),
        ({"from": "branch", "to": "web", "seen_source": "edge"}, "'edge' is not an address"),
        ({"from": "branch", "to": "web", "expected": "denied", "source_address": "?"}, "'?' is not an address"),
    ],
)
def test_a_testcase_that_does_not_fit_the_network_fails_at_once(fields, actual):
    result = look(chain(), kind="reachability", **fields)
    assert (result.holds, result.actual) == (False, actual)
    assert result.final


@pytest.mark.parametrize("expected", ["allowed", "denied"])
def test_a_target_without_an_address_is_neither_reached_nor_denied(expected):
    lab = chain()
    lab.nodes["web"].lines = []
    result = look(lab, kind="reachability", expected=expected, **{"from": "branch", "to": "web"})
    assert not result.holds
    assert result.actual == "web has no address"


def test_the_family_of_the_source_address_chooses_the_targets_address():
    lab = chain(web="address e0 2001:db8::10", branch="address e0 2001:db8::1")
    fields = {"kind": "reachability", "from": "branch", "to": "web"}
    assert look(lab, **fields).command == "probe icmp from branch to 10.0.2.10 (web)"
    result = look(lab, **fields, source_address="2001:db8::1")
    assert result.command == "probe icmp from branch (2001:db8::1) to 2001:db8::10 (web)"
    lab.nodes["web"].lines = ["address e0 10.0.2.10"]
    assert look(lab, **fields, source_address="2001:db8::1").actual == "web has no IPv6 address"


@pytest.mark.parametrize("protocol", ["icmp", "tcp"])
def test_a_node_that_is_given_the_target_s_address_does_not_answer_in_its_place(protocol):
    lab = chain(edge="address e0 10.0.2.10")
    port = {} if protocol == "icmp" else {"port": 80}
    result = look(lab, kind="reachability", protocol=protocol, **port, **{"from": "branch", "to": "web"})
    assert not result.holds
    assert result.actual == ("answered in place of web, which did not accept it" if protocol == "icmp" else "refused")


def test_a_packet_to_an_address_must_arrive_where_the_address_is():
    probes = []
    lab = chain()
    probe = lab.prober.probe
    lab.prober.probe = lambda batch, **more: (probes.extend(batch), probe(batch, **more))[1]
    for target in ("web", "10.0.2.10", "10.0.2.1", "203.0.113.1"):
        look(lab, kind="reachability", **{"from": "branch", "to": target})
    assert [probe.arrives_at for probe in probes] == [("web",), ("web",), ("edge",), ()]


def test_a_marking_without_a_port_leaves_the_port_open():
    probes = []
    lab = chain()
    probe = lab.prober.probe
    lab.prober.probe = lambda batch, **more: (probes.extend(batch), probe(batch, **more))[1]
    fields = {"kind": "marking", "protocol": "udp", "sent_dscp": 10, "expected_dscp": 10}
    result = look(lab, **fields, **{"from": "branch", "to": "web"})
    assert (probes[0].port, probes[0].listen_on, probes[0].arrives_at) == (None, "web", ("web",))
    assert result.command == "probe udp on a free port from branch to 10.0.2.10 (web) with DSCP 10"


@pytest.mark.parametrize("expected", ["allowed", "denied"])
def test_from_a_source_address_the_node_does_not_have_nothing_is_allowed_or_denied(expected):
    fields = {"from": "branch", "to": "web", "source_address": "10.0.7.7", "expected": expected}
    result = look(chain(), kind="reachability", **fields)
    assert not result.holds
    assert not result.final
    assert result.actual == "branch does not have the source address 10.0.7.7"


# path


def test_a_path_is_compared_hop_by_hop_by_name_or_address():
    fields = {"kind": "path", "from": "branch", "to": "web"}
    assert look(chain(), **fields, hops=["edge", "web"]).holds
    assert look(chain(), **fields, hops=["10.0.1.1", "10.0.2.10"]).holds


@pytest.mark.parametrize("hops", [["web"], ["web", "edge"], ["edge", "web", "web"], ["10.0.2.1", "web"]])
def test_a_path_that_differs_says_the_hops_by_name(hops):
    result = look(chain(), kind="path", hops=hops, **{"from": "branch", "to": "web"})
    assert not result.holds
    assert result.command == "trace from branch to 10.0.2.10"
    assert result.expected == f"path from branch to web: {' > '.join(hops)}"
    assert result.actual == "edge (10.0.1.1) > web (10.0.2.10)"


def test_a_path_to_nowhere_and_a_hop_that_keeps_silent_match_nothing():
    fields = {"kind": "path", "from": "branch", "hops": ["edge", "web"]}
    assert look(chain(), **fields, to="203.0.113.1").actual == "no hop answered"
    lab = chain()
    lab.prober.silent = "edge"
    result = look(lab, **fields, to="web")
    assert not result.holds
    assert result.actual == "* > web (10.0.2.10)"


def test_a_path_with_an_unknown_hop_fails_at_once():
    result = look(chain(), kind="path", hops=["egde", "web"], **{"from": "branch", "to": "web"})
    assert result.actual.startswith("unknown node 'egde'")


# marking


def test_the_dscp_that_arrives_is_compared():
    lab = chain(edge="mark 46")
    fields = {"kind": "marking", "from": "branch", "to": "web", "port": 4000}
    assert look(lab, **fields, expected_dscp=46).holds
    result = look(lab, **fields, expected_dscp=10, sent_dscp=8)
    assert not result.holds
    assert result.expected == "udp port 4000 from branch to web: sent with DSCP 8, arrives with 10"
    assert result.actual == "arrived with DSCP 46"
    assert result.command == "probe udp 4000 from branch to 10.0.2.10 (web) with DSCP 8, web listening on 4000"


def test_marking_of_a_packet_that_never_arrives():
    result = look(chain(edge="deny any any any"), kind="marking", expected_dscp=0, **{"from": "branch", "to": "web"})
    assert result.actual == "nothing arrived (no answer in 0.5 s)"


# throughput

FLOW = {"from": "branch", "to": "web", "rate_bps": 10_000_000}


@pytest.mark.parametrize(
    ("band", "holds"),
    [
        ({"expected_bps": 2_000_000}, True),
        ({"expected_bps": 2_100_000}, True),
        ({"expected_bps": 3_000_000}, False),
        ({"expected_bps": 3_000_000, "tolerance": 0.4}, True),
        ({"min_bps": 1_900_000}, True),
        ({"min_bps": 2_500_000}, False),
        ({"max_bps": 2_500_000}, True),
        ({"max_bps": 1_500_000}, False),
        ({"min_bps": 1_900_000, "max_bps": 2_100_000}, True),
    ],
)
def test_the_received_rate_must_lie_in_the_band(band, holds):
    assert look(chain(edge="rate 2000000"), kind="throughput", flow=FLOW, **band).holds is holds


def test_throughput_says_what_arrived_of_what_was_sent():
    background = [FLOW | {"port": 5002}]
    result = look(
        chain(edge="rate 2000000"), kind="throughput", flow=FLOW, background=background, expected_bps=5_000_000
    )
    assert (
        result.expected
        == "10 Mbit/s udp 5001 from branch to web beside 1 other flow(s): 4.5 Mbit/s to 5.5 Mbit/s received"
    )
    assert (
        result.command
        == "traffic for 1 s: 10 Mbit/s udp 5001 from branch to web; 10 Mbit/s udp 5002 from branch to web"
    )
    assert result.actual == "2 Mbit/s received of 10 Mbit/s sent (250 of 1250 packets); background received: 2 Mbit/s"


def test_throughput_without_a_band_fails_at_once():
    result = look(chain(), kind="throughput", flow=FLOW)
    assert result.actual == "none of expected_bps, min_bps and max_bps is given"


def test_a_flow_to_an_address_is_received_by_the_node_that_has_it():
    result = look(chain(), kind="throughput", flow=FLOW | {"to": "10.0.2.10"}, min_bps=1)
    assert result.command == "traffic for 1 s: 10 Mbit/s udp 5001 from branch to web"


def test_a_flow_to_an_address_nobody_has_cannot_be_measured():
    result = look(chain(), kind="throughput", flow=FLOW | {"to": "203.0.113.1"}, min_bps=1)
    assert not result.holds
    assert result.actual == "no node has the address 203.0.113.1, so nobody can count what arrives there"


def test_two_flows_to_one_port_cannot_be_told_apart():
    result = look(chain(), kind="throughput", flow=FLOW, background=[FLOW | {"to": "10.0.2.10"}], min_bps=1)
    assert result.final
    assert result.actual == "two flows arrive at udp port 5001 of web; give each its own port"


def test_a_sender_that_could_not_send_enough_is_told():
    lab = chain()
    lab.prober.sender_limit_bps = 3_000_000
    result = look(lab, kind="throughput", flow=FLOW, min_bps=9_000_000)
    assert result.actual.endswith("; the sender of udp 5001 managed 3 Mbit/s of the 10 Mbit/s asked for")


@pytest.mark.parametrize(("limit_bps", "holds"), [(8_000_000, True), (7_000_000, False)])
def test_traffic_that_the_machine_could_not_offer_proves_nothing(limit_bps, holds):
    lab = chain(edge="rate 2000000")
    lab.prober.sender_limit_bps = limit_bps
    voice = {"from": "branch", "to": "web", "port": 5002, "rate_bps": 1_000_000}
    result = look(lab, kind="throughput", flow=voice, background=[FLOW], expected_bps=1_000_000)
    assert result.holds is holds
    assert "the sender of udp 5001 managed" in result.actual
    assert not result.final


# config

BGP = """router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 !
 address-family ipv4 unicast
  neighbor 10.0.0.2 route-map IN in
 exit-address-family
exit
ip route 10.0.0.0/8 Null0"""


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({"line": "ip route 10.0.0.0/8 Null0"}, True),
        ({"line": "ip route"}, False),
        ({"line": r"ip route \S+ Null0"}, True),
        ({"parents": [r"router bgp \d+"], "line": "neighbor 10.0.0.2 remote-as 65002"}, True),
        ({"line": "neighbor 10.0.0.2 remote-as 65002"}, False),
        ({"parents": ["router bgp 65001", "address-family .*"], "line": "neighbor .* route-map IN in"}, True),
        ({"parents": ["router bgp 65001"], "line": "neighbor .* route-map IN in"}, False),
        ({"parents": ["router ospf"], "line": ".*"}, False),
        ({"parents": ["router bgp 65001"], "line": "neighbor 10.0.0.3 .*", "present": False}, True),
        ({"line": "ip route .*", "present": False}, False),
    ],
)
def test_a_line_is_looked_for_under_exactly_its_parents(fields, holds):
    lab = chain()
    lab.nodes["edge"].lines = BGP.splitlines()
    assert look(lab, kind="config", device="edge", **fields).holds is holds


def test_config_says_what_stands_there_instead():
    lab = chain()
    lab.nodes["edge"].lines = BGP.splitlines()
    result = look(lab, kind="config", device="edge", parents=["router bgp .*"], line="timers bgp .*")
    assert result.expected == "running config of edge has /router bgp .*/ > /timers bgp .*/"
    assert (
        result.actual
        == "under these parents stand only: neighbor 10.0.0.2 remote-as 65002; !; address-family ipv4 unicast;"
        " exit-address-family"
    )
    result = look(lab, kind="config", device="edge", parents=["router isis .*"], line="x")
    assert result.actual == "no line stands under such parents"
    result = look(lab, kind="config", device="edge", line="ip route .*", present=False)
    assert result.actual.startswith("has ip route 10.0.0.0/8 Null0")


def test_config_of_a_device_without_any_says_so():
    lab = chain()
    lab.nodes["edge"].lines = []
    assert look(lab, kind="config", device="edge", line="x").actual == "the running config is empty"


def test_config_with_a_bad_expression_fails_at_once():
    result = look(chain(), kind="config", device="edge", line="(")
    assert result.actual.startswith("'(' is not a regular expression: ")


def test_hierarchy_follows_indentation_of_any_width():
    text = "a\n   b\n      c\n   d\ne\n\tf"
    assert list(config_paths(text)) == [("a",), ("a", "b"), ("a", "b", "c"), ("a", "d"), ("e",), ("e", "f")]


# infrastructure


def test_a_lab_that_dies_is_an_error_and_not_a_failed_testcase():
    lab = chain()
    lab.nodes["web"].alive = False
    with pytest.raises(LabDied):
        look(lab, kind="config", device="web", line="x")


def test_a_driver_that_fails_on_a_node_that_is_well_fails_the_testcase():
    seen = look(chain(), kind="show", device="web", commands=["crash"], expected_output="x")
    assert not seen.holds
    assert "web does not answer crash: web: driver memory failed at crash" in seen.actual


def test_a_driver_that_fails_on_a_node_that_runs_nothing_is_an_infrastructure_error(monkeypatch):
    lab = chain()
    monkeypatch.setattr(lab.nodes["web"], "run", lambda *_, **__: Completed(stdout="", stderr="", returncode=1))
    with pytest.raises(LabError, match="web: driver memory failed at crash"):
        look(lab, kind="show", device="web", commands=["crash"], expected_output="x")


def test_a_prober_that_falls_over_is_an_error_and_not_a_failed_testcase():
    lab = chain()
    lab.prober.probe = None
    with pytest.raises(LabError, match=r"the prober failed at probing: TypeError"):
        look(lab, kind="reachability", **{"from": "branch", "to": "web"})
