from __future__ import annotations

import pytest

from pytest_netbench.platforms.frr import daemons


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("router ospf", {"ospfd"}),
        (" ip ospf area 0", {"ospfd"}),
        ("router ospf6", {"ospf6d"}),
        ("router bgp 65001", {"bgpd"}),
        ("rou bgp 65001", {"bgpd"}),
        ("no router bgp 65001", {"bgpd"}),
        ("bgp as-path access-list A permit ^1$", {"bgpd"}),
        ("router rip", {"ripd"}),
        ("router ripng", {"ripngd"}),
        (" ip router isis CORE", {"isisd"}),
        (" neighbor 10.0.0.1 bfd", {"bfdd"}),
        (" ip ospf bfd", {"bfdd", "ospfd"}),
        (" vrrp 5 version 3", {"vrrpd"}),
        ("pbr-map X seq 1", {"pbrd"}),
        (" ip hold-time eigrp 1", {"eigrpd"}),
        ("ip route 10.0.0.0/8 Null0", {"staticd"}),
        ("interface eth0", set()),
        ("! router bgp 1", set()),
        ("# router bgp 1", set()),
        ("", set()),
    ],
)
def test_a_line_needs_the_daemon_it_speaks_to(line, expected):
    assert daemons.needed_by([line]) == expected


def test_every_router_runs_mgmtd_where_there_is_one():
    assert daemons.always(["zebra", "staticd", "ospfd"]) == ("zebra",)
    assert daemons.always(["mgmtd", "zebra", "staticd"]) == ("mgmtd", "zebra")


def test_the_version_is_read_from_what_zebra_prints():
    assert daemons.parse_version("zebra version 8.4.4\nCopyright 1996-2005\n") == "8.4.4"
    assert daemons.parse_version("zebra version 10.1\n") == "10.1"
    assert daemons.parse_version("") is None


def test_the_daemons_file_reads_back_as_written():
    assert daemons.parse_enabled(daemons.format_enabled(["zebra", "bgpd"])) == {"zebra", "bgpd"}
    assert daemons.parse_enabled("ospfd=no\nzebra=yes\n") == {"zebra"}
