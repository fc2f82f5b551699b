from __future__ import annotations

import pytest

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.linux.driver import spoken, unsettled

UP = ["UP", "LOWER_UP"]
TENTATIVE = {"family": "inet6", "local": "2001:db8::1", "scope": "global", "tentative": True}


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        (Completed(stdout="a\n", stderr="", returncode=0), "a\n"),
        (Completed(stdout="a", stderr="b\n", returncode=2), "ab\n[exit status 2]"),
        (Completed(stdout="", stderr="", returncode=1), "[exit status 1]"),
        (Completed(stdout="a", stderr="", returncode=-9, timed_out=True), "a\n[ended after 3 s]"),
        (Completed(stdout="a\n", stderr="", returncode=0, truncated=True), "a\n[output was cut at the limit]"),
    ],
)
def test_an_agent_sees_what_a_person_at_the_shell_would(done, expected):
    assert spoken(done, 3.0) == expected


def test_an_address_being_checked_for_duplicates_is_waited_for():
    assert list(unsettled("h1", [{"ifname": "eth0", "flags": UP, "addr_info": [TENTATIVE]}])) == [
        "h1: address 2001:db8::1 on eth0 is tentative"
    ]


@pytest.mark.parametrize(
    "link",
    [
        {"ifname": "eth0", "flags": [*UP, "NO-CARRIER"], "addr_info": [TENTATIVE]},
        {"ifname": "eth0", "flags": UP, "addr_info": [{**TENTATIVE, "dadfailed": True}]},
        {"ifname": "eth0", "flags": UP, "addr_info": [{**TENTATIVE, "scope": "link"}]},
        {"ifname": "eth0", "flags": UP, "addr_info": []},
    ],
)
def test_what_will_never_settle_is_not_waited_for(link):
    assert list(unsettled("h1", [link])) == []


def test_a_bridge_port_that_learns_is_waited_for():
    port = {"ifname": "eth1", "flags": UP, "linkinfo": {"info_slave_data": {"state": "learning"}}}
    assert list(unsettled("h1", [port])) == ["h1: bridge port eth1 is learning, expected forwarding"]
