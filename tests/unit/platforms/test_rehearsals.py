"""What devices would refuse, told without a lab."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.platforms.driver import PlannedNode, Rehearsal, Rehearses


def rehearse(platform: str, startup: str, *batches: list[str], ports: tuple[str, ...] = ()) -> Rehearsal:
    driver: Any = parts.load("drivers", platform)()
    assert isinstance(driver, Rehearses)
    found = driver.rehearse(PlannedNode(name="R1", role="router", interfaces=ports), startup, batches)
    assert found is not None
    return found


def refused(found: Rehearsal) -> list[tuple[int, int, str]]:
    return [(one.line_number, one.offset, one.message) for one in found.refused]


def errors(found: Rehearsal, batch: int = 0) -> list[str]:
    return [one.command for one in found.batches[batch] if one.status == "error"]


IOS = "interface GigabitEthernet0/0\n ip address 10.0.0.1 255.255.255.0\n ip ospf netwrk point-to-point\n no shutdown\n"


def test_ios_refuses_a_line_with_a_misspelt_word_and_takes_the_others():
    found = rehearse("cisco_ios", IOS, ports=("GigabitEthernet0/0",))
    assert refused(found) == [(3, 9, "% Invalid input detected at '^' marker. (at 'netwrk')")]


def test_each_batch_is_typed_after_the_startup_config_and_apart_from_the_others():
    lists = ["ip access-list extended A", "permit icmp any hst 10.0.0.1", "permit ip any any"]
    found = rehearse("cisco_ios", IOS, lists, ["interface Gi0/0", "ip access-grp A in"], ports=("GigabitEthernet0/0",))
    assert errors(found) == ["permit icmp any hst 10.0.0.1"]
    assert errors(found, 1) == ["ip access-grp A in"]


def test_a_command_that_asks_the_network_counts_as_accepted():
    found = rehearse("cisco_ios", "", ["do ping 10.0.0.1", "hostname R2"], ["clear ip nat translation *"])
    assert errors(found) == []
    assert errors(found, 1) == []


needs_vtysh = pytest.mark.skipif(shutil.which("vtysh") is None, reason="needs vtysh: apt-get install frr")


@needs_vtysh
def test_frr_refuses_lines_that_no_daemon_knows():
    startup = "interface eth0\n ip address 10.0.0.1/24\n ip ospf netwrk broadcast\nend\n"
    startup += "router ospf\n network 10.0.0.0/8 area 0\n"
    found = rehearse("frr", startup, ["router ospf", "pasive-interface eth0", "clear ip ospf process"])
    assert refused(found) == [(3, 1, "% Unknown command: ip ospf netwrk broadcast")]
    assert errors(found) == ["pasive-interface eth0"]


@needs_vtysh
def test_an_empty_config_has_nothing_to_refuse():
    assert rehearse("frr", "!\n", []).refused == ()


def test_without_vtysh_nothing_is_told_of_frr(monkeypatch):
    monkeypatch.setattr("pytest_netbench.platforms.frr.offline.which", lambda *_, **__: None)
    driver: Any = parts.load("drivers", "frr")()
    assert driver.rehearse(PlannedNode(name="R1", role=None, interfaces=()), "x\n", []) is None
