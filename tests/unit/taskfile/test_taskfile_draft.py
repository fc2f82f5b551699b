"""The draft's own JSON: its §4.1 example as printed (completed where it says '...'), and both of its testcase forms."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pytest_netbench.taskfile.draft import draft_pattern, static_routes

PRINTED = """\
   {
     "task_name": "Static Routing",
     "intents": [
       "NewYork: create a static route pointing to the Loopback0 on
       Washington, traffic should pass the 192.168.1.0 network.",
       "NewYork: create a backup static route pointing to the Loopback0
       on Washington, administrative distance should be 100."
     ],
     "topology": {
       "nodes": ["NewYork", "Washington"],
       "links": [
         "NewYork S0/0 <-> Washington S0/0 ",
         "NewYork S0/1 <-> Washington S0/1"
       ]
     },
     "startup_configs": {
       "NewYork": "!\\r\\nversion 12.4\\r\\nservice timestamps
       debug datetime msec\\r\\nhostname NewYork\\r\\n",
       "Washington": "!\\r\\nversion 12.4\\r\\nservice timestamps
       debug datetime msec\\r\\nhostname Washington\\r\\n",
     },
     "ground_truth_configs": {
       "NewYork": [
         "ip route 2.2.2.0 255.255.255.252 192.168.1.2",
         "ip route 2.2.2.0 255.255.255.252 192.168.2.2 100"
       ]
     },
     "ground_truth_reasoning": "NewYork to Washington Loopback
     (primary path): add a static route for Washington\u2019s
     Loopback0 network (2.2.2.0/30) pointing to the
     next-hop 192.168.1.2",
     "testcases": [
       {
         "name": "Static Route from NewYork to Washington",
         "expected_result": {
           "protocol": "static",
           "next_hop": "192.168.1.2"
         }
       },
       {
         "name": "Backup Route from NewYork to Washington",
         "expected_result": {
           "protocol": "static",
           "next_hop": "192.168.2.2"
         }
       },
       {
         "device": "NewYork",
         "commands": ["show ip route 2.2.2.0 255.255.255.252"],
         "expected_output": "S 2.2.2.0/30 [1/0] via 192.168.1.2"
       }
     ]
   }
"""


def draft(**changes: Any) -> str:
    task: dict[str, Any] = {
        "task_name": "Static Routing",
        "intents": ["NewYork: reach Washington"],
        "topology": {"nodes": ["NewYork", "Washington"], "links": ["NewYork S0/0 <-> Washington S0/0 "]},
        "ground_truth_configs": {"NewYork": ["ip route 2.2.2.0 255.255.255.252 192.168.1.2"]},
    }
    return json.dumps(task | changes)


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "windows"])
def test_the_drafts_printed_example_loads(load, ends):
    task = load(PRINTED.replace("\n", ends), "static-routing.json")
    assert (task.network.platform, task.slug) == ("cisco_ios", "static-routing")
    assert task.payload.intents[0].text == (
        "NewYork: create a static route pointing to the Loopback0 on Washington,"
        " traffic should pass the 192.168.1.0 network."
    )
    assert str(task.network.topology.links[0]) == "NewYork S0/0 <-> Washington S0/0"
    assert task.network.startup_configs["NewYork"] == (
        "!\nversion 12.4\nservice timestamps debug datetime msec\nhostname NewYork\n"
    )
    assert len(task.payload.truth_of("NewYork")) == 2
    assert task.ground_truth_reasoning.endswith("(2.2.2.0/30) pointing to the next-hop 192.168.1.2")


def test_a_printed_route_testcase_gets_its_device_from_its_name_and_its_prefix_from_the_ground_truth(load):
    route = load(PRINTED, "a.json").payload.testcases[0]
    assert (route.kind, route.device, route.prefix) == ("route", "NewYork", "2.2.2.0/30")
    assert (route.protocol, route.next_hops, route.present) == ("static", ("192.168.1.2",), True)


def test_a_floating_backup_is_looked_for_in_the_config_as_no_forwarding_table_has_it(load):
    backup = load(PRINTED, "a.json").payload.testcases[1]
    assert (backup.kind, backup.device) == ("config", "NewYork")
    assert re.fullmatch(backup.line, "ip route 2.2.2.0 255.255.255.252 192.168.2.2 100")


def test_a_floating_backup_may_name_its_interface_but_has_the_same_next_hop_and_distance(load):
    backup = load(PRINTED, "a.json").payload.testcases[1]
    assert re.fullmatch(backup.line, "ip route 2.2.2.0 255.255.255.252 Serial0/1 192.168.2.2 100")
    assert re.fullmatch(backup.line, "ip route 2.2.2.0 255.255.255.252 Serial0/1 192.168.2.3 100") is None
    assert re.fullmatch(backup.line, "ip route 2.2.2.0 255.255.255.252 Serial0/1 192.168.2.2 10") is None


def test_a_testcase_of_the_evaluation_interface_is_a_show_and_needs_no_name(load):
    show = load(PRINTED, "a.json").payload.testcases[2]
    assert (show.kind, show.name) == ("show", "NewYork: show ip route 2.2.2.0 255.255.255.252")
    assert re.search(show.expected_output, "S       2.2.2.0/30 [1/0] via 192.168.1.2")
    assert not re.search(show.expected_output, "S 2.2.2.0/30 [1/0] via 192.168.1.3")


def test_an_expected_output_that_is_a_regular_expression_stays_one():
    assert draft_pattern("via 10.0.0.1") == "via 10.0.0.1"
    assert re.search(draft_pattern(r"via \d+"), "via 7")
    assert re.fullmatch(draft_pattern("Full/(DR|BDR)"), "Full/BDR")


def test_an_expected_output_that_would_take_forever_to_match_is_not_matched_while_loading():
    assert "(x+x+)+y" in draft_pattern("(x+x+)+y" + "x" * 40)


def test_a_config_laid_out_over_lines_with_no_written_line_break_keeps_its_lines(load):
    text = draft().replace(
        '"ground_truth_configs"',
        '"startup_configs": {"NewYork": "hostname a\n!\ninterface S0/0"}, "ground_truth_configs"',
    )
    assert load(text, "a.json").network.startup_configs["NewYork"] == "hostname a\n!\ninterface S0/0"


def test_json_with_anything_of_ours_is_about_frr_unless_it_says_otherwise(load):
    assert load(draft(), "a.json").network.platform == "cisco_ios"
    assert load(draft(), "a.task.json").network.platform == "cisco_ios"
    links = {"nodes": ["NewYork", "Washington"], "links": ["NewYork eth0 <-> Washington eth0"]}
    assert load(draft(tags=["x"], topology=links), "a.json").network.platform == "frr"
    assert load(draft(platform="frr", topology=links), "a.json").network.platform == "frr"


def test_a_name_that_mentions_no_node_says_what_to_add(refusal):
    text = draft(testcases=[{"name": "Primary", "expected_result": {"next_hop": "192.168.1.2"}}])
    assert refusal(text, "a.json") == (
        "a.json:1: testcase 'Primary' names no node, so its device is unknown;"
        " add 'device:' with the node it is about (known: 'NewYork', 'Washington')"
    )


def test_an_ambiguous_prefix_names_the_candidates_and_says_what_to_add(refusal):
    truth = ["ip route 2.2.2.0 255.255.255.252 192.168.1.2", "ip route 3.3.3.0/24 192.168.1.2"]
    text = draft(
        ground_truth_configs={"NewYork": truth},
        testcases=[{"name": "From NewYork", "expected_result": {"protocol": "static", "next_hop": "192.168.1.2"}}],
    )
    assert refusal(text, "a.json") == (
        "a.json:1: testcase 'From NewYork': which prefix is meant? 2 ground-truth static routes of 'NewYork' go to"
        " 192.168.1.2: 2.2.2.0/30, 3.3.3.0/24; add 'prefix:' to expected_result"
    )


def test_a_next_hop_that_no_static_route_has_says_what_to_add(refusal):
    text = draft(
        testcases=[{"name": "x", "device": "NewYork", "expected_result": {"protocol": "ospf", "next_hop": "9.9.9.9"}}]
    )
    assert "no ground-truth static route of 'NewYork' has next hop 9.9.9.9; add 'prefix:'" in refusal(text, "a.json")


def test_device_and_prefix_may_be_given(load):
    result = {"protocol": "ospf", "next_hop": "9.9.9.9", "prefix": "4.4.4.0/24", "metric": 20, "distance": 110}
    text = draft(testcases=[{"name": "x", "device": "Washington", "expected_result": result, "role": "regression"}])
    route = load(text, "a.json").payload.testcases[0]
    assert (route.device, route.prefix, route.metric, route.distance) == ("Washington", "4.4.4.0/24", 20, 110)
    assert route.role == "regression"


def test_a_typo_in_a_drafts_testcase_is_refused(refusal):
    text = draft(testcases=[{"name": "NewYork", "expected_result": {"nexthop": "192.168.1.2"}}])
    assert "unknown field of expected_result 'nexthop' (known: 'prefix', " in refusal(text, "a.json")
    text = draft(testcases=[{"name": "NewYork", "expected": 1, "expected_result": {"next_hop": "192.168.1.2"}}])
    assert "unknown field of a testcase with 'expected_result' 'expected'" in refusal(text, "a.json")


def test_a_node_is_found_in_a_name_as_a_whole_word_the_first_one_first(load):
    text = draft(
        topology={"nodes": ["York", "NewYork", "R1", "R10"]},
        ground_truth_configs={"R10": ["ip route 2.2.2.0/24 1.1.1.1"], "NewYork": ["ip route 3.3.3.0/24 1.1.1.1"]},
        testcases=[
            {"name": "route on R10 towards R1", "expected_result": {"next_hop": "1.1.1.1"}},
            {"name": "From newyork to York", "expected_result": {"next_hop": "1.1.1.1"}},
        ],
    )
    assert [one.device for one in load(text, "a.json").payload.testcases] == ["R10", "NewYork"]


def test_testcases_of_the_draft_that_share_a_name_are_told_apart(load):
    show = {"device": "NewYork", "commands": ["show version"], "expected_output": "12"}
    assert [one.name for one in load(draft(testcases=[show, show]), "a.json").payload.testcases] == [
        "NewYork: show version",
        "NewYork: show version (2)",
    ]


def test_static_routes_are_read_in_both_dialects():
    routes = static_routes(
        [
            "ip route 2.2.2.0 255.255.255.252 192.168.1.2",
            " ip route 3.3.3.0/24 10.0.0.1 200",
            "ip route 4.4.4.0/24 10.0.0.1 tag 7",
            "ip route 5.5.5.0/44 10.0.0.1",
            "no ip route 6.6.6.0/24 10.0.0.1",
            "router ospf 1",
        ]
    )
    assert [(route.prefix, route.next_hop, route.distance) for route in routes] == [
        ("2.2.2.0/30", "192.168.1.2", 1),
        ("3.3.3.0/24", "10.0.0.1", 200),
        ("4.4.4.0/24", "10.0.0.1", 1),
    ]
