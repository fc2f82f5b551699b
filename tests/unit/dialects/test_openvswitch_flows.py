"""Flows of a table in one form: without counters and ages, fields sorted, actions in order."""

from __future__ import annotations

import pytest

from pytest_netbench.dialects.openvswitch import OpenvswitchDialect
from pytest_netbench.dialects.openvswitch.flows import flow, flows

LINES = (
    "NXST_FLOW reply (xid=0x4):",
    (
        " cookie=0x0, duration=1.030s, table=0, n_packets=3, n_bytes=126, idle_age=1, priority=50,ip,nw_dst=10.0.2.0/24"
        " actions=dec_ttl,output:2"
    ),
    " cookie=0x0, duration=0.9s, table=0, n_packets=0, n_bytes=0, priority=100,arp,arp_tpa=10.0.1.10 actions=output:3",
    (
        " cookie=0x5, duration=0.9s, table=1, n_packets=0, n_bytes=0, idle_timeout=10, hard_age=3, priority=7,in_port=2"
        " actions=learn(table=2,NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[]),resubmit(,1)"
    ),
    " cookie=0x0, duration=2s, table=0, n_packets=0, n_bytes=0, idle_age=0, actions=drop",
)
LISTING = "\n".join(LINES)


def test_a_listing_is_sorted_by_table_and_priority_without_what_changes_by_itself():
    assert [str(one) for one in flows(LISTING)] == [
        "priority=32768 actions=drop",
        "priority=100,arp,arp_tpa=10.0.1.10 actions=output:3",
        "priority=50,ip,nw_dst=10.0.2.0/24 actions=dec_ttl,output:2",
        (
            "table=1,priority=7,cookie=0x5,idle_timeout=10,in_port=2"
            " actions=learn(table=2,NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[]),resubmit(,1)"
        ),
    ]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("priority=5,ip,nw_dst=10.0.0.1 actions=drop", "priority=5,nw_dst=10.0.0.1,ip actions=drop", True),
        ("priority=5,dl_type=0x0800 actions=drop", "priority=5,ip actions=drop", True),
        ("table=0,priority=5,ip actions=drop", "cookie=0x0, priority=5,ip actions=drop", True),
        ("priority=5,ip actions=dec_ttl,output:1", "priority=5,ip actions=output:1,dec_ttl", False),
        ("priority=5,ip actions=drop", "priority=6,ip actions=drop", False),
        ("priority=5,ip actions=drop", "priority=5,ip,idle_timeout=9 actions=drop", False),
    ],
)
def test_flows_are_equal_if_they_do_the_same(one, other, equal):
    assert (flow(one) == flow(other)) is equal
    dialect = OpenvswitchDialect()
    assert (dialect.normalise(f" flow {one}") == dialect.normalise(f"flow  {other}")) is equal


def test_a_line_of_a_config_that_is_no_flow_is_left_as_it_is():
    assert OpenvswitchDialect().normalise("  port eth1   ofport 1") == "port eth1 ofport 1"
    assert OpenvswitchDialect().normalise("flow nonsense") == "flow nonsense"
    with pytest.raises(ValueError, match="no flow: 'nonsense'"):
        flow("nonsense")
