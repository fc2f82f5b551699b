"""Neighbor entries of a lab that stands still between requests: they do not age while an agent works."""

from __future__ import annotations

from typing import Any

from tests.support.netns_networks import network

ROUTER = "interface eth0\n ip address 10.0.0.1/24\nexit\n"
HOST = "ip address add 10.0.0.2/24 dev eth0\n"
REACHABLE = "/proc/sys/net/ipv4/neigh/eth0/base_reachable_time_ms"


def told(lab: Any, *argv: str) -> str:
    text: str = lab.nodes["H1"].run(list(argv)).stdout
    return text.strip()


def test_entries_last_while_an_agent_works_and_are_asked_for_anew_after_changes(deploy: Any) -> None:
    task = network({"R1": "frr", "H1": "linux"}, ["R1 eth0 - H1 eth0"], {"R1": ROUTER, "H1": HOST})
    lab = deploy(task, clock="calls")
    usual = told(lab, "cat", REACHABLE)
    with lab.turns.before.at_a_moment():
        assert int(told(lab, "cat", REACHABLE)) == 86_400_000
        lab.turns.begin()
    with lab.turns.turn(5.0):
        assert "1 received" in told(lab, "ping", "-c", "1", "10.0.0.1")
    with lab.turns.turn(20.0, may_change=True):
        assert "10.0.0.1" in told(lab, "ip", "neigh")
    with lab.turns.turn(5.0):
        assert "10.0.0.1" not in told(lab, "ip", "neigh")
    lab.turns.end()
    assert told(lab, "cat", REACHABLE) == usual == "30000"
