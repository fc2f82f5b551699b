from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.faults import catalogue, flow_rules
from tests.support.memory_parts import install


@pytest.mark.parametrize(
    ("group", "name", "message"),
    [
        ("families", "guess", f"unknown family 'guess' (known: {', '.join(parts.names('families'))})."),
        (
            "backends",
            "netn",
            "unknown backend 'netn' (known: containerlab, gns3, netns, testbed). Did you mean 'netns'?",
        ),
        (
            "dialects",
            "ciscoios",
            (
                "unknown dialect 'ciscoios' (known: arista_eos, cisco_ios, frr, juniper_junos, kubernetes,"
                " linux, openflow_controller, openvswitch, p4). Did you mean 'cisco_ios'?"
            ),
        ),
    ],
)
def test_an_unknown_part_is_told_with_the_known_ones_and_the_nearest(group, name, message):
    with pytest.raises(UsageError) as caught:
        parts.load(group, name)
    assert str(caught.value) == message


@pytest.mark.parametrize("group", ["dialects", "drivers", "backends", "families", "agents", "scorers"])
def test_every_built_in_part_loads(group):
    assert all(parts.load(group, name).__name__ for name in parts.names(group))


@pytest.mark.parametrize("group", get_args(parts.Group))
def test_parts_of_this_package_need_no_metadata(group, monkeypatch: pytest.MonkeyPatch):
    known = parts.names(group)
    monkeypatch.setattr(parts, "entry_points", lambda **_: ())
    parts._installed.cache_clear()
    try:
        assert known
        assert parts.names(group) == known
        assert all(parts.load(group, name) for name in known)
        assert all(parts.place(group, name).startswith("pytest_netbench.") for name in known)
    finally:
        parts._installed.cache_clear()


def test_a_third_party_cannot_take_a_name_of_this_package(tmp_path, monkeypatch: pytest.MonkeyPatch):
    points = "[pytest_netbench.agents]\noracle = mine:Oracle\n[pytest_netbench.faults]\nlink-down = mine:DOWN\n"
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(points)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert parts.load("agents", "oracle").__module__ == "pytest_netbench.agents.oracle"
    assert parts.load("faults", "link-down").name == "link-down"
    assert parts.is_ours("faults", "link-down")


def test_two_faults_of_one_name_are_refused_with_both_places(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flow_rules, "SAME", replace(flow_rules.FLOW_RULE_LOOP), raising=False)
    with pytest.raises(ValueError, match=r"two faults are called flow-rule-loop: .*:FLOW_RULE_LOOP, .*flow_rules:SAME"):
        catalogue()


def test_parts_that_a_new_folder_of_the_search_path_brings_are_found(tmp_path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UsageError, match="unknown backend 'memory'"):
        parts.load("backends", "memory")
    monkeypatch.syspath_prepend(install(tmp_path / "site"))
    assert parts.load("backends", "memory").__name__ == "MemoryBackend"
