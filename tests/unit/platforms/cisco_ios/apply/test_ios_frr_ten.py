"""Configuration of FRR 10 where it differs from 8.4: mgmtd configures zebra, staticd, ripd and ripngd."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.platforms.cisco_ios.apply import frr
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.compile.state import FrrState
from pytest_netbench.platforms.frr import daemons
from tests.support.ios import paper


class Node:
    """A node on which these daemons run and accept every line."""

    name = "R1"

    def __init__(self, *running: str) -> None:
        self._running = running
        self.memory: dict[str, object] = {}
        self.heard: list[tuple[str, str]] = []

    def read_file(self, path: str) -> str:
        return daemons.format_enabled(self._running)

    def vty(self, requests: list[tuple[str, str]]) -> list[tuple[str, int]]:
        self.heard += requests
        shows = json.dumps({line.split()[2]: [] for _, line in self.heard if line.startswith("ip route")})
        return [(shows if line.startswith("show") else "", 0) for _, line in requests]

    def config(self) -> list[tuple[str, str]]:
        framing = {"end", "enable", "configure terminal"}
        return [(daemon, line) for daemon, line in self.heard if line not in framing and not line.startswith("show")]


@pytest.fixture(params=["8.4.4", "10.0.1", "10.3"])
def version(request, monkeypatch) -> str:
    monkeypatch.setattr(daemons, "version", lambda: request.param)
    return str(request.param)


def speakers(version: str) -> list[str]:
    names = ("zebra", "staticd", "ripd", "ripngd", "ospfd", "bgpd")
    return [name for name in names if frr.speaker_of(name) == "mgmtd"]


def test_who_speaks_for_whom_depends_on_the_version(version):
    assert (
        speakers(version)
        == {
            "8.4.4": [],
            "10.0.1": ["staticd"],
            "10.3": ["zebra", "staticd", "ripd", "ripngd"],
        }[version]
    )


def test_each_line_is_told_once_to_who_takes_it(version):
    mgmtd = () if version == "8.4.4" else ("mgmtd",)
    node = Node(*mgmtd, "zebra", "staticd", "ripd", "ospfd")
    plan = FrrState()
    plan.policy("access-list 5 seq 5 permit any")
    plan.add("staticd", "ip route 10.0.0.0/8 Null0")
    plan.add("ripd", "router rip")
    assert frr.apply(node, FrrState(), plan) == []
    told = {line: {daemon for daemon, other in node.config() if other == line} for _, line in node.config()}
    assert told == {
        "access-list 5 seq 5 permit any": {
            "8.4.4": {"zebra", "ripd", "ospfd"},
            "10.0.1": {"zebra", "ripd", "ospfd"},
            "10.3": {"mgmtd", "ospfd"},
        }[version],
        "ip route 10.0.0.0/8 Null0": {frr.speaker_of("staticd")},
        "router rip": {frr.speaker_of("ripd")},
    }
    assert len(node.config()) == sum(len(who) for who in told.values())


def test_a_list_of_rip_for_all_interfaces_is_told_for_each_where_mgmtd_would_forget_it(version):
    device = paper(
        "interface gi0/0",
        "ip address 10.0.1.1 255.255.255.0",
        "interface gi0/1",
        "ip address 10.0.2.1 255.255.255.0",
        "access-list 5 permit any",
        "access-list 6 permit any",
        "router rip",
        "network 10.0.0.0",
        "version 2",
        "distribute-list 5 in",
        "distribute-list 6 in GigabitEthernet0/1",
    )
    lines = [line.path[-1] for line in compile_state(device.grammar, device.config, device.facts).frr.of("ripd")]
    lists = [line.rsplit(" in", 1)[1].strip() for line in lines if line.startswith("distribute-list ")]
    assert sorted(lists) == (["gi0-0", "gi0-1"] if version == "10.3" else ["", "gi0-1"])
