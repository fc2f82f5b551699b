"""Which outputs show what a whole config shows."""

from __future__ import annotations

import pytest

from pytest_netbench.faults.evidence.observation import Configured
from pytest_netbench.process.configs import shows

HEALTHY = """interface eth0
 ip address 10.0.0.1/24
 ip ospf network point-to-point
interface eth1
 ip address 10.0.1.1/24
router ospf
 network 10.0.0.0/24 area 0
 network 10.0.1.0/24 area 0
"""
AREA = Configured(dialect="frr", lines=("router ospf", " no network 10.0.0.0/24 area 0", " network 10.0.0.0/24 area 2"))
MISSING = Configured(dialect="frr", lines=("router ospf", " no network 10.0.1.0/24 area 0"))
WITHOUT = HEALTHY.replace(" network 10.0.1.0/24 area 0\n", "")


def seen(one: Configured, text: str, *, healthy: str | None = HEALTHY, initial: str | None = None) -> bool:
    return shows(one, text, healthy=healthy, initial=initial)


def test_a_new_line_is_seen_under_the_line_that_it_belongs_to() -> None:
    assert seen(AREA, "router ospf\n network 10.0.0.0/24 area 2\n network 10.0.1.0/24 area 0\n")
    assert not seen(AREA, " network 10.0.0.0/24 area 2\n"), "a line alone may be of anything"
    assert not seen(AREA, "router ospf\n network 10.0.0.0/24 area 0\n network 10.0.0.0/24 area 2\n")
    assert not seen(AREA, HEALTHY)


def test_a_line_that_is_gone_is_seen_where_the_whole_rest_is() -> None:
    assert seen(MISSING, "router ospf\n network 10.0.0.0/24 area 0\n", initial=WITHOUT)
    assert seen(MISSING, WITHOUT, initial=WITHOUT)
    assert not seen(MISSING, "router ospf\n", initial=WITHOUT), "the rest may have been filtered out"
    assert not seen(MISSING, "interface eth0\n ip address 10.0.0.1/24\n", initial=WITHOUT)
    assert not seen(MISSING, HEALTHY, initial=WITHOUT)


def test_a_place_alone_is_no_new_line() -> None:
    gone = Configured(dialect="frr", lines=("interface eth0", " no ip ospf network point-to-point"))
    initial = HEALTHY.replace(" ip ospf network point-to-point\n", "")
    assert not seen(gone, "interface eth0\n", initial=initial)
    assert seen(gone, "interface eth0\n ip address 10.0.0.1/24\n", initial=initial)


def test_nothing_is_seen_without_the_healthy_config() -> None:
    assert not seen(AREA, "router ospf\n network 10.0.0.0/24 area 2\n", healthy=None)


HOST = "interface eth0\n address 10.0.0.9/24\nroutes main\n default via 10.0.0.1 dev eth0\n"


@pytest.mark.parametrize(
    ("lines", "output", "is_shown"),
    [
        (
            ("routes main", " default via 10.0.0.7 dev eth0", " no default via 10.0.0.1"),
            "default via 10.0.0.7 dev eth0 proto static\n10.0.0.0/24 dev eth0\n",
            True,
        ),
        (
            ("routes main", " default via 10.0.0.7 dev eth0", " no default via 10.0.0.1"),
            "default via 10.0.0.70 dev eth0\n",
            False,
        ),
        (
            ("routes main", " default via 10.0.0.7 dev eth0", " no default via 10.0.0.1"),
            "default via 10.0.0.1 dev eth0\ndefault via 10.0.0.7 dev eth0 metric 9\n",
            False,
        ),
        (
            ("interface eth0", " address 10.0.0.8/24", " no address 10.0.0.9/24"),
            "2: eth0@if3: <UP>\n    inet 10.0.0.8/24 scope global eth0\n",
            True,
        ),
        (
            ("table inet filter", " chain input", "  tcp dport 80 drop"),
            "table inet filter {\n\tchain input {\n\t\ttcp dport 80 drop\n\t}\n}\n",
            True,
        ),
        (
            ("table inet filter", " chain input", "  tcp dport 80 drop"),
            "table inet filter {\n\tchain input {\n\t\ttcp dport 8080 drop\n\t}\n}\n",
            False,
        ),
    ],
)
def test_other_commands_of_a_host_show_its_values(lines, output, is_shown) -> None:
    assert seen(Configured(dialect="linux", lines=lines), output, healthy=HOST) is is_shown
