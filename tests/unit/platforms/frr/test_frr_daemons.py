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


def test_only_a_config_with_a_cache_wants_the_module_for_rpki(monkeypatch):
    monkeypatch.setattr(daemons, "has_rpki", lambda: True)
    assert daemons.options_for(["router bgp 1", "rpki", " rpki cache 10.0.0.1 323 preference 1"]) == {
        "bgpd": ("-M", "rpki")
    }
    assert daemons.options_for(["route-map X deny 5", " match rpki invalid"]) == {}
    monkeypatch.setattr(daemons, "has_rpki", lambda: False)
    assert daemons.options_for(["rpki"]) == {}


def test_a_module_that_is_not_there_is_found_missing(monkeypatch, tmp_path):
    daemons.has_rpki.cache_clear()
    loads = tmp_path / "bgpd"
    for said, has in (("privs_init: could not lookup group no-group", True), ("frr_init: loader error: dlopen", False)):
        loads.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
        loads.chmod(0o755)
        monkeypatch.setattr(daemons, "directory", lambda: tmp_path)
        assert daemons.has_rpki() is has
        daemons.has_rpki.cache_clear()
    monkeypatch.setattr(daemons, "directory", lambda: None)
    assert not daemons.has_rpki()
    daemons.has_rpki.cache_clear()
