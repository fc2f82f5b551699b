"""Session ends of BFD, and what the lab expects of them, on answers of FRR 8.4.4."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.lab.matching import absences, pairs
from pytest_netbench.platforms.frr import bfd

OWNED = {
    node: {"eth0": (ip_interface(f"10.0.0.{n}/24"),), "lo": (ip_interface(f"192.0.2.{n}/32"),)}
    for n, node in enumerate(("R1", "R2"), start=1)
}


def end(node, peer, status="down", **fields):
    return bfd.peers(node, [{"peer": peer, "interface": "eth0", "vrf": "default", "status": status, **fields}])[0]


def phrases(*peers):
    ends = [bfd.end(one, OWNED[one.node]) for one in peers if one.status != "shutdown"]
    return [absence.phrase for _, absence in absences(pairs(ends, {}))]


def test_a_session_that_is_up_is_not_missing():
    assert phrases(end("R1", "10.0.0.2", "up"), end("R2", "10.0.0.1", "up")) == []


def test_each_end_that_is_not_up_is_told():
    assert phrases(end("R1", "10.0.0.2", "up"), end("R2", "10.0.0.1", "init")) == [
        "R2: BFD neighbor 10.0.0.1 on eth0 is init, expected up"
    ]


def test_link_local_sessions_belong_together_by_the_addresses_that_they_name():
    ends = end("R1", "fe80::2", local="fe80::1"), end("R2", "fe80::1", local="fe80::2")
    assert len(phrases(*ends)) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (end("R1", "10.0.0.2"), end("R2", "10.0.0.9")),
        (end("R1", "10.0.0.2"), end("R2", "10.0.0.1", "shutdown")),
        (end("R1", "10.0.0.2", **{"passive-mode": True}), end("R2", "10.0.0.1", **{"passive-mode": True})),
        (end("R1", "10.0.0.2", local="10.0.0.1"), end("R2", "192.0.2.1", local="192.0.2.2")),
    ],
    ids=["no way back", "shut down", "both passive", "other addresses"],
)
def test_what_only_one_end_asks_for_is_not_waited_for(one, other):
    assert phrases(one, other) == []


def test_an_answer_without_sessions_has_none():
    assert bfd.peers("R1", []) == []
    assert bfd.peers("R1", {}) == []
